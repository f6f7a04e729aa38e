import Core
import Host
import Loop
import Model

/// Lines for the journal, and how many of them outsiders can cause.
final class ServiceLog {
  private let loop: EventLoop
  private let log: Log
  private var limits = LineLimits()

  init(loop: EventLoop, log: Log) {
    self.loop = loop
    self.log = log
  }

  func say(_ level: Log.Level, _ text: String) { log.write(level, text, at: loop.now.instant) }

  /// At most as often as `cause` may. False: it was only counted.
  @discardableResult
  func say(_ level: Log.Level, _ text: @autoclosure () -> String, of cause: LineLimits.Cause) -> Bool {
    guard let ending = limits.ending(of: cause, at: loop.now.instant) else { return false }
    say(level, text() + ending)
    return true
  }

  /// Withheld reports are an everyday matter: `homeward why` shows them, the journal only when asked to. Refused commands
  /// and settings that were taken back are none.
  func explain(_ reason: Reason) {
    let isSaid =
      switch reason {
      case .configurationRolledBack: say(.warning, reason.sentence, of: .others)
      case .commandRefused(let action, let refusal):
        say(.warning, reason.sentence, of: .refusedCommand("\(action) \(refusal.rawValue)"))
      case _: false
      }
    if !isSaid, log.level >= .debug { say(.debug, "withheld: \(reason.sentence)") }
  }

  /// Publications and changes of the mode, which a reader of the journal wants to know. Those that come all day have
  /// a line a minute at most, which counts the others.
  func narrate(_ entry: Journal.Entry) {
    guard log.level >= .info, let cause = LineLimits.Cause(entry) else { return }
    say(.info, Self.sentence(entry), of: cause)
  }

  static func sentence(_ entry: Journal.Entry) -> String {
    (entry.isPublished ? "published: " : "") + entry.reason.sentence
  }

  /// As `logLevel` names it.
  func adopt(_ level: Configuration.LogLevel) { log.level = Log.Level(level) }

  /// For the end of the program.
  func flush() { log.flush() }
}

extension LineLimits.Cause {
  /// Of what the tracker has noted; nil: that has no line.
  init?(_ entry: Journal.Entry) {
    switch entry.reason {
    // A command that changes the mode has a line of its own, like all settings.
    case .modeChanged(_, _, .command): return nil
    case .modeChanged, .modeByNetwork, .modeByTime, .receiverSilent, .receiverBack: self = .event
    case _ where !entry.isPublished: return nil
    case .moved, .movedAndWaited, .stopped, .intervalElapsed, .turned, .speedChanged, .pingDue, .ranged,
      .askedRemotely, .commandAnswered, .resultTold, .introduced:
      self = .everyday(entry.reason.word)
    case _: self = .event
    }
  }
}
