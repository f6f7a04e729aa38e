import Host
import Loop
import Timebase

/// Asks for the owner's program when the server has not been reached for long, to restart a modem that says it is
/// connected and is not. Only root may do that: homeward-outage.path waits for this file. Once an outage, and at most
/// every ten minutes.
final class OutageRequest {
  /// Between two requests, whatever comes and goes.
  static let gap = Span.minutes(10)
  /// A request that has not been taken up after this never will be.
  static let timeout = Span.seconds(30)

  private let loop: EventLoop
  private let path: String
  private let log: ServiceLog
  private var timer: Loop.Timer?
  private var check: Loop.Timer?
  /// Nil: never.
  private var after: Span?
  /// Nil: the server is reached, or nothing has to be.
  private var outSince: Instant?
  private var wasAsked = false
  private var last: Instant?

  /// Withdraws what a daemon before this one has asked for. `directory`: see `SettingsInForce.runtimeDirectory`.
  init(loop: EventLoop, directory: String, log: ServiceLog) {
    self.loop = loop
    self.log = log
    path = directory + "/outage"
    HaltRequest.withdraw(path)
    timer = loop.makeTimer { [unowned self] in ask() }
    check = loop.makeTimer { [path] in
      guard Sysfs.exists(path) else { return }
      HaltRequest.withdraw(path)
      log.say(.error, "onOutage: nothing runs /etc/homeward/outage (systemctl start homeward-outage.path)")
    }
  }

  /// Seconds of `onOutage`; 0: never.
  func configure(seconds: Int) {
    after = seconds > 0 ? .seconds(Double(seconds)) : nil
    if after == nil { outSince = nil }
    plan()
  }

  /// True if it is wanted: otherwise it is never checked, not even at a fix.
  var isOn: Bool { after != nil }

  /// Called while it is on, after every wake-up that had an effect. `isOut`: the server is tried and not reached, and
  /// there is no fault that a person has to put right.
  func notice(isOut: Bool) {
    guard isOut != (outSince != nil) else { return }
    outSince = isOut ? loop.now.instant : nil
    wasAsked = false
    plan()
  }

  private func plan() {
    guard let after, let outSince, !wasAsked else {
      timer?.set(at: nil)
      return
    }
    let soonest = last.map { $0 + Self.gap } ?? .zero
    timer?.set(at: max(outSince + after, soonest))
  }

  private func ask() {
    guard let outSince else { return }
    (wasAsked, last) = (true, loop.now.instant)
    let seconds = Int((loop.now.instant - outSince).seconds)
    log.say(.warning, "server unreachable for \(seconds) s: requesting /etc/homeward/outage")
    if let why = HaltRequest.write("\(seconds)", to: path) { return log.say(.error, "\(path): \(why)") }
    check?.set(at: loop.now.instant + Self.timeout)
  }
}
