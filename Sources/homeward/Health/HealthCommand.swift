import ArgumentParser
import Glibc
import OwnTracks
import Timebase

struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Say whether the tracker itself is in order.",
    discussion: """
      Exit status 0 and "good", or 1 and a line for each fault: daemon, loop, configuration,
      store, gpsd, restarts. No coverage, no view of the sky and a broker that refuses are
      notes and no faults: an update that is judged by this is not taken back for them.

      Example: homeward health --within 60
      """)

  /// As long as this one daemon has to be good on end, seconds, to be believed.
  private static let steady = 10.0

  @Option(help: ArgumentHelp("Wait up to this many seconds for 10 s of unbroken health.", valueName: "s"))
  var within: Int?
  @Option(
    help: ArgumentHelp("Kinds of fault that do not count, with commas between.", valueName: "kinds"))
  var except = ""
  @OptionGroup var place: ConfigurationPlace
  @OptionGroup var options: CommonOptions

  func run() throws {
    let excepted = try except.split(separator: ",").map(kind)
    let look = {
      Health(configurationPath: place.file, socketPath: options.socket, except: excepted)
    }
    let health = try within.map { try lasting(look, within: Double($0)) } ?? look()
    if options.json {
      Terminal.say(health.json, sortingKeys: true)
    } else {
      Terminal.say(health.lines.map(\.plainLine).joined(separator: "\n"))
    }
    if !health.isGood { throw ExitCode(ExitStatus.failed.rawValue) }
  }

  private func kind(_ word: Substring) throws -> Health.Kind {
    if let kind = Health.Kind(rawValue: String(word)) { return kind }
    let known = Health.Kind.allCases.map(\.rawValue).joined(separator: ", ")
    throw Failure(.usage, "--except \(word): expected one or more of \(known), with commas between")
  }

  /// Looks every second until one daemon has been good for long enough; the last look where none was.
  private func lasting(_ look: () -> Health, within seconds: Double) throws -> Health {
    guard seconds >= Self.steady else {
      throw Failure(.usage, "--within \(Int(seconds)): expected \(Int(Self.steady)) or more")
    }
    let begin = SystemClock.read().instant
    var goodSince: Instant?
    var lastUptime = 0.0
    while true {
      var health = look()
      let now = SystemClock.read().instant
      let uptime = health.uptime ?? 0
      if !health.isGood || uptime < lastUptime { goodSince = nil }
      if health.isGood, goodSince == nil { goodSince = now }
      lastUptime = uptime
      if let goodSince, (now - goodSince).seconds >= Self.steady { return health }
      guard (now - begin).seconds < seconds else {
        if health.isGood {
          let text = "good, but not for \(Int(Self.steady)) s on end; running for \(Readable.span(uptime))"
          health.faults.append(.init(kind: .restarts, text: text))
        }
        return health
      }
      sleep(1)
    }
  }
}
