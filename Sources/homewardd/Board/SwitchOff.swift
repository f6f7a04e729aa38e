import Core
import Host
import Loop
import Timebase

/// Asks for the board to be switched off. Only root may do that: homeward-halt.path waits for this file.
final class SwitchOff {
  /// After this the board should be off.
  static let timeout = Span.seconds(60)

  private let loop: EventLoop
  private let path: String
  private let log: ServiceLog
  private let timer: Loop.Timer

  /// Withdraws what a daemon before this one has asked for. `directory`: see `SettingsInForce.runtimeDirectory`.
  init(loop: EventLoop, directory: String, log: ServiceLog) {
    self.loop = loop
    self.log = log
    path = directory + "/halt"
    timer = loop.makeTimer {
      log.say(.error, "the board was not switched off: systemctl start homeward-halt.path")
    }
    HaltRequest.withdraw(path)
  }

  /// Nil: no longer. `wakeAfter`: seconds until it is to be switched on again; nil: by nobody.
  func ask(_ cause: HaltCause?, wakeAfter: Int? = nil) {
    guard let cause else {
      timer.set(at: nil)
      return HaltRequest.withdraw(path)
    }
    let wake = wakeAfter.map { "; to be woken in \($0) s" } ?? ""
    log.say(.warning, "requesting shutdown: \(cause)\(wake)")
    let request = "\(cause)" + (wakeAfter.map { "\nwake \($0)" } ?? "")
    if let why = HaltRequest.write(request, to: path) { return log.say(.error, "\(path): \(why)") }
    timer.set(at: loop.now.instant + Self.timeout)
  }
}
