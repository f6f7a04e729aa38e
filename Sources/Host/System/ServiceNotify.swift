import CLinux
import Glibc
import Timebase

/// Notifies systemd of the daemon's state: one datagram each, without libsystemd (which would pull in six more
/// libraries). Without systemd, in a terminal or in a container, it does nothing.
public final class ServiceNotify {
  /// Longest interval between calls of `watchdog()` that systemd accepts; nil: it does not watch. Half of it is a good
  /// interval.
  public let watchdogInterval: Span?

  private let address: String?
  private let descriptor: Int32

  /// `environment` answers for the variables NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  public init(
    environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
  ) {
    let address = environment("NOTIFY_SOCKET").flatMap { Self.isAddress($0) ? $0 : nil }
    descriptor = address == nil ? -1 : clinux_unix_datagram()
    self.address = address
    // The variables are inherited: they may belong to the watchdog of another process.
    let isForUs = environment("WATCHDOG_PID").map { $0 == String(getpid()) } ?? true
    let microseconds = environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
    watchdogInterval =
      isForUs && microseconds > 0 && microseconds < Int64.max / 1000
      ? Span(nanoseconds: microseconds * 1000) : nil
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether systemd is listening.
  var isHeard: Bool { address != nil && descriptor >= 0 }

  /// The start is over: nothing that can fail at the start has failed.
  public func ready() { send("READY=1") }
  /// The end has begun: systemd waits for it as long as its unit says.
  public func stopping() { send("STOPPING=1") }

  /// A reload begins; `ready()` ends it.
  public func reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=\(SystemClock.monotonicMicroseconds())")
  }

  /// The line that `systemctl status` shows.
  public func status(_ text: String) {
    send("STATUS=" + String(decoding: Log.escaped(text), as: UTF8.self))
  }

  /// Real progress was made.
  public func watchdog() { send("WATCHDOG=1") }

  private func send(_ message: String) {
    guard let address, descriptor >= 0 else { return }
    let bytes = Array(message.utf8)
    // Lost if systemd is too busy to take it; the next one will do.
    _ = clinux_unix_send(descriptor, address, bytes, bytes.count)
  }

  /// systemd allows an absolute path or an abstract name; other kinds (vsock) are for virtual machines.
  private static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("/") || (text.hasPrefix("@") && text.utf8.count > 1)
  }
}
