import Glibc

/// The socket unit of the page, as systemd reads it: the file in the first folder that has one, and what the owner has put
/// beside it (`systemctl edit`).
struct PageSocket {
  private static let unit = "homeward-web.socket"
  private static let folders = ["/etc/systemd/system", "/usr/lib/systemd/system"]
  private static let usual = 80

  /// Switched on: systemd listens from the start of the board.
  let isEnabled: Bool
  /// The first that it listens on.
  let port: Int

  /// `root`: what stands before the folders' names. Nil: the page is not installed.
  init?(root: String = "") {
    let folders = Self.folders.map { root + $0 }
    guard let file = folders.map({ $0 + "/" + Self.unit }).first(where: { access($0, F_OK) == 0 }) else {
      return nil
    }
    isEnabled = Self.exists("\(folders[0])/sockets.target.wants/\(Self.unit)")
    let beside = "\(folders[0])/\(Self.unit).d"
    let more = Folder.names(in: beside).filter { $0.hasSuffix(".conf") }.map { beside + "/" + $0 }
    let texts = ([file] + more).compactMap { try? FileText.read($0, atMost: 1 << 16) }
    port = Self.ports(in: texts.map { String(decoding: $0, as: UTF8.self) }).first ?? Self.usual
  }

  /// The link that enabling makes may point anywhere.
  private static func exists(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) == 0
  }

  /// `ListenStream` adds one, a number or ADDRESS:PORT; without a value it forgets those before it.
  static func ports(in texts: [String]) -> [Int] {
    var ports: [Int] = []
    for line in texts.flatMap({ $0.split(separator: "\n") }) {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, String(parts[0]).trimmed == "ListenStream" else { continue }
      let value = String(parts[1]).trimmed
      if value.isEmpty { ports = [] }
      if let port = value.split(separator: ":").last.flatMap({ Int($0) }) { ports.append(port) }
    }
    return ports
  }
}
