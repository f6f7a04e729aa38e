import Model

/// The broker. What it takes has reached the world: consumers see it at that moment.
struct Server {
  var isUp = true
  var refusesCredentials = false
  /// What it says of its receive maximum, MQTT 5; nil: it says nothing.
  var receiveMaximum: Int?
  private var connection: Int?
  /// Numbers of QoS 2 messages that the session knows: their repeats are not new.
  private var known: Set<Name> = []

  /// A number means a message only to the process that gave it.
  private struct Name: Hashable {
    var sender: Int
    var number: Int
  }

  var isConnected: Bool { connection != nil }
  func isOpen(_ connection: Int) -> Bool { isUp && self.connection == connection }

  mutating func accept(_ connection: Int) { self.connection = connection }
  mutating func close() { connection = nil }
  mutating func forgetSession() { known = [] }

  /// Whether the message is new to the world.
  mutating func take(_ message: Message, number: Int, from sender: Int, isRepeated: Bool) -> Bool {
    guard message.qos == 2 else { return true }
    return known.insert(Name(sender: sender, number: number)).inserted || !isRepeated
  }
}
