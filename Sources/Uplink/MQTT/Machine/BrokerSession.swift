import Timebase

/// The session that the broker keeps for our client id, and the kind of client object needed next.
///
/// An object serves all connections of a session. If the session must not be continued, an object is made first that
/// connects with a clean session and leaves at once: the broker has then forgotten the old one.
package struct BrokerSession {
  private enum Object {
    case none
    case usual
    /// Only there to clear the session.
    case clearing
  }

  private enum Remains {
    case ours
    /// They have to be cleared first.
    case stale
  }

  private var object = Object.none
  private var remains = Remains.ours
  /// Another protocol level than the settings', while only that keeps too large packets away.
  private var levelInstead: Int?
  private(set) var level = BrokerLevel()
  /// The wanted subscriptions, and which of them the broker has granted.
  package private(set) var subscriptions = BrokerSubscriptions()
  var roundTrip = RoundTrip()
  var echo = CommandEcho()
  var placeLook = PlaceLook()
  var qosLimit = QoSLimit()
  /// The object would send on with a QoS that the broker does not take.
  private var isQoSOutdated = false
  /// The broker says that nothing may be published on the topic of locations; so until it takes one there, over
  /// connections and whatever people say.
  var isPublishForbidden = false

  /// Whether there is a client object.
  package var hasObject: Bool { object != .none }
  /// Whether it is one that is only there to clear the session.
  package var isClearing: Bool { object == .clearing }
  var isAtOtherLevel: Bool { levelInstead != nil }

  // MARK: Settings

  /// `isOther`: another broker, another client id, other subscriptions: earlier requests no longer count.
  mutating func configured(_ settings: BrokerSettings, isOther: Bool) {
    if isOther { subscriptions = BrokerSubscriptions(settings.subscriptions, own: settings.ownFilters) }
    roundTrip.configured(isWanted: settings.trials.isRoundTripWanted, isOther: isOther)
    echo.configured(isWanted: settings.trials.isEchoWanted, isOther: isOther)
    placeLook.configured(
      isWanted: settings.trials.isPlaceLookWanted, retainsPlaces: settings.delivery.retainsLocations,
      isOther: isOther)
    if isOther { (isPublishForbidden, qosLimit) = (false, QoSLimit()) }
  }

  /// The session at the broker must not be continued, if the broker keeps one.
  mutating func clear(_ settings: BrokerSettings?) {
    remains = settings?.isSessionClean == false ? .stale : .ours
    // The granted subscriptions go with it.
    subscriptions.sessionInDoubt()
    placeLook.sessionCleared()
  }

  mutating func cleared() { (remains, object) = (.ours, .none) }

  /// Another broker may be meant, or another level.
  mutating func returnToLevel() { (levelInstead, level) = (nil, BrokerLevel()) }

  // MARK: The object

  /// An object is made; returns the parameters for it.
  mutating func make(_ settings: BrokerSettings, at now: Instant) -> (level: Int, isSessionClean: Bool) {
    object = remains == .stale && !settings.isSessionClean ? .clearing : .usual
    let level = level.choose(levelInstead ?? settings.protocolLevel, at: now)
    return (level, settings.isSessionClean || isClearing)
  }

  /// The object is one of a level that the broker may have outgrown.
  func isLevelOutdated(at now: Instant) -> Bool { level.isOutdated(at: now) }

  /// The broker has answered CONNECT. One of these two codes means that it does not speak the level.
  mutating func greeted(_ answer: BrokerClient.Greeting, at now: Instant) {
    if ![1, 0x84].contains(answer.code) { level.greeted(at: now) }
  }

  /// See `BrokerLevel.failed`.
  mutating func levelFailed(_ cause: BrokerCause) -> (isOther: Bool, isAtOnce: Bool) { level.failed(cause) }

  /// False: there was none.
  mutating func drop() -> Bool {
    defer { (object, isQoSOutdated) = (.none, false) }
    return hasObject
  }

  // MARK: Filters

  /// The filters to ask for at the greeting. Each is to be answered by `asked` or `impossible`.
  package mutating func filters(after greeting: BrokerClient.Greeting, at now: Instant) -> [String] {
    guard greeting.code == 0, !isClearing else { return [] }
    subscriptions.connected(isSessionPresent: greeting.isSessionPresent)
    roundTrip.connected(level: level.spoken)
    echo.connected(level: level.spoken, at: now)
    return subscriptions.due(at: now)
  }

  /// The same for those that have become due on a connection that stands.
  package mutating func dueFilters(at now: Instant) -> [String] { subscriptions.due(at: now) }

  /// A filter was asked for, with a SUBSCRIBE of this number.
  package mutating func asked(_ filter: String, number: Int32) { subscriptions.asked(filter, number: number) }
  mutating func impossible(_ filter: String, at now: Instant) { subscriptions.impossible(filter, at: now) }

  /// SUBACK: a code for each filter.
  package mutating func answered(_ number: Int32, _ codes: [Int32], at now: Instant) {
    subscriptions.answered(number, codes, at: now)
    roundTrip.answered(number, codes, at: now)
    placeLook.answered(number, codes, at: now)
  }

  /// CONNECT may have reached the broker, and its greeting has not reached us.
  mutating func isInDoubt() { subscriptions.sessionInDoubt() }

  /// A person wants another connection: all filters are requested on it.
  mutating func forgiveFilters() { subscriptions.forgive() }

  /// A person has looked after the filters that were left out.
  package mutating func forgive(at now: Instant) {
    subscriptions.forgive()
    roundTrip.forgive()
    echo.forgive(at: now)
    placeLook.forgive()
  }

  /// A filter or a command to ourselves is unanswered, which may be why the broker ends the connection.
  func isPerhapsOverFilter(hasMessages: Bool) -> Bool {
    subscriptions.isUnanswered && !hasMessages || roundTrip.isUnanswered || echo.isUnanswered
      || placeLook.isUnanswered
  }

  /// The library would at once resend a message that the last connection may have ended over, or that has to wait now.
  var isObjectSpent: Bool { subscriptions.isCareful || echo.hasEnded || isQoSOutdated }

  /// Not by our own will.
  mutating func ended(
    over cause: BrokerCause, _ evidence: ConnectionMachine.Evidence, at now: Instant
  ) {
    let isStuck = if case .notAcknowledging = cause { true } else { false }
    let isByBroker = cause.isTheBrokers
    isQoSOutdated = qosLimit.ended(isByBroker: isByBroker, isStuck: isStuck, isOwed: evidence.isOwedTwo)
    ended(isByBroker: isByBroker, hasMessages: evidence.hasMessages, at: now)
  }

  /// See `BrokerSubscriptions.ended`.
  mutating func ended(isByBroker: Bool, hasMessages: Bool, at now: Instant) {
    subscriptions.ended(isByBroker: isByBroker, hasMessages: hasMessages, at: now)
    roundTrip.ended(isByBroker: isByBroker, at: now)
    echo.ended(isByBroker: isByBroker)
    placeLook.ended(isByBroker: isByBroker, at: now)
  }

  // MARK: Too much

  /// After a packet that was rejected. It comes again with the next subscription, or waits in the session: so first the
  /// strangers' filters are left out, then MQTT 5 is tried, which can announce our maximum packet size, and at last
  /// nothing is subscribed for a while. True: the next attempt need not wait.
  mutating func reachForLess(_ settings: BrokerSettings?, at now: Instant) -> Bool {
    clear(settings)
    if subscriptions.reachesOthers {
      subscriptions.overran(evenOwn: false, at: now)
    } else if levelInstead == nil, let level = settings?.protocolLevel, (1..<5).contains(level) {
      levelInstead = 5
    } else {
      giveUpOtherLevel(at: now)
      return true
    }
    return false
  }

  /// The broker does not speak MQTT 5, or speaks it and sends too much all the same. What it says to MQTT 5 is no
  /// verdict on what comes next.
  mutating func giveUpOtherLevel(at now: Instant) {
    levelInstead = nil
    subscriptions.overran(evenOwn: true, at: now)
  }
}
