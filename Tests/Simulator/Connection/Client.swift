import Model
import Timebase
import Uplink

/// The MQTT connection: the shipped machine decides about it, and here is what `Broker` and libmosquitto keep for it.
/// What was sent and is not acknowledged stays with the client over connections, and is sent again first.
struct Client {
  typealias Alarm = ConnectionMachine.Alarm

  struct InFlight {
    var number: Int
    var message: Message
    /// World's time.
    var sentAt: Instant
  }

  /// On the way from the decision to connect to the broker's greeting.
  enum Step {
    /// The worker has looked the host up.
    case resolved
    /// TCP stands, or it does not.
    case reached
    /// The broker reads CONNECT.
    case connectArrives
    case greetingArrives
    /// The port was asked what it speaks.
    case portLooked(BrokerSettings)
  }

  /// What becomes of CONNECT.
  enum Greeting: Equatable {
    case none
    case underWay(isSessionPresent: Bool)
    /// Cut before it arrived, or its answer before that did.
    case lost
  }

  /// What an interruption may cost, before the kernel gives a connection up, seconds: TCP's time-out for what was sent,
  /// and the same after a ping of keepalive for what was not.
  static let sentTimeout = 20.0
  static let idleTimeout = 80.0
  /// Before libmosquitto does, of which nothing is heard though TCP stands.
  static let pingTimeout = 120.0
  /// Before what came back at once is sent again on the same connection, seconds.
  static let pause = 0.9

  var machine: ConnectionMachine
  private var alarms: [Alarm: Instant] = [:]
  /// Plans made for an earlier attempt are void.
  private(set) var turn: Int

  // The client object
  /// Of MQTT.
  private(set) var level = 5
  private(set) var inFlight: [InFlight] = []
  /// The same as the shipped client keeps it.
  private var table = BrokerInFlight()
  private var aliases = BrokerAliases()
  private var nextNumber: Int

  // The attempt, or the connection
  /// By the world's number; nil: none stands.
  private(set) var connection: Int?
  var greeting = Greeting.none
  private(set) var isOverIPv6 = false
  var isInHandshake = false
  /// Of the settings and of the broker, as they were when the tracker was told of the connection.
  var windowLimit = 20
  /// On this connection.
  private(set) var confirmed = 0
  /// Under way when it began.
  private(set) var repeated = 0
  var lastHeard = Instant.zero
  private var greetedAt = Instant.zero
  /// The tracker is told that it stands.
  var isTold = false
  /// It takes no message before this.
  private var takesAgain = Instant.zero
  /// When messages came back at once, on this connection, by sequence.
  private var failures: [UInt64: Instant] = [:]

  init(
    after other: Client? = nil, random: @escaping () -> Double = { 0 },
    clockOffset: @escaping (Instant) -> Double = { _ in 0 }
  ) {
    machine = ConnectionMachine(random: random, clockOffset: clockOffset)
    // Neither plans nor numbers of the other one mean this one: the broker knows those that were complete.
    turn = (other?.turn ?? 0) + 1
    nextNumber = other?.nextNumber ?? 1
  }

  // MARK: Questions

  /// What the broker keeps its session under; empty: there is nothing to connect to yet.
  var name: String { machine.settings?.will.topic ?? "" }
  /// What the broker is to deliver, as the shipped client keeps account of it.
  var subscriptions: BrokerSubscriptions { machine.session.subscriptions }
  /// Since when the broker owes an acknowledgement, by the board's clock.
  var owed: Instant? { table.owedSince }

  /// Nothing is under way that an end may be over.
  var isOverNothing: Bool {
    inFlight.isEmpty && !subscriptions.missing.contains { $0.gap == .unanswered }
  }

  var evidence: ConnectionMachine.Evidence {
    ConnectionMachine.Evidence(
      hasMessages: !table.isEmpty, hasUnanswered: table.hasUnanswered, hasAnswers: table.hasAnswers,
      hasAliasOnly: table.hasAliasOnly)
  }

  /// What is wrong with what goes again on a new connection: nobody knows the numbers of an earlier one.
  var wrongAgain: String? {
    table.hasAliasOnly ? "what went out with an alias and no topic is sent again" : nil
  }

