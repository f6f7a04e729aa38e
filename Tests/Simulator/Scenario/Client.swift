import Model
import OwnTracks
import Timebase
import Uplink

/// The MQTT connection as `Broker` and libmosquitto keep it: what was sent and is not
/// acknowledged stays with the client over connections, and is sent again first.
struct Client {
  enum Phase: Equatable {
    case idle
    case waiting
    case opening
    case connected(Int)
  }

  struct InFlight {
    var number: Int
    var message: Message
    var sentAt: Instant
  }

  /// What an interruption may cost, before the client gives a connection up, seconds: TCP's time-out for
  /// what was sent, keepalive for what was not, and a broker that reads and never answers.
  static let sentTimeout = 20.0
  static let idleTimeout = 80.0
  static let stuckTimeout = 62.0
  /// Before what came back at once is sent again on the same connection, seconds.
  static let pause = 0.9

  private(set) var phase = Phase.idle
  private(set) var inFlight: [InFlight] = []
  private(set) var windowLimit = 20
  /// On this connection.
  private(set) var confirmed = 0
  /// Under way when it began.
  private(set) var repeated = 0
  private var nextNumber = 1
  private var step = 0
  /// Plans made for an earlier phase are void.
  private(set) var turn = 0
  var lastHeard = Instant.zero

  /// What becomes of CONNECT.
  enum Greeting: Equatable {
    case none
    case underWay(isSessionPresent: Bool)
    /// Cut before it arrived, or its answer before that did.
    case lost
  }

  var greeting = Greeting.none
  /// What the broker is to deliver, as the shipped client keeps account of it.
  var subscriptions = BrokerSubscriptions()
  /// Empty: there was no session yet.
  private(set) var name = ""
  /// What the broker keeps under the name is of other settings.
  private(set) var mustClearSession = false
  /// Filters are asked for, and nothing else goes out before the answers.
  var isUnannounced = false
  /// The timer for what was left out.
  var asksAgain: Instant?
  /// It takes no message before this.
  private var takesAgain = Instant.zero
  /// When messages came back at once, on this connection, by sequence.
  private var failures: [UInt64: Instant] = [:]
  private var greetedAt = Instant.zero

  var connection: Int? {
    if case .connected(let connection) = phase { connection } else { nil }
  }

  // MARK: Connecting

  mutating func enter(_ phase: Phase) {
    self.phase = phase
    turn += 1
  }

  /// Seconds to wait before the next attempt; a verdict (credentials) waits longest.
  mutating func backoff(isVerdict: Bool, dice: inout Dice) -> Double {
    let base = isVerdict ? 64 : min(64, 2 * Double(1 << min(step, 10)))
    step += 1
    return base * dice.between(0.8, 1.2)
  }

  /// The broker has greeted: everything in flight goes again, in order.
  mutating func greeted(_ connection: Int, window: Int, at now: Instant) -> [InFlight] {
    enter(.connected(connection))
    step = 0
    windowLimit = window
    (confirmed, repeated, failures) = (0, inFlight.count, [:])
    greetedAt = now
    mustClearSession = false
    asksAgain = nil
    isUnannounced = false
    lastHeard = now
    for place in inFlight.indices { inFlight[place].sentAt = now }
    return inFlight
  }

  /// The connection is over.
  mutating func ended() { enter(.idle) }

  /// A session of its own: another name or broker than before.
  mutating func renewSession(_ topics: Topics) {
    let own = [topics.topic(.command), topics.topic(.listento)].filter(topics.subscriptions.contains)
    subscriptions = BrokerSubscriptions(topics.subscriptions, own: own)
    mustClearSession = !name.isEmpty
    name = topics.base
  }

  /// Another broker, another name: nobody there knows what is in flight.
  mutating func dropInFlight() -> [UInt64] {
    defer { inFlight = [] }
    return inFlight.map(\.message.sequence)
  }

  // MARK: Messages

  mutating func send(_ message: Message, at now: Instant) -> Int {
    nextNumber += 1
    inFlight.append(InFlight(number: nextNumber, message: message, sentAt: now))
    return nextNumber
  }

  mutating func takesNothing(until end: Instant) { takesAgain = end }
  func takesNothing(at now: Instant) -> Bool { now < takesAgain }

  /// It comes back at once. What is said of that: it is sent again, but not so soon.
  mutating func failed(_ sequence: UInt64, at now: Instant) -> String? {
    let before = failures.updateValue(now, forKey: sequence)
    guard let seconds = before.map({ (now - $0).seconds }), seconds < Self.pause else { return nil }
    // Who asks without end would be answered without end.
    takesAgain = .zero
    // The wait may have begun on the connection before.
    guard (now - greetedAt).seconds >= Self.pause else { return nil }
    return "\(sequence) came back, and is sent again after \(seconds) s"
  }

  /// Nil: answered before.
  mutating func answered(_ number: Int, at now: Instant) -> Message? {
    lastHeard = now
    guard let place = inFlight.firstIndex(where: { $0.number == number }) else { return nil }
    confirmed += 1
    return inFlight.remove(at: place).message
  }

  /// Whether the client gives up a connection over which nothing passes, or nothing is answered.
  func isStuck(isPathOpen: Bool, at now: Instant) -> Bool {
    let owed = inFlight.first.map { (now - max($0.sentAt, lastHeard)).seconds } ?? 0
    if owed >= Self.stuckTimeout { return true }
    guard !isPathOpen else { return false }
    return owed >= Self.sentTimeout || (now - lastHeard).seconds >= Self.idleTimeout
  }
}
