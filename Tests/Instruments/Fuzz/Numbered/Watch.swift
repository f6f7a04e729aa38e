import Glibc

/// Tells which input it was when the program ends with a signal, or when an input does not end.
enum Watch {
  nonisolated(unsafe) static var input: UInt64 = 0
  nonisolated(unsafe) private static var seen = UInt64.max
  nonisolated(unsafe) private static var name = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 0)
  /// Seconds; an input that takes more than twice as long is one that hangs.
  private static let patience = 10
  /// More is a leak, or a length that was believed.
  private static let memory: rlim_t = 1 << 30

  static func start(_ target: String) {
    name = .allocate(capacity: target.utf8.count)
    _ = name.initialize(fromContentsOf: Array(target.utf8))
    var room = rlimit(rlim_cur: memory, rlim_max: memory)
    setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &room)
    // A stack that has overflowed holds no handler.
    let size = 1 << 16
    var stack = stack_t(ss_sp: .allocate(byteCount: size, alignment: 16), ss_flags: 0, ss_size: size)
    sigaltstack(&stack, nil)
    for signal in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE] {
      // Once: the second time the signal ends the program.
      handle(signal, Int32(bitPattern: SA_RESETHAND)) { Watch.tell(" is ended by signal ", UInt64($0)) }
    }
    handle(SIGALRM, SA_RESTART) { _ in
      if Watch.seen == Watch.input {
        Watch.tell(" hangs, seconds: ", UInt64(Watch.patience))
        signal(SIGABRT, SIG_DFL)
        abort()
      }
      Watch.seen = Watch.input
    }
    let interval = timeval(tv_sec: patience, tv_usec: 0)
    var timer = itimerval(it_interval: interval, it_value: interval)
    setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
  }

  private static func handle(
    _ signal: Int32, _ flags: Int32, _ handler: @escaping @convention(c) (Int32) -> Void
  ) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    action.sa_flags = flags | SA_ONSTACK
    sigaction(signal, &action, nil)
  }

  /// From a handler: nothing here takes memory.
  private static func tell(_ what: StaticString, _ number: UInt64) {
    write(2, name.baseAddress, name.count)
    put(": input ")
    put(input)
    put(what)
    put(number)
    put("\n")
  }

  private static func put(_ text: StaticString) {
    write(2, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static func put(_ number: UInt64) {
    var divisor: UInt64 = 1
    while number / divisor > 9 { divisor *= 10 }
    while divisor > 0 {
      var digit = UInt8(ascii: "0") + UInt8(number / divisor % 10)
      write(2, &digit, 1)
      divisor /= 10
    }
  }
}
