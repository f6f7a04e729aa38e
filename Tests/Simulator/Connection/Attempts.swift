import Glibc
import Timebase
import Uplink

/// What the road and the broker have seen of the board's connecting, and what of it must not be. Kept by the world.
///
/// Waits grow from 2 to 64 s, each up to a fifth longer; who has nothing new to say keeps to that.
struct Attempts {
  /// Between the beginnings of two attempts, and the longest wait, seconds.
  private static let (gap, longest) = (2.0, 64.0)
  /// So much longer a wait may be, and so much longer is one for a rival of the same name.
  private static let (jitter, rivalry) = (1.2, 2.0)
  /// For a name, TCP, TLS, the greeting and answers on a good line, a session that is cleared first and another level
  /// of MQTT; seconds.
  private static let handshake = 10.0
  /// An attempt that began before the way was good may last so long: a name server's silence, and a time limit.
  private static let hanging = 65.0
  /// Between two looks, seconds.
  private static let look = 2.0
  /// A connection that lives less has died young; so many in a row are no accident.
  private static let (youth, youngDeaths) = (10.0, 3)

  /// When the last one began, of which level it was, and when it ended.
  private var last: (began: Instant, level: Int)?
  private var ended: Instant?
  /// How many have failed since there was a reason to begin with the shortest wait, but for verdicts.
  private var steps = 0
  /// The broker has said that it does not take this user.
  private var isVerdict = false
  /// There was such a reason while the last one was under way: the next one follows.
  private var isHurried = false
  /// People have set something else: what was before does not count.
  private var isOfOtherSettings = false
  /// A connection has cleared the session: the next one follows at once.
  private var hasCleared = false
  private var stoodSince: Instant?
  private var youngDeaths = 0
  /// Those among them that nothing explains, since there was a reason to begin with the shortest wait.
  private var unexplained = 0
  /// How often the broker was met again since connections keep dying young, and the next wait at the least, seconds.
  private var (meetings, pause) = (0, 0.0)
  /// Since when nothing is in the way of a connection.
  private var goodSince: Instant?

  // MARK: Reasons

  mutating func configured(_ new: BrokerSettings, after old: BrokerSettings?) {
    guard old != new else { return }
    (isOfOtherSettings, goodSince) = (true, nil)
    mayHurry(isAsked: true)
  }

  /// `isAsked`: a person or another network, who are a reason even after a verdict.
  mutating func mayHurry(isAsked: Bool) {
    if isAsked {
      isHurried = true
      forgive()
    }
    if isVerdict, !isAsked { return }
    (steps, isVerdict) = (0, false)
  }

  mutating func disturbed(at now: Instant) { goodSince = nil }

  // MARK: What happens

  /// What is wrong with it. `level`: of MQTT.
  mutating func begins(isIPv4Forced: Bool, level: Int, at now: Instant) -> String? {
    let isAtOnce = ended == now
    let isSame = isAtOnce && (isIPv4Forced || last.map { level < $0.level } ?? false) || hasCleared
    let isFree = isSame || isOfOtherSettings
    let seconds = last.map { (now - $0.began).seconds } ?? .infinity
    let least =
      isVerdict
      ? Self.longest : steps == 0 ? Self.gap : min(Self.longest, Self.gap * pow(2, Double(steps - 1)))
    last = (now, level)
    (isVerdict, isOfOtherSettings, hasCleared, isHurried) = (false, false, false, false)
    // It had not failed for good.
    if isSame { steps = max(0, steps - 1) }
    defer { pause = 0 }
    let wanted = max(Self.gap, least, pause)
    guard !isFree, seconds < wanted - 0.001 else { return nil }
    return "an attempt \(seconds) s after the one before, and it may be made after \(wanted) s"
  }

  mutating func cleared() { hasCleared = true }

  /// One message explains the ends that were.
  mutating func forgive() { (unexplained, meetings, pause) = (0, 0, 0) }

