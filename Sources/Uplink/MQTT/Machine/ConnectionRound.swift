import Model
import Timebase

/// The brokers that `host` names, and their addresses, in turn: a failed attempt is followed by one to the next, soon;
/// only where all of them have failed the wait of the ladder comes, and then the first again.
struct ConnectionRound {
  private enum Step {
    /// The place and the address of the last attempt.
    case again
    case nextAddress
    case nextPlace
    /// From the first place on.
    case anew
  }

  /// Where the next attempt may go.
  enum Others {
    /// To other addresses and other brokers: this one has failed.
    case all
    /// To other brokers: a connection stood, but not for long.
    case brokers
    /// To the first one of a new round.
    case first
    /// To this one again.
    case nowhere
  }

  /// Of the next attempt.
  private var step = Step.anew
  /// Of the present one.
  private(set) var choice = BrokerAddresses.Choice.first
  /// The name in use has addresses that were not tried in this round.
  var hasOtherAddresses = false
  /// Sessions at the other brokers, by place.
  private var sessions: [Int: BrokerSession] = [:]
  /// They must not be continued.
  private var isStale = false

  /// The next attempt begins a round.
  mutating func begin() { (step, hasOtherAddresses) = (.anew, false) }

  /// Other addresses of the name are tried.
  mutating func passOn() { choice = .next }

  /// Nil: for the first time.
  mutating func configured(after change: BrokerSettings.Change?) {
    begin()
    if change != .connection { (sessions, isStale) = ([:], change == .session) }
    sessions = sessions.mapValues { session in
      var session = session
      session.returnToLevel()
      return session
    }
  }

  /// Where the next attempt goes; the answer is whether it belongs to this round.
  mutating func goesOn(to others: Others, after cause: BrokerCause, _ settings: BrokerSettings) -> Bool {
    let isLast = settings.turn + 1 == settings.places.count
    switch others {
    case .nowhere: step = .again
    case .all where hasOtherAddresses && cause.differsByAddress: step = .nextAddress
    case .all where !isLast && cause.differsByPlace: step = .nextPlace
    case .brokers where !isLast && cause.differsByPlace: step = .nextPlace
    case .all, .brokers, .first: step = .anew
    }
    hasOtherAddresses = false
    return isUnderWay
  }

  /// The next attempt is for another address or another broker of this round.
  var isUnderWay: Bool { step == .nextAddress || step == .nextPlace }

  /// An attempt is made; the answer is the place that it is for.
  mutating func take(from turn: Int) -> Int {
    defer { step = .again }
    switch step {
    case .again: choice = .again
    case .nextAddress: choice = .next
    case .nextPlace, .anew: choice = .first
    }
    return step == .nextPlace ? turn + 1 : step == .anew ? 0 : turn
  }

  /// The session at another place; `session` is that of the present one.
  mutating func exchange(_ session: BrokerSession, at turn: Int, for settings: BrokerSettings)
    -> BrokerSession
  {
    sessions[turn] = session
    if var known = sessions.removeValue(forKey: settings.turn) {
      known.configured(settings, isOther: false)
      return known
    }
    var new = BrokerSession()
    new.configured(settings, isOther: true)
    if isStale { new.clear(settings) }
    return new
  }

  /// The present broker takes messages now: the others do not get them, which is no loss of theirs.
  mutating func connected() {
    for turn in sessions.keys { sessions[turn]?.placeLook.publishedElsewhere() }
  }
}

extension ConnectionMachine {
  /// Before an attempt: the settings become those of the place that it is for.
  mutating func takeTurn(at now: Instant) -> [Action] {
    guard var settings else { return [] }
    let before = settings.turn
    settings.turn = round.take(from: before)
    status.mqtt.place = settings.places[settings.turn]
    guard settings.turn != before else { return [] }
    self.settings = settings
    // The cause shown is that of the other one.
    status.show(nil, at: now)
    history.forgetIPv6()
    // Its messages have to go to the other broker.
    let actions = dropClient()
    session = round.exchange(session, at: before, for: settings)
    return actions
  }

  /// An attempt of this round has failed, and others follow or are being made.
  var isRoundUnderWay: Bool {
    switch state {
    case .waiting: round.isUnderWay
    case .trying: round.choice == .next || settings.map { $0.turn > 0 } ?? false
    case .off, .idle, .failing, .online, .closing: false
    }
  }

  /// Whether to report it. False: the last one reported of this broker was the same.
  mutating func isNews(_ cause: BrokerCause) -> Bool { history.isNews(cause, of: settings?.turn ?? 0) }

  /// Other brokers of the list, or other addresses of the name, may still be tried in this round.
  var hasOthersToTry: Bool {
    round.hasOtherAddresses || settings.map { $0.turn + 1 < $0.places.count } ?? false
  }
}

extension BrokerCause {
  /// Whether another address of the same name may do better: the same broker would say the same again.
  fileprivate var differsByAddress: Bool { differsByPlace && !isVerdict && self != .clientIDInUse }

  /// Whether another broker may do better.
  fileprivate var differsByPlace: Bool {
    switch self {
    case .switchedOff, .settingsChanged, .askedAnew, .portIsZero, .hostMissing, .settingRefused,
      .routeChanged,
      .fileUnreadable, .fileUnusable, .keyMismatch:
      false
    default: true
    }
  }
}
