import Model
import Timebase

/// The broker. What it takes has reached the world: consumers see it at that moment.
struct Server {
  var isUp = true
  var refusesCredentials = false
  /// What it says of its receive maximum, MQTT 5; nil: it says nothing.
  var receiveMaximum: Int?
  /// Of topics, MQTT 5; 0: it knows none.
  var aliasMaximum = 0
  /// The level of MQTT that it speaks at most, and what it makes of another one.
  var level = 5
  var refusal = Refusal.says
  /// It has no address of IPv4.
  var isIPv6Alone = false
  private var connection: Int?
  /// It takes what comes on this connection, and says nothing of it any more.
  var mute: Int?
  /// It reads nothing for a while; the kernel takes it all.
  private(set) var isPaused = false
  /// How often that began or ended.
  private(set) var pauses = 0
  private var unread: [Packet] = []
  /// By the name that the client has given.
  private var sessions: [String: Session] = [:]
  /// A filter over which it ends the connection, as some do where rights forbid it.
  var forbidden: String?
  /// On this connection, as far as its client has not heard of it.
  var turnedAway: [Message] = []
  /// It takes one message in this many seconds; nil: there is no quota.
  var quota: Span?
  private var nextTaken = Instant.zero
  /// A topic of which it takes nothing for now.
  var heldTopic: String?
  /// Messages over which it ends the connection, and until when.
  private var forbiddenMessages: [Ledger.Content: Instant] = [:]
  /// Numbers of QoS 2 messages that the session knows: their repeats are not new.
  private var known: Set<Name> = []

  /// How a broker says that it does not speak a level.
  enum Refusal { case says, closes, keepsSilent }

  var isSilentAtOtherLevels: Bool { level < 5 && refusal == .keepsSilent }

  /// A number means a message only to the process that gave it.
  private struct Name: Hashable {
    var sender: Int
    var number: Int
  }

  /// `wanted`: by people who know it; 0: they leave it to the board.
  mutating func learn(_ wanted: Int, _ dice: inout Dice) {
    let (isOld, kind) = (dice.chance(0.3), dice.pick([Refusal.says, .closes, .keepsSilent]))
    (level, refusal) = (isOld && wanted != 5 ? 4 : 5, kind)
  }

  func speaks(_ level: Int) -> Bool { level <= self.level }
  func isOpen(_ connection: Int) -> Bool { isUp && self.connection == connection }

  mutating func accept(_ connection: Int) { (self.connection, turnedAway) = (connection, []) }
  mutating func close() { connection = nil }
  mutating func forgetSession() {
    known = []
    sessions = [:]
  }

  // MARK: What it leaves lying

  mutating func pause() {
    guard !isPaused else { return }
    isPaused = true
    pauses += 1
  }

  /// What it finds when it goes on.
  mutating func goOn() -> [Packet] {
    guard isPaused else { return [] }
    isPaused = false
    pauses += 1
    defer { unread = [] }
    return unread
  }

  mutating func leaveUnread(_ packet: Packet) { unread.append(packet) }

  // MARK: What it delivers

  /// CONNECT; whether there was a session. From here on there is one, but for a clean one, which ends with its connection.
  mutating func greet(_ name: String, isClearing: Bool) -> Bool {
    guard !isClearing else {
      sessions[name] = nil
      return false
    }
    defer { sessions[name] = sessions[name] ?? Session() }
    return sessions[name] != nil
  }

  mutating func subscribe(_ name: String, to filter: String) { sessions[name]?.filters.insert(filter) }

  /// Whether somebody is subscribed: then it is kept until they have it.
  mutating func keep(_ order: Order, for name: String) -> Bool {
    guard sessions[name]?.filters.contains(order.topic) == true else { return false }
    sessions[name]?.waiting.append(order)
    return true
  }

  func waiting(for name: String) -> [Order] { sessions[name]?.waiting ?? [] }

  mutating func acknowledged(_ order: Order, by name: String) {
    sessions[name]?.waiting.removeAll { $0.number == order.number }
  }

  // MARK: What it takes

  mutating func isOverQuota(at now: Instant) -> Bool {
    guard let quota else { return false }
    guard now >= nextTaken else { return true }
    nextTaken = now + quota
    return false
  }

  mutating func forbid(_ message: Message, until end: Instant) {
    forbiddenMessages[Ledger.Content(topic: message.topic, payload: message.payload)] = end
  }

  func forbids(_ message: Message, at now: Instant) -> Bool {
    guard !forbiddenMessages.isEmpty else { return false }
    let end = forbiddenMessages[Ledger.Content(topic: message.topic, payload: message.payload)]
    return end.map { now < $0 } ?? false
  }

  mutating func allowAll() { (quota, heldTopic, forbiddenMessages) = (nil, nil, [:]) }

  /// Whether the message is new to the world.
  mutating func take(_ message: Message, number: Int, from sender: Int, isRepeated: Bool) -> Bool {
    guard message.qos == 2 else { return true }
    return known.insert(Name(sender: sender, number: number)).inserted || !isRepeated
  }
}