  /// What is known of the end of a connection.
  struct Death {
    /// Nothing was under way that it may be over.
    var isUnexplained = false
    /// As by a broker that lets in another one of the same name.
    var isClosed = false
  }

  /// A rival is met rarely, and a broker that is ill less and less often.
  private mutating func diesYoung(_ death: Death) {
    if death.isUnexplained { unexplained += 1 }
    guard unexplained >= Self.youngDeaths else { return }
    if !death.isClosed { meetings += 1 }
    pause =
      death.isClosed
      ? Self.longest * Self.rivalry : min(Self.longest, Self.gap * pow(2, Double(meetings - 1)))
  }

  mutating func stands(at now: Instant) { (stoodSince, steps, goodSince) = (now, 0, nil) }

  /// `isVerdict`: whoever tries again is told the same. `death`: where it stood.
  mutating func end(isVerdict: Bool, _ death: Death = Death(), at now: Instant) {
    ended = now
    if let since = stoodSince {
      let isYoung = (now - since).seconds < Self.youth
      youngDeaths = isYoung ? youngDeaths + 1 : 0
      isYoung ? diesYoung(death) : forgive()
      (stoodSince, steps, goodSince) = (nil, 0, nil)
      return
    }
    (self.isVerdict, steps) = isHurried ? (false, 0) : (isVerdict, isVerdict ? steps : steps + 1)
    if let good = goodSince, let last, last.began < good, (now - good).seconds < Self.hanging {
      goodSince = now
    }
  }

  /// Once a second, where nothing stands and nothing is tried: whatever is in the way, the next attempt comes.
  mutating func lookAtWait(at now: Instant) -> String? {
    guard let since = ended else { return nil }
    let seconds = (now - since).seconds
    guard seconds > Self.longest * Self.jitter * Self.rivalry + Self.look else { return nil }
    ended = now
    return "no attempt for \(seconds) s after the one before"
  }

  /// Once a second. `isGood`: nothing is in the way; `further`: how long the broker may take beside that, seconds.
  mutating func look(isGood: Bool, isUnderWay: Bool, further: Double, at now: Instant) -> String? {
    guard isGood else {
      goodSince = nil
      return nil
    }
    guard let good = goodSince else {
      goodSince = now
      return nil
    }
    let seconds = (now - good).seconds
    if isUnderWay, let last, last.began < good, seconds < Self.hanging { return nil }
    let wait = Self.longest * Self.jitter * (youngDeaths >= Self.youngDeaths ? Self.rivalry : 1)
    guard seconds > wait + Self.handshake + further else { return nil }
    goodSince = now
    return "nothing is in the way for \(seconds) s, and it does not connect"
  }
}

/// What the tracker is told of the connection: what has changed, and once.
struct ConnectionNews {
  private(set) var isConnected = false
  private var lastLoss: BrokerCause?

  /// Nobody was told of it, and what happened before is no measure any more.
  mutating func stands() { lastLoss = nil }

  mutating func connected() -> String? {
    defer { isConnected = true }
    return isConnected ? "connected, and it was connected" : nil
  }

  mutating func lost(_ cause: BrokerCause) -> String? {
    defer { (isConnected, lastLoss) = (false, cause) }
    return !isConnected && lastLoss?.word == cause.word ? "told again: \(cause)" : nil
  }

  func attempt() -> String? { isConnected ? "an attempt, and the tracker counts on a connection" : nil }
}

/// How long a broker may owe acknowledgements.
struct Patience {
  /// Not sooner, and not later; seconds. And a look.
  private static let (least, most, look) = (45.0, 62.0, 2.0)

  private var lastAcknowledgement = Instant.zero
  /// What it was asked to see whether anything passes, and when that was answered.
  private var question: Int32?
  private var answer: Instant?

  mutating func stands(at now: Instant) { (lastAcknowledgement, question, answer) = (now, nil, nil) }
  mutating func acknowledged(at now: Instant) { (lastAcknowledgement, answer) = (now, nil) }
  mutating func asked(_ number: Int32) { (question, answer) = (number, nil) }
  mutating func answered(_ number: Int32, at now: Instant) { if number == question { answer = now } }

