import ArgumentParser
import Glibc
import Model
import OwnTracks

struct ConfigSet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change one key of the file; all others stay as they are.",
    discussion: """
      The running daemon learns of it by: homeward reload

      Example: homeward config set locatorInterval 60
               homeward config set monitoring -1
               homeward config set locatorInterval --default
               homeward config set password -
      """)

  @Argument(help: "The key; see: homeward config keys") var key: String
  @Argument(help: "Its new value; - asks for it, as secrets need.") var value: String?
  @Flag(help: "Take the key out of the file, which means its default.") var `default` = false
  @OptionGroup var place: ConfigurationPlace
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if (value == nil) != self.default { throw ValidationError("expected either a value or --default") }
  }

  private var isSecret: Bool { ConfigurationKey.named(key)?.isSecret == true }

  /// Every user of the board can read the words of a running command, and the shell remembers them.
  private func newValue() throws -> String? {
    guard isSecret, let value else { return value }
    guard value == "-" else {
      throw Failure(
        .usage, "\(key): a secret is not for the command line; type it after: config set \(key) -")
    }
    guard isatty(STDIN_FILENO) == 1 else { return readLine() ?? "" }
    guard let typed = getpass("\(key): ") else { throw Failure(.usage, "\(key): nothing was typed") }
    return String(cString: typed)
  }

  func run() throws {
    let before = try ConfigurationText(place.file)
    let bytes: [UInt8]
    do {
      bytes = try ConfigurationFile.setting(key, to: try newValue(), in: before.bytes)
    } catch let problem as ConfigurationFile.Problem {
      throw Failure(.usage, problem.withoutPlace)
    }
    // A key may be right by itself and wrong beside another one.
    let after = ConfigurationFile.decode(bytes)
    if let problem = after.problems.first(where: { !before.decoded.problems.contains($0) }) {
      throw Failure(.usage, "\(place.file): \(problem)")
    }
    try AtomicFile.write(bytes, to: place.file)
    let words = value.map { isSecret ? "set" : "set to \($0)" } ?? "back to its default"
    printAnswer(["ok": true, "key": .string(key)], options) { _ in
      "\(key) \(words); tell the daemon: homeward reload"
    }
  }
}

struct ConfigImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Merge the settings of another configuration (.otrc) into the file.",
    discussion: """
      All or nothing: a bad value changes nothing. Keys of the board ("local" in
      homeward config keys, but for tls, allowinvalidcerts and encryptionKey) are left
      alone, null means a key's default, waypoints are added to those in the file.

      Example: homeward config import phone.otrc && homeward reload
      """)

  @Argument(help: "The file to take settings from; - is standard input.") var source: String
  @OptionGroup var place: ConfigurationPlace
  @OptionGroup var options: CommonOptions

  func run() throws {
    let imported = ConfigurationFile.decode(
      try FileText.read(source, atMost: ConfigurationFile.limit), purpose: .replay)
    guard imported.problems.isEmpty else {
      throw Failure(.usage, imported.problems.map { "\(source): \($0)" }.joined(separator: "\n"))
    }
    let before = try ConfigurationText(place.file)
    var file = before.decoded.raw
    var left: [String] = []
    var count = 0
    for member in imported.raw.members ?? [] where member.key != "_type" {
      if member.key == "waypoints" {
        let all = (file["waypoints"]?.elements ?? []) + (member.value.elements ?? [])
        file.set("waypoints", .array(all))
      } else if ConfigurationKey.named(member.key)?.isImported == false {
        left.append(member.key)
        continue
      } else {
        let value: JSON? = member.value.isNull ? .none : .some(member.value)
        file.set(member.key, value)
      }
      count += 1
    }
    let bytes = file.pretty()
    let after = ConfigurationFile.decode(bytes)
    if let problem = after.problems.first(where: { !before.decoded.problems.contains($0) }) {
      throw Failure(.usage, "\(place.file) with \(source) in it: \(problem)")
    }
    try AtomicFile.write(bytes, to: place.file)
    if !left.isEmpty { warn("left alone, only to be set on the board: \(left.joined(separator: ", "))") }
    printAnswer(["ok": true, "keys": .integer(Int64(count))], options) { _ in
      "\(count) keys taken over from \(source); tell the daemon: homeward reload"
    }
  }
}
