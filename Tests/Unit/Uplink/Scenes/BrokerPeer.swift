import Glibc
import Loop
import TestSupport

/// As much of a broker as a test needs, on the test's own loop: it greets, grants subscriptions, answers
/// pings, and does with messages what it is told.
final class ScriptedPeer {
  /// Nil: messages are swallowed.
  var publishReason: UInt8? = 0
  /// Whether anything but CONNECT is answered.
  var isAnswering = true
  /// The answer to CONNECT; nil: the usual one. Empty: it closes instead.
  var greeting: [UInt8]?
  /// Whether it reads at all.
  var isDeaf = false { didSet { watch?.change(to: isDeaf ? [] : .read) } }
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
  private(set) var unsubscribed: [String] = []
  /// All that it was told, each packet without the bytes of its length.
  private(set) var packets: [[UInt8]] = []
  /// It ends the connection when it has said so many bytes on it.
  var cutsAfter: Int?
  /// Whether it takes MQTT 5 where it is offered.
  var takesLevel5 = true
  /// What it says to MQTT 5 where it does not take it; empty: it closes instead.
  var level5Refusal: [UInt8] = [0x20, 2, 0, 1]
  /// Said after each granted subscription.
  var afterGrant: [UInt8] = []
  private(set) var connections = 0
  /// Of the last CONNECT.
  private(set) var levelAsked = 0
  private(set) var greeted: [UInt8] = []
  /// Filters it has granted on this connection.
  private(set) var granted: [String] = []
  /// All that it ever granted, where it keeps sessions.
  private(set) var session: Set<String> = []
  var keepsSession = false
  /// Connections that it has cut.
  private(set) var cuts = 0
  private var said = 0
  private(set) var published = 0
  private(set) var subscribed = 0
  private(set) var hasHeardGoodbye = false
  /// How the last connection ended: 0 as it should, or the first error of writing or reading.
  private(set) var ending: Int32?

  private let loop: EventLoop
  var level: Int
  private let listener: SilentPeer
  private var listening: Watch?
  private var peer: Int32 = -1
  private var watch: Watch?
  private var input: [UInt8] = []

  init(_ loop: EventLoop, port: Int, level: Int = 4) throws {
    self.loop = loop
    self.level = level
    listener = try SilentPeer(port: port)
    listening = loop.watch(listener.descriptor, for: .read) { [weak self] _ in self?.accept() }
  }

  deinit {
    listening?.cancel()
    hangUp()
  }

  func say(_ bytes: [UInt8]) {
    let left = cutsAfter.map { max(0, $0 - said) } ?? bytes.count
    let bytes = Array(bytes.prefix(left))
    said += bytes.count
    defer {
      if let cutsAfter, said >= cutsAfter {
        cuts += 1
        hangUp()
      }
    }
    if send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0 { ending = ending ?? errno }
  }

  func hangUp() {
    watch?.cancel()
    watch = nil
    if peer >= 0 { close(peer) }
    peer = -1
    input = []
  }

  /// Seconds, as the last CONNECT of MQTT 5 asks for them.
  var sessionExpiry: UInt32? {
    // Name, level, flags and keepalive, then the properties, shorter than 128 bytes.
    guard levelAsked == 5, let place = greeted.dropFirst(11).firstIndex(of: 0x11) else { return nil }
    return greeted.dropFirst(place + 1).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Takes a connection and resets it when CONNECT has come, while the loop stands still. The session begins anew
  /// with it.
  func resetNext() {
    let taken = Glibc.accept(listener.descriptor, nil, nil)
    var timeout = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(taken, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var connect = [UInt8](repeating: 0, count: 1024)
    if recv(taken, &connect, connect.count, 0) > 0 { session = [] }
    var hard = linger(l_onoff: 1, l_linger: 0)
    setsockopt(taken, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
    close(taken)
  }

  private func accept() {
    hangUp()
    (said, granted) = (0, [])
    peer = Glibc.accept(listener.descriptor, nil, nil)
    connections += 1
    watch = loop.watch(peer, for: .read) { [weak self] _ in self?.read() }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(peer, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    guard count > 0 else {
      ending = ending ?? (count == 0 ? 0 : errno)
      return hangUp()
    }
    input += buffer[..<count]
    // Packets of tests are shorter than 16 KiB: two bytes of length are enough.
    while input.count >= 2 {
      let isLong = input[1] >= 128
      guard !isLong || input.count >= 3 else { return }
      let length = isLong ? Int(input[1] & 127) + 128 * Int(input[2]) : Int(input[1])
      let start = isLong ? 3 : 2
      guard input.count >= start + length else { return }
      let body = Array(input[start..<(start + length)])
      let kind = input[0]
      input.removeFirst(start + length)
      answer(kind, body)
    }
  }

  private func answer(_ kind: UInt8, _ body: [UInt8]) {
    packets.append([kind] + body)
    if kind == 0x10 { greeted = body }
    if kind == 0x10, let greeting { return greeting.isEmpty ? hangUp() : say(greeting) }
    if kind == 0x10 {
      levelAsked = Int(body[6])
      if levelAsked == 5, !takesLevel5 { return level5Refusal.isEmpty ? hangUp() : say(level5Refusal) }
      return say(level == 5 ? [0x20, 3, keepsSession ? 1 : 0, 0, 0] : [0x20, 2, keepsSession ? 1 : 0, 0])
    }
    if kind & 0xF0 == 0x30 { return message(body) }
    if kind == 0x82 {
      subscribed += 1
      let start = level == 5 ? 3 : 2
      let filter = String(decoding: body.dropFirst(start + 2).dropLast(), as: UTF8.self)
      if filter == hatedFilter { return hangUp() }
      if isAnswering, filter == refusedFilter { return say([0x90, 3, body[0], body[1], 0x80]) }
      if isAnswering {
        granted.append(filter)
        session.insert(filter)
      }
      if let payload = kept[filter] { pass(payload, on: filter, isRetained: true) }
    }
    if kind == 0xA2 {
      let filter = String(decoding: body.dropFirst(4), as: UTF8.self)
      granted.removeAll { $0 == filter }
      unsubscribed.append(filter)
    }
    if kind == 0xE0 {
      hasHeardGoodbye = true
      ending = ending ?? 0
      return hangUp()
    }
    guard isAnswering else { return }
    switch kind {
    case 0x82:
      say(level == 5 ? [0x90, 4, body[0], body[1], 0, 1] : [0x90, 3, body[0], body[1], 1])
      if !afterGrant.isEmpty { say(afterGrant) }
    case 0xC0: say([0xD0, 0])
    default: break
    }
  }

  private func pass(_ payload: [UInt8], on topic: String, isRetained: Bool = false) {
    let body = [0, UInt8(topic.utf8.count)] + Array(topic.utf8) + payload
    say([isRetained ? 0x31 : 0x30, UInt8(body.count)] + body)
  }

  private func message(_ body: [UInt8]) {
    published += 1
    guard isAnswering, let publishReason else { return }
    let topic = Int(body[0]) * 256 + Int(body[1])
    let number = body[(2 + topic)...].prefix(2)
    let name = String(decoding: body[2..<(2 + topic)], as: UTF8.self)
    if level == 4, granted.contains(name), passesOn(name) {
      pass(saysInstead ?? Array(body[(4 + topic)...]), on: name)
    }
    say(level == 5 ? [0x40, 3] + number + [publishReason] : [0x40, 2] + number)
  }
}