  /// Once a second. `oldest`: when that was sent which is owed longest.
  func look(oldest: Instant, at now: Instant) -> String? {
    let seconds = (now - max(oldest, lastAcknowledgement)).seconds
    if seconds > Self.most + Self.look {
      return "nothing is acknowledged for \(seconds) s, and the connection stands"
    }
    guard let answer, (now - answer).seconds > Self.look, seconds > Self.least + Self.look else { return nil }
    return "the way is open, nothing is acknowledged for \(seconds) s, and the connection stands"
  }

  func isOver(oldest: Instant?, at now: Instant) -> String? {
    guard let oldest else { return "given up, and nothing is owed" }
    let seconds = (now - oldest).seconds
    return seconds < Self.least - 0.001 ? "given up over what is owed for \(seconds) s" : nil
  }
}

/// Which session may be continued.
struct Continuity {
  /// What the broker keeps is of other settings.
  private var isOther = false

  mutating func configured(_ new: BrokerSettings, after old: BrokerSettings?) {
    guard let old else { return }
    if old.will.topic != new.will.topic || old.port != new.port || old.subscriptions != new.subscriptions {
      isOther = true
    }
  }

  /// The broker has read CONNECT. `isPresent`: it goes on with what it knows.
  mutating func connects(isPresent: Bool) -> String? {
    defer { isOther = false }
    return isPresent && isOther ? "what the broker keeps is of other settings, and is gone on with" : nil
  }
}

extension World {
  func complain(_ text: String?) {
    if let text { ledger.complain(.connecting, text, at: now) }
  }

  func judgeConfigured(_ new: BrokerSettings) {
    attempts.configured(new, after: client.machine.settings)
    continuity.configured(new, after: client.machine.settings)
  }

  func judgeAttempt(isIPv4Forced: Bool) {
    complain(news.attempt())
    complain(attempts.begins(isIPv4Forced: isIPv4Forced, level: client.level, at: now))
  }

  func judgeStanding() {
    attempts.stands(at: now)
    news.stands()
    statusWord.stands()
    patience.stands(at: now)
  }

  func judgeEnd(_ cause: BrokerCause) {
    let isOverNothing =
      client.inFlight.isEmpty && !client.subscriptions.missing.contains { $0.gap == .unanswered }
    let death = Attempts.Death(
      isUnexplained: isOverNothing && [.closedByBroker, .reset].contains(cause),
      isClosed: cause == .closedByBroker)
    attempts.end(isVerdict: cause == .badCredentials, death, at: now)
  }

  func judgeGivingUp(_ cause: BrokerCause) {
    guard case .notAcknowledging = cause else { return }
    complain(patience.isOver(oldest: oldestOwed, at: now))
  }

  private var oldestOwed: Instant? { client.inFlight.first { $0.message.qos > 0 }?.sentAt }

  /// Once a second.
  func judgeConnection() {
    rivalLooks()
    judgeStatusWord()
    let isUp = isRunning && tracker != nil && takingUp == nil && !isStopping
    if isUp, client.connection != nil, let oldest = oldestOwed {
      complain(patience.look(oldest: oldest, at: now))
    }
    let isWayGood = wire.isUp && wire.latency < 0.3
    let isBrokerGood =
      isBrokerThere && !server.isPaused && !server.refusesCredentials && server.forbidden == nil
    let isGood = isUp && isWayGood && isBrokerGood && configuration.broker.port != 0 && !news.isConnected
    let isUnderWay = [.resolving, .opening, .greeting].contains(client.machine.phase)
    if isUp, client.machine.phase == .waiting { complain(attempts.lookAtWait(at: now)) }
    // Its silence is an answer to a level of MQTT, too.
    let further = server.isSilentAtOtherLevels ? 65.0 : 0
    complain(attempts.look(isGood: isGood, isUnderWay: isUnderWay, further: further, at: now))
  }
}
