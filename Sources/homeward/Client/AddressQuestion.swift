import Glibc
import OwnTracks

/// Asks a server of the owner's choice for the address of a place. curl does it, as a child: its answer is a stranger's
/// and is bounded in size and time, redirects are not followed, and what the template holds (a key, as a rule) is in no
/// list of processes.
struct AddressQuestion {
  private static let places = ["/usr/bin/curl", "/usr/local/bin/curl", "/bin/curl"]
  /// Seconds, until the answer has to be there.
  private static let patience = 10
  /// Bytes of the answer, and characters of an address.
  private static let (largest, longest) = (65_536, 300)

  var template: String
  /// Degrees.
  var latitude, longitude: Double

  var url: String {
    template.replacing("{lat}", with: Readable.degrees(latitude))
      .replacing("{lon}", with: Readable.degrees(longitude))
  }

  /// One line, without what would steer a terminal.
  func ask() throws -> String {
    guard let program = Self.places.first(where: { access($0, X_OK) == 0 }) else {
      throw Failure(.failed, "curl is not installed (sudo apt install curl)")
    }
    let answer = try run([
      program, "-q", "--silent", "--show-error", "--fail", "--globoff", "--proto", "=http,https",
      "--max-time", "\(Self.patience)", "--max-filesize", "\(Self.largest)", "--user-agent",
      "homeward/\(CommonOptions.version)", "--header", "Accept: application/json", "--config", "-",
    ])
    guard let address = Self.address(in: answer) else {
      throw Failure(.failed, "the server of geocodeUrl gave no address")
    }
    return address
  }

  // MARK: What servers answer

  /// Where Nominatim, Photon, Pelias, Mapbox, OpenCage, Google and their like put it.
  private static let paths: [[String]] = [
    ["display_name"], ["address"], ["label"], ["formatted"], ["results", "formatted"],
    ["results", "formatted_address"], ["features", "place_name"], ["features", "properties", "display_name"],
    ["features", "properties", "label"], ["features", "properties", "formatted"],
    ["features", "properties", "name"],
  ]

  /// Nil: there is none. Of a list its first entry counts; plain text is the address, a page is none.
  static func address(in answer: [UInt8]) -> String? {
    if let json = try? JSON.parse(answer) {
      for path in paths {
        var value: JSON? = json
        for step in path { value = (value?.elements?.first ?? value)?[step] }
        if let text = value?.text, let address = line(text) { return address }
      }
      return json.text.flatMap(line)
    }
    let text = String(decoding: answer, as: UTF8.self).trimmed
    return text.hasPrefix("<") || text.hasPrefix("{") || text.hasPrefix("[") ? nil : line(text)
  }

  private static func line(_ text: String) -> String? {
    let kept = text.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
        ? " " : Character(scalar)
    }
    let words = String(kept.prefix(longest)).split(separator: " ").joined(separator: " ")
    return words.isEmpty ? nil : words.plainLine
  }

  // MARK: The child

  private func run(_ words: [String]) throws -> [UInt8] {
    let (question, answer, complaint) = (try Pipe(), try Pipe(), try Pipe())
    let process = try Self.spawn(words, question.read, answer.write, complaint.write)
    for end in [question.read, answer.write, complaint.write] { close(end) }
    defer { for end in [answer.read, complaint.read] { close(end) } }
    // It cannot be full: a template has 2,000 bytes at most.
    Descriptor.writeAll(Array("url = \"\(quoted)\"\n".utf8), to: question.write)
    close(question.write)
    let bytes = Descriptor.readAll(answer.read, atMost: Self.largest) ?? []
    if bytes.count > Self.largest { kill(process, SIGKILL) }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    guard bytes.count <= Self.largest else {
      throw Failure(.failed, "the server of geocodeUrl answered with more than \(Self.largest) bytes")
    }
    guard status == 0 else {
      let words = String(decoding: Descriptor.readAll(complaint.read, atMost: 1000) ?? [], as: UTF8.self)
      throw Failure(.failed, Self.line(words) ?? "curl failed")
    }
    return bytes
  }

  /// As a configuration of curl holds it.
  private var quoted: String {
    url.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }

  private struct Pipe {
    let read, write: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw Failure(.failed, "no pipe: \(lastError())") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (read, write) = (ends[0], ends[1])
    }
  }

  private static func spawn(_ words: [String], _ input: Int32, _ output: Int32, _ errors: Int32) throws
    -> pid_t
  {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    for (from, to) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
      posix_spawn_file_actions_adddup2(&files, from, to)
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for text in arguments { free(text) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, words[0], &files, nil, &arguments, environ)
    guard failure == 0 else { throw Failure(.failed, "\(words[0]): \(String(cString: strerror(failure)))") }
    return process
  }
}
