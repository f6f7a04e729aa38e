import Glibc

/// The exit status, for scripts.
enum ExitStatus: Int32 {
  case done = 0
  case failed = 1
  case usage = 2
  /// EX_UNAVAILABLE.
  case unreachable = 69
  /// EX_CONFIG.
  case configuration = 78
}

/// The end of a command, in plain words for standard error.
struct Failure: Error {
  var status: ExitStatus
  var text: String
  /// Whether the daemon took the question and did not answer in time.
  var isSilence = false
  /// Whether this user may not ask the daemon.
  var isForbidden = false
  /// Whether no daemon is there at all.
  var isAbsent = false

  init(_ status: ExitStatus, _ text: String) {
    self.status = status
    self.text = text
  }
}

/// The reason of the last system call that failed, in words.
func lastError() -> String { String(cString: strerror(errno)) }
