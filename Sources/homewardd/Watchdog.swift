import Host
import Loop
import Timebase

/// Tells systemd that we live, and only while that is true: the loop turns, and the disk's worker is not
/// stuck in one job. (A name server may keep the network's worker busy for long; that is no reason.)
final class Watchdog {
  /// A worker that finishes nothing for so long is stuck; SD cards stall for 5 s.
  static let timeout = Span.seconds(60)

  private let loop: EventLoop
  private let notify: ServiceNotify
  private let disk: Worker
  private let interval: Span
  /// How the board is, for `systemctl status` and the lamp on it.
  private let standing: () -> String
  private var timer: Timer?
  private var pending = 0
  private var movedOn: Instant

  /// Nil if systemd has not asked for a watchdog.
  init?(loop: EventLoop, notify: ServiceNotify, disk: Worker, standing: @escaping () -> String) {
    guard let limit = notify.watchdogInterval else { return nil }
    self.loop = loop
    self.notify = notify
    self.disk = disk
    self.standing = standing
    interval = Span(nanoseconds: limit.nanoseconds / 3)
    movedOn = loop.now.instant
    timer = loop.makeTimer { [unowned self] in feed() }
    timer?.set(at: loop.now.instant + interval)
  }

  /// A wake-up came to its end.
  func progress() {
    if disk.pending == 0 || disk.pending < pending { movedOn = loop.now.instant }
    pending = disk.pending
  }

  private func feed() {
    progress()
    if loop.now.instant - movedOn < Self.timeout { notify.watchdog() }
    notify.status(standing())
    timer?.set(at: loop.now.instant + interval)
  }
}
