import Glibc
import Loop
import Model
import OwnTracks
import TestSupport
import Timebase

@testable import Uplink

/// A `Broker` on its own loop in a directory of its own, with what it posted.
final class BrokerScene {
  let loop: EventLoop
  let worker: Worker
  let directory: String
  var broker: Broker!
  var events: [UplinkEvent] = []
  var configuration = Configuration()
  private var processes: [Process] = []
  private var hasMosquitto = false

  /// `port`: that of the broker; nil: one that nobody uses.
  init(port: Int? = nil) throws {
    loop = try EventLoop()
    worker = try Worker(loop: loop, name: "broker")
    var template = Array("/tmp/homeward-broker-XXXXXX".utf8CString)
    directory = String(cString: mkdtemp(&template))
    configuration.identity.username = "jane"
    configuration.identity.deviceId = "pi"
    configuration.broker.host = "127.0.0.1"
    configuration.broker.port = port ?? FreePort.take()
    // What is left to the broker is the business of `BrokerLevelTests`.
    configuration.broker.protocolLevel = 4
    // Likewise that of `RoundTripTests`.
    configuration.broker.roundTrip = false
    // And that of `PlaceLookTests`.
    configuration.queue.resendLost = 0
    configuration.tls.isOn = false
    configuration.login.auth = false
    broker = Broker(
      loop: loop, worker: worker, random: { 0 }, post: { [unowned self] in events.append($0) })
  }

  deinit {
    broker = nil
    for process in processes { process.kill() }
    worker.finish()
    _ = try? run("rm", "-rf", directory)
  }

  var port: Int { configuration.broker.port }

  var topics: Topics { Topics(configuration, hostName: "board") }

  var settings: BrokerSettings {
    let will = Message(
      topic: topics.base, payload: Array(#"{"_type":"lwt","tst":1700000000}"#.utf8),
      qos: configuration.messages.qos, isRetained: false, isEvent: false, time: 1_700_000_000)
    return BrokerSettings(configuration, topics: topics, will: will)
  }

  func start() { broker.configure(settings) }

  func message(_ sequence: UInt64, qos: Int = 1, suffix: String = "", text: String? = nil) -> Message {
    Message(
      sequence: sequence, topic: topics.base + suffix, payload: Array((text ?? "m\(sequence)").utf8),
      qos: qos,
      isRetained: false, isEvent: false, time: 0)
  }

  // MARK: Time

  /// Runs the loop until it is so, for `seconds` at most; the answer is whether it became so.
  @discardableResult
  func runs(_ seconds: Double = generous, until isSo: () -> Bool) -> Bool {
    let deadline = SystemClock.read().instant + .seconds(seconds)
    while !isSo() {
      guard SystemClock.read().instant < deadline else { return false }
      loop.runOnce(within: .milliseconds(20))
    }
    return true
  }

  /// What a lost network does, seen at once.
  func cut() {
    if let client = broker.client { shutdown(client.socket, Int32(SHUT_RDWR)) }
  }

  var isConnected: Bool { broker.status.connectedSince != nil }

  /// Connected, and every filter's answer has reached the client. What the broker's log says of a SUBACK it says ahead
  /// of sending it, and a connection that ends over an unanswered filter gives back what it carried.
  var isSubscribed: Bool {
    isConnected && !broker.machine.session.subscriptions.isUnanswered
      && contents("mosquitto.log").contains("Sending SUBACK to jane-pi")
  }

  // MARK: What was posted

  var acknowledged: [UInt64] {
    events.flatMap { event -> [UInt64] in
      if case .acknowledged(let sequences) = event { sequences } else { [] }
    }
  }

  var failed: [UInt64] {
    events.compactMap { if case .sendFailed(let sequence) = $0 { sequence } else { nil } }
  }

  /// Without those that let others pass, of which a broker has none.
  var postponed: [UInt64] {
    events.compactMap {
      if case .postponed(let sequence, _, letsOthersPass: false) = $0 { sequence } else { nil }
    }
  }

  var refused: [UInt64] {
    events.compactMap { if case .refused(let sequence, _) = $0 { sequence } else { nil } }
  }

  var lost: [BrokerCause] {
    events.compactMap { if case .lost(let cause, _) = $0 { cause } else { nil } }
  }

  var sessionsPresent: [Bool] {
    events.compactMap { if case .connected(let hasForgotten, _) = $0 { !hasForgotten } else { nil } }
  }

  // MARK: Processes

  func write(_ name: String, _ text: String) throws -> String {
    let path = directory + "/" + name
    guard let file = fopen(path, "w") else { throw SceneError.noFile(path) }
    fputs(text, file)
    fclose(file)
    return path
  }

  func contents(_ name: String) -> String {
    guard let file = fopen(directory + "/" + name, "r") else { return "" }
    defer { fclose(file) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// mosquitto on the scene's port; its log is `mosquitto.log`, its memory lasts over a restart.
  @discardableResult
  func startMosquitto(_ extra: String = "allow_anonymous true") throws -> Process {
    let text = """
      listener \(configuration.broker.port) 127.0.0.1
      user root
      persistence true
      persistence_location \(directory)/
      log_dest file \(directory)/mosquitto.log
      log_type all
      connection_messages true
      \(extra)

      """
    let path = try write("mosquitto.conf", text)
    hasMosquitto = true
    return try spawn("mosquitto", "-c", path)
  }

  /// Whether something listens on the scene's port, in the end. The broker of a run that was killed may have
  /// it still: ours says when it is ready, and never does where the port is taken.
  func isListening() -> Bool {
    runs {
      Self.connects(to: configuration.broker.port)
        && (!hasMosquitto || contents("mosquitto.log").contains(" running"))
    }
  }

  static func connects(to port: Int) -> Bool {
    let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(probe) }
    var address = sockaddr_in.loopback(port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    } == 0
  }

  /// A subscriber to everything: `messages.txt` gets lines of `topic retained payload`.
  func startSubscriber(_ more: String...) throws {
    let arguments =
      ["-p", "\(configuration.broker.port)", "-t", "owntracks/#", "-q", "1", "-F", "%t %r %p"] + more
    try spawn(["mosquitto_sub"] + arguments, output: directory + "/messages.txt")
    // It is there when the broker has heard its subscription.
    runs { contents("mosquitto.log").contains("owntracks/# (QoS 1)") }
  }

  var heard: [String] { contents("messages.txt").split(separator: "\n").map(String.init) }

  @discardableResult
  func spawn(_ words: String...) throws -> Process { try spawn(words, output: "/dev/null") }

  @discardableResult
  func spawn(_ words: [String], output: String) throws -> Process {
    let process = try Process(words, output: output)
    processes.append(process)
    return process
  }

  func run(_ words: String...) throws {
    let process = try Process(words, output: "/dev/null")
    guard process.wait() == 0 else { throw SceneError.failed(words.joined(separator: " ")) }
  }
}
