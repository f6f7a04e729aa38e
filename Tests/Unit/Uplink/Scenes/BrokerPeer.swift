import Glibc
import Loop
import TestSupport

/// As much of a broker as a test needs, on the test's own loop: it greets, grants subscriptions, answers
/// pings, and does with messages what it is told. What it is told and what it has heard are read as its own.
@dynamicMemberLookup
final class ScriptedPeer {
  /// What it does, as the test wants it.
  private var script = BrokerScript()
  /// What it was told, and how its connections went.
  private var heard = BrokerHearing()
  /// Whether it reads at all.
  var isDeaf = false { didSet { watch?.change(to: isDeaf ? [] : .read) } }
  private var said = 0

  private let loop: EventLoop
  private let listener: SilentPeer
  private var listening: Watch?
  private var peer: Int32 = -1
  private var watch: Watch?
  private var input: [UInt8] = []

  subscript<Value>(dynamicMember path: WritableKeyPath<BrokerScript, Value>) -> Value {
    get { script[keyPath: path] }
    set { script[keyPath: path] = newValue }
  }

  subscript<Value>(dynamicMember path: KeyPath<BrokerHearing, Value>) -> Value { heard[keyPath: path] }

  init(_ loop: EventLoop, port: Int, level: Int = 4) throws {
    self.loop = loop
    script.level = level
    listener = try SilentPeer(port: port)
    listening = loop.watch(listener.descriptor, for: .read) { [weak self] _ in self?.accept() }
  }

  deinit {
    listening?.cancel()
    hangUp()
  }

  func say(_ bytes: [UInt8]) {
    let left = script.cutsAfter.map { max(0, $0 - said) } ?? bytes.count
    let bytes = Array(bytes.prefix(left))
    said += bytes.count
    defer {
      if let most = script.cutsAfter, said >= most {
        heard.cuts += 1
        hangUp()
      }
    }
    if send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0 { heard.ending = heard.ending ?? errno }
  }

  func hangUp() {
    watch?.cancel()
    watch = nil
    if peer >= 0 { close(peer) }
    peer = -1
    input = []
  }

  /// Takes a connection and resets it when CONNECT has come, while the loop stands still. The session begins anew with
  /// it.
  func resetNext() {
    let taken = Glibc.accept(listener.descriptor, nil, nil)
    var timeout = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(taken, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var connect = [UInt8](repeating: 0, count: 1024)
    if recv(taken, &connect, connect.count, 0) > 0 { heard.session = [] }
    var hard = linger(l_onoff: 1, l_linger: 0)
    setsockopt(taken, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
    close(taken)
  }

  private func accept() {
    hangUp()
    (said, heard.granted) = (0, [])
    peer = Glibc.accept(listener.descriptor, nil, nil)
    heard.connections += 1
    watch = loop.watch(peer, for: .read) { [weak self] _ in self?.read() }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(peer, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    guard count > 0 else {
      heard.ending = heard.ending ?? (count == 0 ? 0 : errno)
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
    heard.packets.append([kind] + body)
    if kind == 0x10 { return greet(body) }
    if kind & 0xF0 == 0x30 { return message(body) }
    if kind == 0x82 {
      heard.subscribed += 1
      let start = script.level == 5 ? 3 : 2
      let filter = String(decoding: body.dropFirst(start + 2).dropLast(), as: UTF8.self)
      if filter == script.hatedFilter { return hangUp() }
      if script.isAnswering, filter == script.refusedFilter { return say([0x90, 3, body[0], body[1], 0x80]) }
      if script.isAnswering {
        heard.granted.append(filter)
        heard.session.insert(filter)
      }
      if let payload = script.kept[filter] { pass(payload, on: filter, isRetained: true) }
    }
    if kind == 0xA2 {
      let filter = String(decoding: body.dropFirst(4), as: UTF8.self)
      heard.granted.removeAll { $0 == filter }
      heard.unsubscribed.append(filter)
    }
    if kind == 0xE0 {
      heard.hasHeardGoodbye = true
      heard.ending = heard.ending ?? 0
      return hangUp()
    }
    guard script.isAnswering else { return }
    switch kind {
    case 0x82:
      say(script.level == 5 ? [0x90, 4, body[0], body[1], 0, 1] : [0x90, 3, body[0], body[1], 1])
      if !script.afterGrant.isEmpty { say(script.afterGrant) }
    case 0xC0: say([0xD0, 0])
    default: break
    }
  }

  private func greet(_ body: [UInt8]) {
    heard.greeted = body
    if let greeting = script.greeting { return greeting.isEmpty ? hangUp() : say(greeting) }
    heard.levelAsked = Int(body[6])
    if heard.levelAsked == 5, !script.takesLevel5 {
      return script.level5Refusal.isEmpty ? hangUp() : say(script.level5Refusal)
    }
    let flags: UInt8 = script.keepsSession ? 1 : 0
    say(script.level == 5 ? [0x20, 3, flags, 0, 0] : [0x20, 2, flags, 0])
  }

  private func pass(_ payload: [UInt8], on topic: String, isRetained: Bool = false) {
    let body = [0, UInt8(topic.utf8.count)] + Array(topic.utf8) + payload
    say([isRetained ? 0x31 : 0x30, UInt8(body.count)] + body)
  }

  private func message(_ body: [UInt8]) {
    heard.published += 1
    guard script.isAnswering, let reason = script.publishReason else { return }
    let topic = Int(body[0]) * 256 + Int(body[1])
    let number = body[(2 + topic)...].prefix(2)
    let name = String(decoding: body[2..<(2 + topic)], as: UTF8.self)
    if script.level == 4, heard.granted.contains(name), script.passesOn(name) {
      pass(script.saysInstead ?? Array(body[(4 + topic)...]), on: name)
    }
    say(script.level == 5 ? [0x40, 3] + number + [reason] : [0x40, 2] + number)
  }
}
