import ArgumentParser
import Glibc
import Model
import OwnTracks

struct ConfigSet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change keys of the file; all others stay as they are.",
    discussion: """
      The running daemon learns of it by: homeward reload; of stateDir and
      controlSocket at its next start.

      Where there is no file yet, this begins one. Keys that are right only together
      are given in one command, each with its value.

      Example: homeward config set locatorInterval 60
               homeward config set monitoring move
               homeward config set tls on
               homeward config set locatorInterval --default
               homeward config set password -
               homeward config set tlsClientCert CERT.pem tlsClientKey CERT.key
      """)

  @Argument(help: "The key; see: homeward config keys") var key: String
  @Argument(help: "Its new value; - asks for it, as secrets need.") var value: String?
  @Argument(help: "Further keys, each with its value.") var more: [String] = []
  @Flag(help: "Take the key out of the file, which means its default.") var `default` = false
  @OptionGroup var place: ConfigurationPlace
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if (value == nil) != self.default { throw ValidationError("expected either a value or --default") }
    guard more.count.isMultiple(of: 2) else {
      throw ValidationError("expected a value for every key; \(more.last ?? "") has none")
    }
    // Negative numbers come to us last, wherever they stood.
    if !more.isEmpty, changes.contains(where: { $0.value?.hasPrefix("-") == true && $0.value != "-" }) {
      throw ValidationError("a negative number is set by itself")
    }
  }

  private var changes: [(key: String, value: String?)] {
    [(key, value)]
      + stride(from: 0, to: more.count - 1, by: 2).map { (more[$0], more[$0 + 1]) }
  }

  private func newValue(of key: String, _ value: String?) throws -> String? {
    try value.map { try Self.typed($0, for: key, after: "config set \(key) -") }
  }

  /// A value that - stands for is asked for. Every user of the board can read the words of a running command, and the shell
  /// remembers them: a secret is given in no other way. `command`: how to be asked.
  static func typed(_ value: String, for key: String, after command: String) throws -> String {
    guard let isSecret = ConfigurationKey.named(key)?.isSecret, isSecret || value == "-" else { return value }
    guard value == "-" else {
      throw Failure(.usage, "\(key): a secret is not for the command line; type it after: \(command)")
    }
    let typed: String?
    switch (isatty(STDIN_FILENO) == 1, isSecret) {
    case (true, true): typed = getpass("\(key): ").map { String(cString: $0) }
    case (true, false): typed = Terminal.ask("\(key): ")
    case (false, _): typed = readLine()
    }
    // A script whose input is missing must not lock the board out.
    guard let typed, !typed.isEmpty else {
      throw Failure(.usage, "\(key): nothing was typed, so that it stays as it was; --default takes it out")
    }
    return typed
  }

  func run() throws {
    let before = try ConfigurationText(place.file, orNew: true)
    var bytes = before.bytes
    var typed: [(key: String, value: String?)] = []
    do {
      for (key, said) in changes {
        let value = try newValue(of: key, said)
        bytes = try ConfigurationFile.setting(key, to: value, in: bytes)
        typed.append((key, value))
      }
    } catch let problem as ConfigurationFile.Problem {
      throw Failure(
        .usage, problem.place == "override" ? problem.withoutPlace : "\(place.file): \(problem)")
    }
    // A key may be right by itself and wrong beside another one.
    let after = ConfigurationFile.decode(bytes)
    if let problem = before.problem(addedBy: after) { throw Failure(.usage, "\(place.file): \(problem)") }
    try AtomicFile.write(bytes, to: place.file)
    let words = typed.map { key, value in
      let isSecret = ConfigurationKey.named(key)?.isSecret == true
      return key + " " + (value.map { isSecret ? "set" : "set to \($0)" } ?? "back to its default")
    }.joined(separator: ", ")
    let notes = notes(on: after)
    let isFixed = changes.contains { ConfigurationKey.named($0.key)?.isFixed == true }
    let tell =
      isFixed
      ? "; it counts from the next start: sudo systemctl restart homeward"
      : "; tell the daemon: homeward reload"
    var answer: JSON = ["ok": true, "key": .string(key)]
    if !notes.isEmpty { answer.set("note", .string(notes.joined(separator: "; "))) }
    printAnswer(answer, options) { _ in
      words + (before.isNew ? before.newWords : tell) + notes.map { "\nnote: \($0)" }.joined()
    }
  }

  /// Why what was set is of no account for now.
  private func notes(on after: ConfigurationFile.Decoded) -> [String] {
    let mode = runningMode
    let modeNote = changes.lazy.compactMap {
      ModeNote.text(for: $0.key, in: after.configuration, runningMode: mode)
    }.first
    let missing = ConfigurationText.missingFiles(after).filter { problem in
      changes.contains { $0.key == problem.key }
    }
    return (modeNote.map { [$0] } ?? []) + missing.map { "\($0.key) is \($0.value), expected \($0.expected)" }
  }

  /// Mode of the tracker that uses this file; nil: it does not run, or another file is changed.
  private var runningMode: MonitoringMode? {
    guard place.file == ConfigurationText.usualPath || options.socket != CommonOptions.usualSocket else {
      return nil
    }
    let status = try? DaemonConnection(path: options.socket, timeout: 2).status()
    return status?.mode.flatMap { MonitoringMode(text: $0) }
  }
}

