import Glibc
import OwnTracks

/// A gpsd that decodes the bytes of a receiver. It is the one that is installed here, as the tracker has it, so that a
/// replay decides on the same positions, times and errors: it is started for this alone, reads the recording from a
/// connection of ours, and ends with it.
final class PrivateGPSD {
  /// Debian keeps it where ordinary users do not look.
  private static let places = [
    "/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd", "/usr/local/bin/gpsd",
  ]
  /// Ends with us whatever becomes of us, and is nobody where we are root: what decodes anybody's bytes needs no
  /// rights, and must not tell the system's clock the time of an old drive.
  private static let wrapper = "/usr/bin/setpriv"

  private let process: pid_t
  /// For those who listen to it.
  let port: UInt16

  /// `receiver` is the port of 127.0.0.1 where it finds the recording.
  init(receiver: UInt16) throws {
    guard let program = Self.places.first(where: { access($0, X_OK) == 0 }) else {
      throw Failure(
        .failed,
        "gpsd is not installed here, and only gpsd says what it makes of a receiver's own bytes: apt-get install "
          + "gpsd, or give what a gpsd elsewhere said of them (FILE.json)")
    }
    port = try Listening().port
    var words = [program, "-N", "-b", "-S", String(port), "tcp://127.0.0.1:\(receiver)"]
    if access(Self.wrapper, X_OK) == 0 {
      let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
      words = [Self.wrapper, "--pdeathsig=KILL"] + (geteuid() == 0 ? nobody : []) + words
    }
    // A segment of shared memory of its own, and no word on the system's bus: neither is the running gpsd's.
    let environment = [
      "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "GPSD_SHM_KEY=\(0x4857_0000 + Int(port))",
      "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent",
    ]
    process = try Self.spawn(words, environment)
  }

  /// Its end, and nothing left behind.
  func end() {
    kill(process, SIGTERM)
    waitpid(process, nil, 0)
  }

  /// Whether it still runs.
  var isAlive: Bool { waitpid(process, nil, WNOHANG) == 0 }

  private static func spawn(_ words: [String], _ environment: [String]) throws -> pid_t {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0)
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, words[0], &files, nil, &arguments, &variables)
    guard failure == 0 else { throw Failure(.failed, "\(words[0]): \(String(cString: strerror(failure)))") }
    return process
  }
}
