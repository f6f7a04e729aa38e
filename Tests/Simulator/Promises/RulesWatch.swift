import Core
import Model
import Timebase

/// What the tracker was told of networks and of the time of day, and what the rules make of it. Kept by the world, one
/// for each life of the process.
struct RulesWatch {
  /// Seconds: a network is there, or gone, when it has been so for this long; and how exactly a wake-up meets that.
  fileprivate static let lasting = 10.0
  fileprivate static let slack = 2.0

  /// The WiFi under way, or none, and since when.
  fileprivate var heard: (name: String?, since: Instant)?
  /// The first word of this life.
  fileprivate var first: Instant?
  /// Since when it has been another one than this.
  fileprivate var out: [String: Instant] = [:]
  /// When it was looked at the time of day last, a minute.
  fileprivate var minute: Int?
  fileprivate var before: ModeState?

  mutating func begin(_ event: Event, _ tracker: LivingTracker?, at now: Instant) {
    before = tracker?.mode
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

  /// Networks stay known, and what the store has says nothing of when anybody looked at the time.
  mutating func tookUp() { (minute, before) = (nil, nil) }

  /// `what|in|out`: what each of the two makes of the mode, -1 to 2.
  fileprivate struct Line {
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

  fileprivate static func lines(_ text: String) -> [Line] {
    text.split(separator: "\n").compactMap(Line.init)
  }

  /// The mode that follows from this edge; nil: it stays.
  fileprivate static func mode(from ended: Line?, to begun: Line?) -> Int? { begun?.begin ?? ended?.end }
}

extension World {
  private var networkLines: [RulesWatch.Line] {
    RulesWatch.lines(configuration.reports.networkModes.text)
  }

  private func line(of name: String?) -> RulesWatch.Line? { networkLines.first { $0.what == name ?? "" } }

  /// Rules of networks and times move the mode at an edge, as they say, and only then.
  func judgeRules(after event: Event) {
    guard let before = rulesWatch.before, let state = tracker?.mode else { return }
    switch event {
    case .configured, .control, .commanded:
      rulesWatch.minute = nil
      return
    case .localTime(let minute): judgeTime(minute, from: before, to: state)
    default:
      if state.taken.time != before.taken.time {
        ledger.complain(.modes, "a rule of times begins or ends, and nobody looked at the time", at: now)
      }
    }
    if state.taken.network != before.taken.network { judgeNetwork(from: before, to: state, after: event) }
  }

  private func judgeNetwork(from before: ModeState, to state: ModeState, after event: Event) {
    let (ended, begun) =
      (before.taken.network.flatMap { .init($0[...]) }, state.taken.network.flatMap { .init($0[...]) })
      as (RulesWatch.Line?, RulesWatch.Line?)
    if let begun {
      let heard = rulesWatch.heard
      let lasted = heard?.name == String(begun.what) ? heard.map { (now - $0.since).seconds } : nil
      if lasted ?? 0 < RulesWatch.lasting - 0.1 {
        ledger.complain(.modes, "\(begun.text) begins after \(lasted ?? 0) s in this network", at: now)
      }
    } else if let ended {
      let name = String(ended.what)
      // What it was in before this start it is out of since the first word.
      let since = rulesWatch.heard?.name == name ? nil : rulesWatch.out[name] ?? rulesWatch.first
      if since.map({ (now - $0).seconds < RulesWatch.lasting - 0.1 }) ?? true {
        ledger.complain(.modes, "\(ended.text) ends, and \(name) was there", at: now)
      }
    }
    // Other events may set a mode of their own.
    if case .tick = event { judgeEdge(from: ended, to: begun, before, state) }
  }

  private func judgeTime(_ minute: Int, from before: ModeState, to state: ModeState) {
    defer { rulesWatch.minute = minute }
    let lines = RulesWatch.lines(configuration.reports.timeModes.text)
    let begun = lines.first { $0.holds(at: minute) }
    guard state.taken.time == begun?.text else {
      if clock.isSynchronised {
        ledger.complain(
          .modes,
          "rule \(state.taken.time ?? "none") of times at \(minute % 1440), not \(begun?.text ?? "none")",
          at: now)
      }
      return
    }
    // What has passed unseen has its say as well.
    guard let last = rulesWatch.minute, minute - last <= 1, before.taken.time != state.taken.time else {
      return
    }
    judgeEdge(from: before.taken.time.flatMap { .init($0[...]) }, to: begun, before, state)
  }

  private func judgeEdge(
    from ended: RulesWatch.Line?, to begun: RulesWatch.Line?, _ before: ModeState, _ state: ModeState
  ) {
    let isChosen = (before.mode == .quiet || before.mode == .manual) && !before.isByRule
    let wanted = isChosen ? nil : RulesWatch.mode(from: ended, to: begun)
    if state.mode.rawValue != wanted ?? before.mode.rawValue {
      ledger.complain(
        .modes,
        "from \(ended?.text ?? "no rule") to \(begun?.text ?? "none"), and from \(before.label) to \(state.label)",
        at: now)
    }
  }

  /// Once a second: what has lasted counts.
  func judgeNetworkRule() {
    guard let tracker, isRunning, !isStopping, takingUp == nil, inbox.isEmpty, let heard = rulesWatch.heard,
      (now - heard.since).seconds > RulesWatch.lasting + RulesWatch.slack
    else { return }
    let wanted = line(of: heard.name)?.text
    if tracker.mode.taken.network != wanted {
      ledger.complain(
        .modes,
        "\(Int((now - heard.since).seconds)) s in \(heard.name ?? "no WiFi"), and the rule of networks is "
          + "\(tracker.mode.taken.network ?? "none"), not \(wanted ?? "none")", at: now)
      rulesWatch.heard = nil
    }
  }
}

/// Of a region `Name|in|out` the one mode is for who comes and the other for who goes.
extension World {
  /// What the journal says of a mode that the name of a region has asked for; nil: the name does ask for it.
  func lie(mode: MonitoringMode, namedBy name: String, _ crossing: Crossing) -> String? {
    // Who changes a region may leave it under its old name.
    guard !judging.isOfOrder, let regions = tracker?.knownRegions.map(\.region) else { return nil }
    let wanted = regions.filter { $0.eventName == name }.compactMap { Self.mode(in: $0.name, crossing) }
    if wanted.isEmpty || wanted.contains(mode.rawValue) { return nil }
    return "its name asks for \(wanted.map(String.init).joined(separator: " or "))"
  }

  /// Nil: the name leaves the mode as it is.
  static func mode(in name: String, _ crossing: Crossing) -> Int? {
    let parts = name.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    return Int(parts[crossing == .enter ? 1 : 2])
  }
}
