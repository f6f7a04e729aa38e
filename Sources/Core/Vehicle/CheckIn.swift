import Model
import Timebase

/// A board that was switched off with `parkedWake` has woken by itself: it finds its place, tells it, and is switched off
/// again.
///
///     none ──start, asleep on purpose──▶ under way ──a place, looked at for a while, and all acknowledged──▶ over: done
///      ▲                                     │  └────────────────────── parkedWakeLimit ──▶ over: missed
///      └──ignition, movement, an order, or it was no alarm that woke it──┘
///
/// Over means that the board is switched off; its next life begins with this picture.
struct CheckIn {
  enum Ending: Hashable {
    case done
    case missed(MissedCheckIn)
  }

  /// From the first fix on: the crossings since, and whether it moves, show in this time.
  static let look = Span.seconds(8)
  /// From the connection on: the time that orders take which wait at the broker.
  static let orders = Span.seconds(3)
  /// A place this far from the one before, and farther than both accuracies explain three times over, is another one,
  /// metres.
  static let elsewhere = 100.0
  /// So many fixes in a row that are fast are a movement; metres a second.
  static let moving = (fixes: 5, speed: 1.5)
  /// Started so much sooner than planned it was no alarm, seconds.
  static let early = 600.0

  /// The sleep that it ends; nil: there is no check-in.
  private(set) var sleep: Sleep?
  /// The sleep that is about to begin; nil: the board stays on.
  var planned: Sleep?
  /// Where it was switched off.
  private var place: Fix?
  private var started = Instant.zero
  private var firstFix: Instant?
  private var connected: Instant?
  private var fastFixes = 0

  init(_ stored: Sleep?, place: Fix?) {
    guard let stored, !stored.isEarly else { return }
    (sleep, self.place) = (stored, place)
  }

  var isUnderWay: Bool { sleep != nil }

  // MARK: Input

  mutating func start(limit: Span, deadlines: inout Deadlines, at now: Instant) {
    guard isUnderWay else { return }
    started = now
    deadlines[.checkIn] = now + limit
  }

  /// Why the board stays on; nil: nothing speaks against its going off.
  mutating func fixArrived(_ fix: Fix, deadlines: inout Deadlines, at now: Instant) -> BoardKeptOn? {
    guard isUnderWay else { return nil }
    if firstFix == nil {
      firstFix = now
      deadlines.arm(.checkIn, by: now + Self.look)
    }
    // gpsd's error of a speed is larger than any speed, for plain NMEA.
    let isFast = fix.speed.map { $0 >= Self.moving.speed } ?? false
    fastFixes = isFast ? fastFixes + 1 : 0
    if fastFixes >= Self.moving.fixes { return .moving }
    if let metres = metresElsewhere(fix) { return .elsewhere(metres: metres) }
    return nil
  }

  mutating func connected(deadlines: inout Deadlines, at now: Instant) {
    guard isUnderWay else { return }
    connected = now
    deadlines.arm(.checkIn, by: now + Self.orders)
  }

  /// Whether it began long before its alarm, as a clock shows that can be believed only now.
  func isEarly(wall: WallTime) -> Bool {
    guard let sleep, let since = sleep.since else { return false }
    let slept = (wall - since).seconds
    return slept >= 0 && slept < Double(sleep.span) - Self.early
  }

  /// Something keeps the board on, or it has been switched off.
  mutating func end(deadlines: inout Deadlines) {
    (sleep, place, deadlines[.checkIn]) = (nil, nil, nil)
  }

  // MARK: Questions

  /// `isTold`: nothing is left that the server has to acknowledge. `isSettled`: the receiver is as good as it gets.
  func ending(limit: Span, isTold: Bool, isSettled: Bool, needsServer: Bool, at now: Instant) -> Ending? {
    guard isUnderWay else { return nil }
    let hasLooked = firstFix.map { now >= $0 + Self.look } ?? false
    let hasHeard = connected.map { now >= $0 + Self.orders } ?? !needsServer
    if hasLooked, isSettled, isTold, hasHeard { return .done }
    guard now >= started + limit else { return nil }
    if firstFix == nil { return .missed(.noFix) }
    return isTold && (connected != nil || !needsServer) ? .done : .missed(.undelivered)
  }

  /// When the ending may have changed by itself; nil: at no time that is known.
  func next(limit: Span, at now: Instant) -> Instant? {
    guard isUnderWay else { return nil }
    let moments = [firstFix.map { $0 + Self.look }, connected.map { $0 + Self.orders }, started + limit]
    return moments.compactMap { $0 }.filter { $0 > now }.min()
  }

  /// Check-ins before this one that were incomplete.
  var missed: MissedCheckIns? {
    guard let sleep, sleep.missed > 0, let cause = sleep.lastMissed else { return nil }
    return MissedCheckIns(count: sleep.missed, cause: cause)
  }

  /// Seconds since the start.
  func seconds(at now: Instant) -> Double { (now - started).seconds }

  private func metresElsewhere(_ fix: Fix) -> Double? {
    guard let place else { return nil }
    let metres = place.coordinate.distance(to: fix.coordinate)
    return metres > max(Self.elsewhere, 3 * (place.accuracy + fix.accuracy)) ? metres : nil
  }
}
