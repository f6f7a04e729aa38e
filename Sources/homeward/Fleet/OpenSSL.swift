import Glibc

/// The `openssl` program, which makes keys and certificates and reads them.
enum OpenSSL {
  /// Status and output, errors included, of one run.
  struct Outcome {
    var isGood: Bool
    var text: String

    /// The line that says most.
    var lastLine: String { text.split(separator: "\n").last.map(String.init) ?? "no word of why" }
  }

  private static let program = "openssl"

  /// It is there, and new enough to sign for an authority in one step.
  static func look() throws {
    let said = try run([["version"]])[0].text
    let major = said.split(separator: " ").dropFirst().first?.split(separator: ".").first.flatMap { Int($0) }
    guard said.hasPrefix("OpenSSL "), let major, major >= 3 else {
      throw Failure(.failed, "openssl is \(said.trimmed.plainLine), expected OpenSSL 3 or later")
    }
  }

  /// Several at a time, for they are mostly waiting; outcomes in the order of the runs.
  static func run(_ runs: [[String]]) throws -> [Outcome] {
    let most = 2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    var started: [(process: pid_t, output: Int32)] = []
    var outcomes: [Outcome] = []
    defer { for (process, output) in started { _ = end(process, output) } }
    for words in runs {
      if started.count == most {
        let (process, output) = started.removeFirst()
        outcomes.append(end(process, output))
      }
      started.append(try start(words))
    }
    while !started.isEmpty {
      let (process, output) = started.removeFirst()
      outcomes.append(end(process, output))
    }
    return outcomes
  }

  private static func start(_ words: [String]) throws -> (process: pid_t, output: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure(.failed, "no pipe: \(lastError())") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO)
    var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) } + [nil]
    defer { for text in arguments { free(text) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, program, &files, nil, &arguments, environ)
    guard failure == 0 else {
      close(ends[0])
      let reason =
        failure == ENOENT
        ? "is not installed: sudo apt install openssl"
        : "cannot be run: \(String(cString: strerror(failure)))"
      throw Failure(.failed, "openssl \(reason)")
    }
    return (process, ends[0])
  }

  private static func end(_ process: pid_t, _ output: Int32) -> Outcome {
    let text = Descriptor.readAll(output, atMost: 1 << 20) ?? []
    close(output)
    var status: Int32 = -1
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return Outcome(isGood: status == 0, text: String(decoding: text, as: UTF8.self))
  }
}
