import Glibc
import Timebase
import Uplink

/// The board tries to connect neither too often nor too rarely, by what road and broker have seen of it.
///
/// Waits grow from 2 to 64 s, each up to a fifth longer; who has nothing new to say keeps to that.
struct Attempts: Judge {
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

  mutating func saw(_ what: Seen, in world: World) {
    let now = world.now
    switch what {
    case .line(.renewed): self = Self()
    case .line(.configured(let settings)): configured(settings, after: world.client.machine.settings)
    case .line(.attempt(let isIPv4Forced)):
      world.complain(begins(isIPv4Forced: isIPv4Forced, level: world.client.level, at: now))
    case .line(.cleared): hasCleared = true
    case .line(.stands): stands(at: now)
    case .line(.ends(let cause)):
      let isBroken = [BrokerCause.closedByBroker, .reset].contains(cause)
      let death = Death(
        isUnexplained: isBroken && world.client.isOverNothing, isClosed: cause == .closedByBroker)
      end(isVerdict: cause == .badCredentials, death, at: now)
    case .line(.hurries(let isAsked)): mayHurry(isAsked: isAsked)
    case .line(.disturbed): disturbed(at: now)
    case .line(.explained): forgive()
    case .second: look(world)
    default: break
    }
  }

  private mutating func look(_ world: World) {
    let (line, client) = (world.line, world.client)
    let isUp = world.working != nil
    let isWayGood = line.wire.isUp && line.wire.latency < 0.3
    let isBrokerGood =
      world.isBrokerThere && !line.server.isPaused && !line.server.refusesCredentials
      && line.server.forbidden == nil
    let isGood =
      isUp && isWayGood && isBrokerGood && world.configuration.broker.port != 0 && !client.isTold
    let isUnderWay = [.resolving, .opening, .greeting].contains(client.machine.phase)
    if isUp, client.machine.phase == .waiting { world.complain(lookAtWait(at: world.now)) }
    // Its silence is an answer to a level of MQTT, too.
    let further = line.server.isSilentAtOtherLevels ? 65.0 : 0
    world.complain(look(isGood: isGood, isUnderWay: isUnderWay, further: further, at: world.now))
  }

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

  /// One message explains the ends that were.
  private mutating func forgive() { (unexplained, meetings, pause) = (0, 0, 0) }

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

  /// `isVerdict`: a next attempt would be told the same. `death`: where it stood.
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
