/// What a scripted broker does. Any of it may change while it stands.
struct BrokerScript {
  /// 4 or 5: what it speaks.
  var level = 4
  /// Nil: messages are swallowed.
  var publishReason: UInt8? = 0
  /// Whether anything but CONNECT is answered.
  var isAnswering = true
  /// The answer to CONNECT; nil: the usual one. Empty: it closes instead.
  var greeting: [UInt8]?
  /// It ends the connection when it is asked for this filter.
  var hatedFilter: String?
  /// It answers this filter with a refusal.
  var refusedFilter: String?
  /// Whether what is published there goes to those who have subscribed to that very topic.
  var passesOn: (String) -> Bool = { _ in false }
  /// Said in the place of each message's payload, where it is passed on.
  var saysInstead: [UInt8]?
  /// What it kept is said with each subscription.
  var kept: [String: [UInt8]] = [:]
  /// It ends the connection when it has said so many bytes on it.
  var cutsAfter: Int?
  /// Whether it takes MQTT 5 where it is offered.
  var takesLevel5 = true
  /// What it says to MQTT 5 where it does not take it; empty: it closes instead.
  var level5Refusal: [UInt8] = [0x20, 2, 0, 1]
  /// Said after each granted subscription.
  var afterGrant: [UInt8] = []
  var keepsSession = false
}

/// What a scripted broker was told, and how its connections went.
struct BrokerHearing {
  /// All that it was told, each packet without the bytes of its length.
  var packets: [[UInt8]] = []
  var connections = 0
  /// Connections that it has cut.
  var cuts = 0
  /// How the last connection ended: 0 as it should, or the first error of writing or reading.
  var ending: Int32?
  /// Of the last CONNECT.
  var levelAsked = 0
  var greeted: [UInt8] = []
  var subscribed = 0
  /// Filters it has granted on this connection.
  var granted: [String] = []
  /// All that it ever granted, where it keeps sessions.
  var session: Set<String> = []
  var unsubscribed: [String] = []
  var published = 0
  var hasHeardGoodbye = false

  /// Seconds, as the last CONNECT of MQTT 5 asks for them.
  var sessionExpiry: UInt32? { levelAsked == 5 ? Self.sessionExpiry(greeted) : nil }

  /// The same of each CONNECT, all of MQTT 5.
  var sessionExpiries: [UInt32?] {
    packets.filter { $0.first == 0x10 }.map { Self.sessionExpiry(Array($0.dropFirst())) }
  }

  private static func sessionExpiry(_ body: [UInt8]) -> UInt32? {
    // Name, level, flags and keepalive, then the properties, shorter than 128 bytes.
    guard let place = body.dropFirst(11).firstIndex(of: 0x11) else { return nil }
    return body.dropFirst(place + 1).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}
