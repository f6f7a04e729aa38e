import Core
import Model
import Timebase

/// A call for help is published until somebody acknowledges it: again and again, over every start, and by a board that
/// stays on; and nobody is called where nobody has.
struct CallsForHelp: Judge {
  /// Seconds between two, and the times after which that takes longer; and of wake-ups that are late.
  private static let (often, seldom, oftenTimes, slack) = (60.0, 300.0, 60, 5.0)

  /// Somebody has called, and nobody has acknowledged it.
  private var isOpen = false
  /// The disk has it.
  private var isDurable = false
  /// When it was published last, or could have been first.
  private var last: Instant?
  /// Since when the button is held.
  private var pressed: Instant?
  private var line: Bool?

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: (isOpen, last, pressed, line) = (false, nil, nil, nil)
    case .opened(_, let snapshot): begins(as: snapshot.journey.sos, world)
    case .begun, .tookUp: begins(as: Self.state(in: world), world)
    case .event(let event): heard(event, world)
    // Some are not obeyed.
    case .handled(.commanded(let received)):
      if received.command == .acknowledgeSOS, Self.state(in: world) == nil {
        (isOpen, isDurable) = (false, false)
      }
    case .told(.alarm(let told), because: _): if case .sos = told.kind { published(world) }
    case .told(.location(let told), because: _): if told.trigger == .sos { published(world) }
    case .halts(.parked?), .halts(.ordered?):
      guard isOpen, Self.state(in: world) != nil else { return }
      world.complain(.sos, "to be switched off, and somebody calls for help")
    case .second: look(world)
    default: break
    }
  }

  private static func state(in world: World) -> SOSState? {
    world.tracker?.status(at: world.moment).journey.sos
  }

  private mutating func begins(as state: SOSState?, _ world: World) {
    if isDurable, state == nil, !world.hasFlipped,
      !world.isBlind || world.ledger.lives.takenUp.contains(world.life)
    {
      world.complain(.sos, "a call for help is forgotten over a start")
    }
    if state != nil || !world.isBlind { isDurable = state != nil }
    isOpen = state != nil
    last = world.now
  }

  private mutating func heard(_ event: Event, _ world: World) {
    switch event {
    case .control(.sos(isAcknowledged: false), _, _): called(world)
    case .control(.sos(isAcknowledged: true), _, _): (isOpen, isDurable) = (false, false)
    // Killed while it is obeyed, the disk may have it.
    case .commanded(let received): if received.command == .acknowledgeSOS { isDurable = false }
    case .sosLine(let isOn):
      if isOn == true, line == false { pressed = world.now }
      holds(world)
      if isOn != true { pressed = nil }
      line = isOn
    default: break
    }
  }

  private mutating func called(_ world: World) {
    if !isOpen { last = world.now }
    isOpen = true
  }

  /// While nobody is told anything, the tracker alone knows of a button that was held.
  private mutating func holds(_ world: World) {
    guard !world.isAddressed, world.seconds(since: pressed) >= 1, Self.state(in: world) != nil else { return }
    called(world)
  }

  private mutating func published(_ world: World) {
    if !isOpen, pressed.map({ world.seconds(since: $0) < 0.9 }) ?? true {
      world.complain(.sos, "published, and nobody calls for help")
    }
    (isOpen, last) = (true, world.now)
  }

  private mutating func look(_ world: World) {
    guard world.working != nil else {
      last = world.now
      return
    }
    guard isOpen || pressed != nil else { return }
    holds(world)
    if world.seconds(since: pressed) > 1 + Self.slack, !isOpen {
      return world.complain(.sos, "the button is held, and nothing is published")
    }
    guard isOpen else { return }
    guard let state = Self.state(in: world) else {
      isOpen = false
      return world.complain(.sos, "somebody calls for help, and the tracker does not know it")
    }
    if world.isSettled { isDurable = true }
    // Nobody is told anything.
    if !world.isAddressed { last = world.now }
    let gap = world.seconds(since: last)
    let most = state.times < Self.oftenTimes ? Self.often : Self.seldom
    if gap > most + Self.slack {
      last = world.now
      world.complain(.sos, "open, and not published for \(gap) s")
    }
  }
}
