import Core
import Host
import Loop
import Model
import Timebase

/// What the journal is told, and how much of it others can cause.
final class ServiceLog {
  private let loop: EventLoop
  private let log: Log
  private var limiter = LineLimiter()

  init(loop: EventLoop, log: Log) {
    self.loop = loop
    self.log = log
  }

  func say(_ level: Log.Level, _ text: String) { log.write(level, text, at: loop.now.instant) }

  /// What somebody outside has caused: he must not fill the journal with it.
  func say(_ level: Log.Level, _ text: String, of cause: LineBudget.Cause) {
    if let line = limiter.line(text, of: cause, at: loop.now.instant) { say(level, line) }
  }

  /// False: a line about this matter is too recent.
  func isTime(for matter: String, gap: Span) -> Bool {
    limiter.isTime(for: matter, at: loop.now.instant, gap: gap)
  }

  /// Withheld reports are an everyday matter: `homeward why` shows them, the journal only when asked to.
  func explain(_ reason: Reason) {
    if limiter.isWorthALine(reason, at: loop.now.instant) {
      say(.warning, reason.sentence, of: .others)
    } else if log.level >= .debug {
      say(.debug, "withheld: \(reason.sentence)")
    }
  }

  /// What was published and what has changed the mode: a reader of the journal wants to know it. What comes all day
  /// has a line a minute at most, which counts the others.
  func narrate(_ entry: Journal.Entry) {
    guard log.level >= .info, let line = limiter.line(about: entry, at: loop.now.instant) else { return }
    say(.info, line)
  }

  /// As `logLevel` names it.
  func adopt(_ level: Configuration.LogLevel) { log.level = Log.Level(level) }

  /// For the end of the program.
  func flush() { log.flush() }
}
