import Glibc

/// A program of another package, run for what it prints.
struct OtherProgram {
  typealias Running = (process: pid_t, output: Int32)

  var name: String
  /// Debian's package of it.
  var package: String

  /// `joinsErrors`: what it says on standard error is part of what it prints; otherwise people see it at once.
  func start(_ words: [String], joinsErrors: Bool) throws -> Running {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure(.failed, "no pipe: \(lastError())") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO)
    if joinsErrors { posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO) }
    var arguments: [UnsafeMutablePointer<CChar>?] = ([name] + words).map { strdup($0) } + [nil]
    defer { for text in arguments { free(text) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, name, &files, nil, &arguments, environ)
    guard failure == 0 else {
      close(ends[0])
      let reason =
        failure == ENOENT
        ? "is not installed: sudo apt install \(package)"
        : "cannot be run: \(String(cString: strerror(failure)))"
      throw Failure(.failed, "\(name) \(reason)")
    }
    return (process, ends[0])
  }

  /// Waits for its end. `status`: 0 to 255, or -1 where it was killed.
  static func end(_ running: Running, atMost limit: Int) -> (status: Int32, output: [UInt8]) {
    let output = Descriptor.readAll(running.output, atMost: limit) ?? []
    close(running.output)
    var status: Int32 = -1
    while waitpid(running.process, &status, 0) < 0, errno == EINTR {}
    return (status & 0x7F == 0 ? status >> 8 & 0xFF : -1, output)
  }
}
