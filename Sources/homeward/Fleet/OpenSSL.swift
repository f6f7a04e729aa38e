import Glibc

/// The `openssl` program, which makes keys and certificates and reads them.
enum OpenSSL {
  /// Status and output, errors included, of one run.
  struct Outcome {
    var isGood: Bool
    var text: String

    /// The line that says most.
    var lastLine: String { text.split(separator: "\n").last.map(String.init) ?? "no word of why" }
  }

  private static let program = OtherProgram(name: "openssl", package: "openssl")

  /// It is there, and new enough to sign for an authority in one step.
  static func look() throws {
    let said = try run([["version"]])[0].text
    let major = said.split(separator: " ").dropFirst().first?.split(separator: ".").first.flatMap { Int($0) }
    guard said.hasPrefix("OpenSSL "), let major, major >= 3 else {
      throw Failure(.failed, "openssl is \(said.trimmed.plainLine), expected OpenSSL 3 or later")
    }
  }

  /// Several at a time, for they are mostly waiting; outcomes in the order of the runs.
  static func run(_ runs: [[String]]) throws -> [Outcome] {
    let most = 2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    var started: [OtherProgram.Running] = []
    var outcomes: [Outcome] = []
    defer { for running in started { _ = end(running) } }
    for words in runs {
      if started.count == most {
        outcomes.append(end(started.removeFirst()))
      }
      started.append(try program.start(words, joinsErrors: true))
    }
    while !started.isEmpty {
      outcomes.append(end(started.removeFirst()))
    }
    return outcomes
  }

  private static func end(_ running: OtherProgram.Running) -> Outcome {
    let ended = OtherProgram.end(running, atMost: 1 << 20)
    return Outcome(isGood: ended.status == 0, text: String(decoding: ended.output, as: UTF8.self))
  }
}
