import Glibc
import OwnTracks

/// Tries the broker where no daemon does: the daemon's own program connects once, as it would.
struct DaemonProbe {
  var configurationPath: String

  func findings() -> [Finding] {
    guard let program = DaemonProgram.path else {
      return [Finding(.warn, "broker", "not tried: homewardd was not found")]
    }
    guard let answer = answer(of: [program, "--probe", "--config", configurationPath]) else {
      return [
        Finding(
          .warn, "broker", "not tried: \(program) gave no answer",
          remedy: "\(program) --probe --config \(configurationPath)")
      ]
    }
    return BrokerFindings(connection: answer).findings()
  }

  /// Its line of JSON; nil: there was none.
  private func answer(of words: [String]) -> StatusRecord.Connection? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var child = pid_t()
    let arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let failure = posix_spawn(&child, words[0], &actions, nil, arguments, environ)
    close(ends[1])
    guard failure == 0 else { return nil }
    let line = Descriptor.readAll(ends[0], atMost: 65_536)
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return line.flatMap { try? JSON.parse($0) }.flatMap { StatusRecord.Connection(answer: $0) }
  }
}

/// The daemon's program, for what it can do while no daemon runs.
enum DaemonProgram {
  /// Nil: there is none.
  static var path: String? { places.first { access($0, X_OK) == 0 } }

  /// Beside this program, or where packages put it.
  static var places: [String] {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/exe", &path, Int(PATH_MAX))
    let own = String(decoding: path[..<max(0, length)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return [Folder.of(own) + "/homewardd", "/usr/local/sbin/homewardd", "/usr/sbin/homewardd"]
  }
}
