import Model
import Timebase

/// A rule begins or ends to hold: what that makes of the mode.
struct ModeEdge: Hashable {
  var rule: ModeRule
  var isBegin: Bool
  var mode: MonitoringMode

  /// From one rule to the next: what begins has the last word, and where it has none, what ends. Nil: the mode stays.
  init?(from ended: ModeRule?, to begun: ModeRule?) {
    guard ended?.text != begun?.text else { return nil }
    if let begun, let mode = begun.onBegin {
      (rule, isBegin, self.mode) = (begun, true, mode)
    } else if let ended, let mode = ended.onEnd {
      (rule, isBegin, self.mode) = (ended, false, mode)
    } else {
      return nil
    }
  }
}

/// In which WiFi network the board is, once that has lasted.
struct SteadyNetwork {
  /// A network is there, or gone, when it has been so for this long.
  static let span = Span.seconds(10)

  /// As the adapter says; `since`: under this name, or under none. Nil: it has not said anything yet.
  private var heard: (name: String?, since: Instant)?
  /// The network that has lasted, before this start or since; nil: none yet.
  private var settled: String??
  /// Since when it has been another one than what counts.
  private var goneSince: Instant?

  /// `name`: of the network that the board was in at the end of the last start; nil: of none that anybody asks for.
  init(_ name: String? = nil) { if let name { settled = .some(name) } }

  /// The network that counts; nil: none yet.
  var counted: String?? { heard == nil ? nil : settled }

  mutating func networkChanged(_ network: Network, deadlines: inout Deadlines, at now: Instant) {
    if case .unknown = network { return }
    var name: String?
    if case .wifi(let ssid, _, _) = network { name = ssid }
    if heard == nil || heard?.name != name { heard = (name, now) }
    goneSince = settled == .some(name) ? nil : goneSince ?? now
    rearm(&deadlines)
  }

  /// The network that counts from now on; nil: unchanged.
  mutating func fellDue(deadlines: inout Deadlines, at now: Instant) -> String?? {
    guard let heard, let goneSince, now - goneSince >= Self.span else { return nil }
    let before = settled
    let isThere = now - heard.since >= Self.span
    settled = .some(isThere ? heard.name : nil)
    self.goneSince = settled == .some(heard.name) ? nil : heard.since
    rearm(&deadlines)
    return settled == before ? nil : settled
  }

  private func rearm(_ deadlines: inout Deadlines) {
    deadlines[.networkMode] = goneSince.map { $0 + Self.span }
  }
}
