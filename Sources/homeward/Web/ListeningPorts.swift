/// Ports that something on this machine listens on, by the kernel's own tables.
enum ListeningPorts {
  private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
  private static let listening = "0A"

  /// Looked up without connecting: a connection would start the server.
  static func has(_ port: Int) -> Bool {
    // Where the kernel tells nothing, nothing is claimed.
    let texts = tables.compactMap { try? FileText.read($0, atMost: 1 << 20) }
    return texts.isEmpty || texts.contains { has(port, in: String(decoding: $0, as: UTF8.self)) }
  }

  /// `table`: as /proc/net/tcp has it, a line of words for each socket: number, address:port in hexadecimal digits, the
  /// other side's, state.
  static func has(_ port: Int, in table: String) -> Bool {
    table.split(separator: "\n").contains { line in
      let words = line.split(separator: " ")
      guard words.count > 3, words[3] == listening, let digits = words[1].split(separator: ":").last else {
        return false
      }
      return Int(digits, radix: 16) == port
    }
  }
}
