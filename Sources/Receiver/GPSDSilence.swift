import Timebase

/// The response to a gpsd that is connected and sends nothing.
///
/// ```
///   10 s ─▶ WATCH again ─▶ … every 10 s … ─▶ 60 s ─▶ reconnect ─▶ … every 60 s …
///   15 min in all ─▶ wedged (said once)
/// ```
/// A gpsd whose receiver sends nothing is rightly silent, so every step is harmless to it. If a minute of asking has
/// not woken it, it is asked with each new connection only: each time costs the board a wake-up.
struct GPSDSilence {
  enum Step { case wait, watchAgain, reconnect }

  static let watchInterval = Span.seconds(10)
  static let reconnectAfter = Span.seconds(60)
  static let wedgedAfter = Span.minutes(15)

  /// The last report, or when waiting for the first one began. Reconnecting does not end a silence.
  private(set) var since: Instant
  private var connected: Instant
  private var watched: Instant
  /// By the silence, and not by gpsd.
  private var hasReconnected = false
  private var wasWedged = false

  init(at now: Instant) {
    since = now
    connected = now
    watched = now
  }

  mutating func reported(at now: Instant) {
    since = now
    wasWedged = false
    hasReconnected = false
  }

  mutating func reconnected(at now: Instant) {
    connected = now
    watched = now
  }

  /// When to look again.
  var next: Instant {
    hasReconnected ? connected + Self.reconnectAfter : max(since, watched) + Self.watchInterval
  }

  mutating func step(at now: Instant) -> Step {
    guard now >= next else { return .wait }
    if now - max(since, connected) >= Self.reconnectAfter {
      hasReconnected = true
      return .reconnect
    }
    watched = now
    return .watchAgain
  }

  func isWedged(at now: Instant) -> Bool { now - since >= Self.wedgedAfter }

  /// True once for every silence that got that long.
  mutating func becameWedged(at now: Instant) -> Bool {
    guard isWedged(at: now), !wasWedged else { return false }
    wasWedged = true
    return true
  }
}