struct ConfigImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Merge the settings of another configuration (.otrc) into the file.",
    discussion: """
      All or nothing: a bad value changes nothing. Keys of the board ("local" in
      homeward config keys, but for tls, allowinvalidcerts and encryptionKey) are left
      alone, null means a key's default. A waypoint takes the place of the one that it is
      by its id or name, others are added: importing a file twice changes nothing. One
      that the tracker would skip is named, and not taken over.
      A link of the apps (owntracks:///config?inline=...) is taken too; one with a
      password in it is better given on standard input, where nobody else sees it.

      Example: homeward config import phone.otrc && homeward reload
               homeward config import - <link.txt
      """)

  @Argument(help: "The file or link to take settings from; - is standard input.") var source: String
  @OptionGroup var place: ConfigurationPlace
  @OptionGroup var options: CommonOptions

  func run() throws {
    let imported = ConfigurationFile.decode(
      try bytes(), purpose: .replay, written: FileText.lastChange(of: source) ?? 0)
    let source = ConfigurationLink.isOne(source) ? "the link" : source
    guard imported.problems.isEmpty else {
      throw Failure(.usage, imported.problems.map { "\(source): \($0)" }.joined(separator: "\n"))
    }
    let before = try ConfigurationText(place.file, orNew: true)
    // Settings that cannot be read cannot be kept either.
    if let problem = before.decoded.problems.first(where: { $0.key.isEmpty || $0.key == "_type" }) {
      throw Failure(.usage, "\(place.file): \(problem)")
    }
    let merged = ConfigurationImport(of: imported, into: before.decoded.raw)
    let bytes = merged.file.pretty()
    let after = ConfigurationFile.decode(bytes)
    if let problem = before.problem(addedBy: after) {
      throw Failure(.usage, "\(place.file) with \(source) in it: \(problem)")
    }
    if !merged.changed.isEmpty { try AtomicFile.write(bytes, to: place.file) }
    for remark in imported.remarks { warn("\(source): \(remark)") }
    if !merged.left.isEmpty {
      warn("left alone, only to be set on the board: \(merged.left.joined(separator: ", "))")
    }
    if !merged.identity.isEmpty {
      warn(
        "this board takes over \(merged.identity.joined(separator: " and ")): where the phone still has it, the two throw "
          + "each other off the broker; give the board one of its own: homeward config set deviceId NAME")
    }
    let answer: JSON = [
      "ok": true, "keys": .integer(Int64(merged.count)),
      "changed": .array(merged.changed.map { .string($0) }),
    ]
    printAnswer(answer, options) { _ in
      guard !merged.changed.isEmpty else { return "nothing to change: all of \(source) is in the file" }
      return
        "\(Readable.count(merged.count, "key")) taken over from \(source), \(merged.changed.count) of them new or "
        + "different" + (before.isNew ? before.newWords : "; tell the daemon: homeward reload")
    }
  }

  /// Of the file or of the link.
  private func bytes() throws -> [UInt8] {
    let found =
      ConfigurationLink.isOne(source)
      ? Array(source.utf8) : try FileText.read(source, atMost: ConfigurationFile.limit)
    guard ConfigurationLink.isOne(String(decoding: found.prefix(10), as: UTF8.self)) else { return found }
    do {
      return try ConfigurationLink.file(in: String(decoding: found, as: UTF8.self).trimmed)
    } catch {
      throw Failure(.usage, "\(error)")
    }
  }
}
