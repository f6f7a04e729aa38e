import Glibc
import Timebase

@testable import Receiver

/// The real gpsd with a pseudo terminal for its receiver.
final class GPSDDaemon {
  static let program = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd"].first { (path: String) in
    access(path, X_OK) == 0
  }

  let port = GPSDPeer.freePort()
  let path: String
  private let master: Int32
  private let slave: Int32
  private var process: pid_t = 0
  private var second = 0

  init() {
    var (ours, theirs): (Int32, Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 128)
    openpty(&ours, &theirs, &name, nil, nil)
    (master, slave, path) = (ours, theirs, name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    var raw = termios()
    tcgetattr(slave, &raw)
    cfmakeraw(&raw)
    tcsetattr(slave, TCSANOW, &raw)
    // gpsd gives up being root before it opens its receivers.
    chmod(path, 0o666)
  }

  deinit {
    stop()
    close(slave)
    close(master)
  }

  func start() {
    let words = [Self.program ?? "gpsd", "-N", "-n", "-b", "-S", String(port), path]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    // It must not hold the test's own output open.
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_WRONLY, 0)
    }
    posix_spawn(&process, words[0], &files, nil, &arguments, environ)
  }

  func stop() {
    guard process > 0 else { return }
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    process = 0
  }

  var isListening: Bool {
    guard
      case .connected(let socket)? = GPSDAddress.direct(host: "127.0.0.1", port: port).map({
        GPSDSocket.open($0[0])
      })
    else { return false }
    socket.close()
    return true
  }

  /// One second of a receiver near Paris that moves north: position, quality and the satellites.
  func feed(hasFix: Bool = true) {
    second += 1
    let clock = 43_200 + second
    let hms = two(clock / 3600) + two(clock / 60 % 60) + two(clock % 60) + ".00"
    let minutes = 5_100_000 + second
    let place = "48\(minutes / 100_000).\(String(minutes % 100_000 + 100_000).dropFirst()),N,00221.13300,E"
    let satellites = (1...12).map { two($0) }.joined(separator: ",")
    say("GPRMC,\(hms),\(hasFix ? "A" : "V"),\(hasFix ? place : ",,,"),10.00,0.00,211126,,,A")
    say("GPGGA,\(hms),\(hasFix ? place : ",,,"),\(hasFix ? 1 : 0),12,0.9,35.0,M,46.9,M,,")
    say("GPGSA,A,\(hasFix ? 3 : 1),\(satellites),1.6,0.9,1.3")
    for part in 0..<3 {
      let views = (1...4).map { "\(two(part * 4 + $0)),40,\(100 + part * 40 + $0 * 7),35" }
      say("GPGSV,3,\(part + 1),12,\(views.joined(separator: ","))")
    }
  }

  private func say(_ body: String) {
    let sum = body.utf8.reduce(0, ^)
    let digits = String(sum, radix: 16, uppercase: true)
    let sentence = "$\(body)*\(sum < 16 ? "0" : "")\(digits)\r\n"
    _ = write(master, sentence, sentence.utf8.count)
  }

  private func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}
