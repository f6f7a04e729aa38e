import Model
import Timebase

/// A call for help: told at once, and again until a person has acknowledged it.
///
///     quiet ──the button is held for 1 s, or a person asks──▶ open: told at once, each minute, and every five
///       ▲                                                      │    minutes after the first hour; with the first
///       │                                                      │    fix as well, where the place was old
///       └──acknowledged: told once─────────────────────────────┘
struct SOSCall {
  /// How long the button has to be held: a wire that picks something up is no call.
  static let held = Span.seconds(1)
  /// Until it is told again, and the times after which that takes longer.
  static let (often, seldom, oftenTimes) = (Span.minutes(1), Span.minutes(5), 60)
  /// A start leaves the receiver and the connection so much time before the call is told once more.
  static let afterStart = Span.seconds(5)

  /// Nil: nobody has called, or it is acknowledged.
  private(set) var state: SOSState?
  /// It was told with an old place, or without one.
  private(set) var awaitsFix = false
  /// As it was told last, for a server that has a backlog to take first.
  private(set) var told: [(report: Report, message: Message)] = []
  private var line: Bool?
  private var pressed: Instant?
  /// When it is told (again).
  private var due: Instant?

  /// `earlier`: another tracker of this process has heard of the button already.
  init(_ stored: SOSState?, after earlier: SOSCall? = nil) {
    state = stored
    (line, pressed) = (earlier?.line, earlier?.pressed)
  }

  // MARK: Input

  /// A call that was open before the start still is.
  mutating func start(at now: Instant) {
    guard state != nil else { return }
    (due, awaitsFix) = (now + Self.afterStart, true)
  }

  /// The first state is how the button is made, and no call.
  mutating func line(_ isOn: Bool?, at now: Instant) {
    if isOn == true, line == false {
      pressed = now
    } else if isOn != true {
      pressed = nil
    }
    line = isOn
  }

  /// True once a press has lasted.
  mutating func takePress(at now: Instant) -> Bool {
    guard let pressed, now >= pressed + Self.held else { return false }
    self.pressed = nil
    return true
  }

  mutating func call(at now: Instant) {
    state = state ?? SOSState()
    due = now
  }

  mutating func fixArrived(at now: Instant) { (due, awaitsFix) = (now, false) }

  /// Nil: there was no call.
  mutating func acknowledge() -> SOSState? {
    defer { (state, due, awaitsFix, told) = (nil, nil, false, []) }
    return state
  }

  /// The call, where it has to be told now. `isFresh`: the place is the present one.
  mutating func fellDue(place: Fix?, isFresh: Bool, at now: Instant) -> SOSState? {
    guard var state, let due, now >= due else { return nil }
    state.start = state.start ?? place.map { TrackPoint($0) }
    // No region hides who calls for help.
    state.start?.isHidden = false
    state.times += 1
    self.state = state
    self.due = now + (state.times < Self.oftenTimes ? Self.often : Self.seldom)
    awaitsFix = !isFresh
    return state
  }

  mutating func wasTold(_ published: [(report: Report, message: Message)]) { told = published }

  // MARK: Questions

  var isOpen: Bool { state != nil }

  var next: Instant? {
    let held = pressed.map { $0 + Self.held }
    guard let held, let due else { return held ?? due }
    return min(held, due)
  }
}
