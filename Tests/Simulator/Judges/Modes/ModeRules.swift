import Core
import Model
import Timebase

/// Rules of networks and times move the mode at an edge, as they say, and only then.
struct ModeRules: Judge {
  /// Seconds: a network is there, or gone, when it has been so for this long; and how exactly a wake-up meets that.
  private static let (lasting, slack) = (10.0, 2.0)

  /// The WiFi under way, or none, and since when.
  private var heard: (name: String?, since: Instant)?
  /// The first word of this life.
  private var first: Instant?
  /// Since when it has been another one than this.
  private var out: [String: Instant] = [:]
  /// When it was looked at the time of day last, a minute.
  private var minute: Int?
  private var before: ModeState?

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    // Networks stay known, and what the store has says nothing of when anybody looked at the time.
    case .tookUp: (minute, before) = (nil, nil)
    case .event(let event):
      before = world.tracker?.mode
      note(event, at: world.now)
    case .handled(let event): judge(event, world)
    case .second: look(world)
    default: break
    }
  }

  private mutating func note(_ event: Event, at now: Instant) {
    guard case .networkChanged(let network) = event else { return }
    var name: String?
    switch network {
    case .unknown: return
    case .wifi(let ssid, _, _): name = ssid
    default: break
    }
    guard heard.map({ $0.name != name }) ?? true else { return }
    if let last = heard?.name { out[last] = now }
    if let name { out[name] = nil }
    heard = (name, now)
    first = first ?? now
  }

  /// `what|in|out`: what each of the two makes of the mode, -1 to 2.
  private struct Line {
    var text: String
    var what: Substring
    var begin: Int?
    var end: Int?

    init?(_ text: Substring) {
      let parts = text.split(separator: "|", omittingEmptySubsequences: false)
      guard parts.count == 3 else { return nil }
      (self.text, what, begin, end) = (String(text), parts[0], Int(parts[1]), Int(parts[2]))
    }

    /// `HH:MM-HH:MM`, none of them over midnight.
    func holds(at minute: Int) -> Bool {
      let numbers = what.split { $0 == ":" || $0 == "-" }.compactMap { Int($0) }
      guard numbers.count == 4 else { return false }
      return (numbers[0] * 60 + numbers[1]..<numbers[2] * 60 + numbers[3]).contains(minute % 1440)
    }
  }

  private static func lines(_ text: String) -> [Line] {
    text.split(separator: "\n").compactMap(Line.init)
  }

  private mutating func judge(_ event: Event, _ world: World) {
    guard let before, let state = world.tracker?.mode else { return }
    switch event {
    case .configured, .control, .commanded:
      minute = nil
      return
    case .localTime(let minute): judgeTime(minute, from: before, to: state, world)
    default:
      if state.taken.time != before.taken.time {
        world.complain(.modes, "a rule of times begins or ends, and nobody looked at the time")
      }
    }
    if state.taken.network != before.taken.network {
      judgeNetwork(from: before, to: state, after: event, world)
    }
  }

  private func judgeNetwork(
    from before: ModeState, to state: ModeState, after event: Event, _ world: World
  ) {
    let ended = before.taken.network.flatMap { Line($0[...]) }
    let begun = state.taken.network.flatMap { Line($0[...]) }
    if let begun {
      let lasted = heard?.name == String(begun.what) ? world.seconds(since: heard?.since) : 0
      if lasted < Self.lasting - 0.1 {
        world.complain(.modes, "\(begun.text) begins after \(lasted) s in this network")
      }
    } else if let ended {
      let name = String(ended.what)
      // What it was in before this start it is out of since the first word.
      let since = heard?.name == name ? nil : out[name] ?? first
      if world.seconds(since: since) < Self.lasting - 0.1 {
        world.complain(.modes, "\(ended.text) ends, and \(name) was there")
      }
    }
    // Other events may set a mode of their own.
    if case .tick = event { judgeEdge(from: ended, to: begun, before, state, world) }
  }

  private mutating func judgeTime(
    _ minute: Int, from before: ModeState, to state: ModeState, _ world: World
  ) {
    defer { self.minute = minute }
    let begun = Self.lines(world.configuration.reports.timeModes.text).first { $0.holds(at: minute) }
    guard state.taken.time == begun?.text else {
      guard world.board.clock.isSynchronised else { return }
      let (found, wanted) = (state.taken.time ?? "none", begun?.text ?? "none")
      return world.complain(.modes, "rule \(found) of times at \(minute % 1440), not \(wanted)")
    }
    // What has passed unseen has its say as well.
    guard let last = self.minute, minute - last <= 1, before.taken.time != state.taken.time else { return }
    judgeEdge(from: before.taken.time.flatMap { Line($0[...]) }, to: begun, before, state, world)
  }

  private func judgeEdge(
    from ended: Line?, to begun: Line?, _ before: ModeState, _ state: ModeState, _ world: World
  ) {
    let isChosen = (before.mode == .quiet || before.mode == .manual) && !before.isByRule
    let wanted = isChosen ? nil : begun?.begin ?? ended?.end
    if state.mode.rawValue != wanted ?? before.mode.rawValue {
      let edge = "from \(ended?.text ?? "no rule") to \(begun?.text ?? "none")"
      world.complain(.modes, "\(edge), and from \(before.label) to \(state.label)")
    }
  }

  /// What has lasted counts.
  private mutating func look(_ world: World) {
    let lasted = world.seconds(since: heard?.since)
    guard let tracker = world.working, world.process.inbox.isEmpty, let heard,
      lasted > Self.lasting + Self.slack
    else { return }
    let rules = Self.lines(world.configuration.reports.networkModes.text)
    let (rule, wanted) = (tracker.mode.taken.network, rules.first { $0.what == heard.name ?? "" }?.text)
    guard rule != wanted else { return }
    world.complain(
      .modes,
      "\(Int(lasted)) s in \(heard.name ?? "no WiFi"), and the rule of networks is \(rule ?? "none"), not "
        + "\(wanted ?? "none")")
    self.heard = nil
  }
}