  // MARK: Alarms, by the board's clock

  /// Whether it has to be planned.
  mutating func set(_ alarm: Alarm, _ instant: Instant?) -> Bool {
    defer { alarms[alarm] = instant }
    return instant != nil && alarms[alarm] != instant
  }

  func isSet(_ alarm: Alarm) -> Bool { alarms[alarm] != nil }

  /// False: it was set to another time since.
  mutating func rings(_ alarm: Alarm, _ instant: Instant) -> Bool {
    guard alarms[alarm] == instant else { return false }
    alarms[alarm] = nil
    return true
  }

  // MARK: Connecting

  mutating func make(level: Int) { self.level = level }

  mutating func open(isOverIPv6: Bool) {
    turn += 1
    (greeting, isInHandshake, self.isOverIPv6) = (.none, false, isOverIPv6)
  }

  mutating func closeLink() {
    turn += 1
    (alarms[.keepAlive], alarms[.stall], alarms[.subscribe]) = (nil, nil, nil)
  }

  /// The number of the connection that is no more.
  mutating func close() -> Int? {
    defer { connection = nil }
    return connection
  }

  /// The broker has greeted: everything in flight goes again, in order.
  mutating func greeted(_ connection: Int, at now: Instant) -> [InFlight] {
    self.connection = connection
    (confirmed, repeated, failures) = (0, inFlight.count, [:])
    (greetedAt, lastHeard) = (now, now)
    for place in inFlight.indices { inFlight[place].sentAt = now }
    return inFlight
  }

  /// A connection begins, with room for so many topic aliases.
  mutating func begin(aliasMaximum: Int, at moment: Instant) {
    table.sentAgain(at: moment)
    aliases = BrokerAliases(numbers: machine.settings?.aliases ?? [:], maximum: aliasMaximum)
  }

  // MARK: What is given back

  /// The object that knew it is gone.
  mutating func drop() -> [UInt64] {
    // The worker may still have it.
    turn += 1
    inFlight = []
    return table.takeAll()
  }

  /// What the library forgets with the connection.
  mutating func forget() -> [UInt64] {
    aliases = BrokerAliases()
    inFlight.removeAll { $0.message.qos == 0 }
    return table.takeForgotten()
  }

  // MARK: Messages

  mutating func send(_ message: Message, at now: Instant, _ moment: Instant) -> Int {
    nextNumber += 1
    inFlight.append(InFlight(number: nextNumber, message: message, sentAt: now))
    _ = table.add(
      Int32(nextNumber), sequence: message.sequence, topic: message.topic, qos: message.qos,
      isAliasOnly: aliases.alias(for: message.topic)?.isTopicNeeded == false, at: moment)
    return nextNumber
  }

  mutating func takesNothing(until end: Instant) { takesAgain = end }
  func takesNothing(at now: Instant) -> Bool { now < takesAgain }

  /// It comes back at once. What is said of that: it is sent again, but not so soon.
  mutating func failed(_ sequence: UInt64, at now: Instant) -> String? {
    let before = failures.updateValue(now, forKey: sequence)
    guard let seconds = before.map({ (now - $0).seconds }), seconds < Self.pause else { return nil }
    // Who asks without end would be answered without end.
    if seconds == 0 { takesAgain = .zero }
    // The wait may have begun on the connection before. Until then nothing goes: what was asked for next would pass it.
    guard (now - greetedAt).seconds >= Self.pause else { return nil }
    takesAgain = .zero
    return "\(sequence) came back, and is sent again after \(seconds) s"
  }

  /// Nil: answered before.
  mutating func answered(_ number: Int, at now: Instant, _ moment: Instant) -> Message? {
    lastHeard = now
    _ = table.take(Int32(number), at: moment)
    guard let place = inFlight.firstIndex(where: { $0.number == number }) else { return nil }
    confirmed += 1
    return inFlight.remove(at: place).message
  }

  /// Whether the kernel gives up a connection over which nothing passes.
  func isDead(at now: Instant) -> Bool {
    let owed = inFlight.first.map { (now - max($0.sentAt, lastHeard)).seconds } ?? 0
    return owed >= Self.sentTimeout || (now - lastHeard).seconds >= Self.idleTimeout
  }
}
