import Glibc
import Loop
import Model
import OwnTracks
import Timebase

@testable import Adapters

/// A `Broker` on its own loop in a directory of its own, with what it posted.
final class BrokerScene {
  let loop: EventLoop
  let worker: Worker
  let directory: String
  var broker: Broker!
  var events: [Broker.Event] = []
  var configuration = Configuration()
  private var processes: [Process] = []
  private var hasMosquitto = false

  init(port: Int) throws {
    loop = try EventLoop()
    worker = try Worker(loop: loop, name: "broker")
    var template = Array("/tmp/homeward-broker-XXXXXX".utf8CString)
    directory = String(cString: mkdtemp(&template))
    configuration.username = "jane"
    configuration.deviceId = "pi"
    configuration.host = "127.0.0.1"
    configuration.port = port
    configuration.tls = false
    configuration.auth = false
    broker = Broker(
      loop: loop, worker: worker, random: { 0 }, post: { [unowned self] in events.append($0) })
  }

  deinit {
    broker = nil
    for process in processes { process.kill() }
    worker.finish()
    _ = try? run("rm", "-rf", directory)
  }

  var topics: Topics { Topics(configuration, hostName: "board") }

  var settings: BrokerSettings {
    let will = Message(
      topic: topics.base, payload: Array(#"{"_type":"lwt","tst":1700000000}"#.utf8),
      qos: configuration.pubQos, isRetained: false, isEvent: false, time: 1_700_000_000)
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
  func runs(_ seconds: Double = 10, until isSo: () -> Bool) -> Bool {
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

  // MARK: What was posted

  var acknowledged: [UInt64] {
    events.flatMap { event -> [UInt64] in
      if case .acknowledged(let sequences) = event { sequences } else { [] }
    }
  }

  var failed: [UInt64] {
    events.compactMap { if case .sendFailed(let sequence) = $0 { sequence } else { nil } }
  }

  var postponed: [UInt64] {
    events.compactMap { if case .postponed(let sequence, _) = $0 { sequence } else { nil } }
  }

  var refused: [UInt64] {
    events.compactMap { if case .refused(let sequence, _) = $0 { sequence } else { nil } }
  }

  var lost: [BrokerCause] {
    events.compactMap { if case .lost(let cause) = $0 { cause } else { nil } }
  }

  var sessionsPresent: [Bool] {
    events.compactMap { if case .connected(let isPresent, _) = $0 { isPresent } else { nil } }
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
      listener \(configuration.port) 127.0.0.1
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

  /// Whether something listens on the scene's port, within 5 s. The broker of a run that was killed may have
  /// it still: ours says when it is ready, and never does where the port is taken.
  func isListening() -> Bool {
    runs(5) {
      Self.connects(to: configuration.port)
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
      ["-p", "\(configuration.port)", "-t", "owntracks/#", "-q", "1", "-F", "%t %r %p"] + more
    try spawn(["mosquitto_sub"] + arguments, output: directory + "/messages.txt")
    // It is there when the broker has heard its subscription.
    runs(5) { contents("mosquitto.log").contains("owntracks/# (QoS 1)") }
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

enum SceneError: Error {
  case noFile(String)
  case failed(String)
}

/// A child process, ended by its id.
final class Process {
  let id: pid_t
  private var isWaitedFor = false

  init(_ words: [String], output: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // The threads that run tests block signals, and children would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    guard posix_spawnp(&child, words[0], &actions, &attributes, &arguments, environ) == 0 else {
      throw SceneError.failed(words[0])
    }
    id = child
  }

  func signal(_ number: Int32) { Glibc.kill(id, number) }

  func kill() {
    guard !isWaitedFor else { return }
    // A stopped process takes no other signal.
    signal(SIGCONT)
    signal(SIGTERM)
    var status: Int32 = 0
    for _ in 0..<100 where waitpid(id, &status, WNOHANG) == 0 { usleep(20_000) }
    // mosquitto_sub may wait for ever for a broker that has gone. No harm if it has ended.
    if waitpid(id, &status, WNOHANG) == 0 {
      signal(SIGKILL)
      waitpid(id, &status, 0)
    }
    isWaitedFor = true
  }

  @discardableResult
  func wait() -> Int32 {
    var status: Int32 = 0
    waitpid(id, &status, 0)
    isWaitedFor = true
    return status
  }
}

extension sockaddr_in {
  static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}

/// A listening socket that takes connections and says nothing.
final class SilentPeer {
  let descriptor: Int32

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in.loopback(port)
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0, listen(descriptor, 8) == 0 else { throw SceneError.failed("listen \(port)") }
  }

  deinit { close(descriptor) }
}
