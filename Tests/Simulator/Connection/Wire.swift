import Model
import Timebase

/// What travels between the board and the broker.
struct Packet {
  enum Content {
    case publish(Message, number: Int, isRepeated: Bool)
    case subscribe(filter: String, number: Int32)
    /// Something harmless, to see whether it is answered.
    case question(number: Int32)
    /// The client says goodbye: no will.
    case disconnect
  }

  /// How a broker answers a publish.
  enum Verdict { case accepted, refused, postponed }

  /// What comes from the broker.
  enum Answer {
    case acknowledged(number: Int, Verdict)
    /// SUBACK.
    case confirmed(number: Int32, code: Int32)
    case command(Order)
  }

  var connection: Int
  /// The life of the process that sent it.
  var sender: Int
  /// Its place in the connection's stream.
  var place: Int
  var content: Content
}

/// The way from the board to the broker. TCP keeps the order and repeats what an interruption swallowed;
/// only a connection that is dead loses what was under way.
struct Wire {
  var isUp = true {
    didSet { if isUp != oldValue { changes += 1 } }
  }
  /// How often it has gone and come back.
  private(set) var changes = 0
  /// Seconds, one way.
  var latency = 0.05
  var reordersAcknowledgements = false
  /// A router on the way forgot these: nothing passes any more, and nobody says so.
  private var deadConnections: Set<Int> = []
  /// How many more publishes pass before each of the resets to come.
  var resets: [Int] = []
  /// When the last packet of each direction arrives: the next one comes after it.
  private var lastUp = Instant.zero
  private var lastDown = Instant.zero
  /// Of the present connection: the next place to give, and the next that the broker reads.
  private var nextPlace = 0
  private var nextRead = 0
  private var early: [Int: Packet] = [:]
  /// Waits for the end of an interruption.
  private(set) var held: [Packet] = []
  private(set) var heldAnswers: [(connection: Int, answer: Packet.Answer)] = []

  func isDead(_ connection: Int) -> Bool { deadConnections.contains(connection) }
  mutating func kill(_ connection: Int) { deadConnections.insert(connection) }

  mutating func arrivalUp(at now: Instant, dice: inout Dice) -> Instant {
    lastUp = max(lastUp, now + .seconds(latency * dice.between(0.8, 1.3)))
    return lastUp
  }

  /// Acknowledgements pass each other only where the broker sends them so.
  mutating func arrivalDown(at now: Instant, dice: inout Dice) -> Instant {
    let arrival = now + .seconds(latency * dice.between(0.8, 1.3))
    if reordersAcknowledgements { return arrival + .seconds(dice.between(0, 3)) }
    lastDown = max(lastDown, arrival)
    return lastDown
  }

  /// Another publish is under way.
  mutating func isResetDue() -> Bool {
    guard let next = resets.first else { return false }
    resets[0] = next - 1
    if next <= 1 { resets.removeFirst() }
    return next <= 1
  }

  mutating func begin() {
    (nextPlace, nextRead, early) = (0, 0, [:])
  }

  mutating func place() -> Int {
    defer { nextPlace += 1 }
    return nextPlace
  }

  /// What can be read now that this has come: TCP gives nothing out of order.
  mutating func inOrder(_ packet: Packet) -> [Packet] {
    early[packet.place] = packet
    var ready: [Packet] = []
    while let next = early.removeValue(forKey: nextRead) {
      ready.append(next)
      nextRead += 1
    }
    return ready
  }

  mutating func hold(_ packet: Packet) { held.append(packet) }
  mutating func hold(_ connection: Int, _ answer: Packet.Answer) { heldAnswers.append((connection, answer)) }

  mutating func release() -> [Packet] {
    defer { held = [] }
    return held
  }

  mutating func releaseAnswers() -> [(connection: Int, answer: Packet.Answer)] {
    defer { heldAnswers = [] }
    return heldAnswers
  }

  /// Faults end: everything flows.
  mutating func recover() {
    isUp = true
    latency = 0.05
    reordersAcknowledgements = false
    resets = []
  }
}
