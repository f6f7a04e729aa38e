/// The raw HCI socket: what it is open for, and how far a scan of our own on it is set up.
///
/// ```
///             to hear              disable         parameters        enable
///  closed ───────────▶ listening: unknown ──▶ off ──────────▶ set ──────────▶ on
///   │  ▲                             ▲         │ refused        │ refused
///   │  └── closed, from everywhere   └─────────┴────────────────┘
///   ├── to ask whether the adapter answers ──▶ probing
///   └── to look on while the kernel scans ───▶ checking (MonitorCheck)
/// ```
struct RawScan {
  enum Stage: Hashable { case unknown, off, parametersSet, on }

  enum Socket: Hashable {
    case closed
    case probing
    case checking(MonitorCheck)
    case listening(ScanMethod, Stage)
  }

  /// The next step before it hears.
  enum Step: Hashable {
    case open
    case ask(BeaconRadio.Question)
    case nothing
  }

  /// The meaning of an answer.
  enum Outcome: Hashable {
    case proceed
    /// This method is refused; why.
    case refused(ScanMethod, String)
    /// A failure that may be gone later; why.
    case failed(String)
  }

  private(set) var socket = Socket.closed
  /// Whether the adapter has the commands of Bluetooth 5; nil: it was not asked yet.
  private(set) var supportsExtended: Bool?

  var isOpen: Bool {
    switch socket {
    case .closed: false
    case .checking(let check): check.hasSocket
    case .probing, .listening: true
    }
  }

  /// It was opened to hear advertisements, not only answers.
  var hears: Bool { if case .listening = socket { true } else { false } }
  var isOn: Bool { if case .listening(_, .on) = socket { true } else { false } }
  var isChecking: Bool { if case .checking = socket { true } else { false } }
  /// The method that it is set up for; nil: none.
  var method: ScanMethod? { if case .listening(let method, _) = socket { method } else { nil } }

  /// The one thing that is missing before it hears by `method`.
  mutating func next(_ method: ScanMethod) -> Step {
    guard case .listening(let current, let stage) = socket else { return .open }
    guard supportsExtended != nil else { return .ask(.rawCommands) }
    if current != method { socket = .listening(method, .unknown) }
    switch current == method ? stage : .unknown {
    case .unknown: return .ask(.rawDisable)
    case .off: return .ask(.rawParameters)
    case .parametersSet: return .ask(.rawEnable)
    case .on: return .nothing
    }
  }

  // MARK: Inputs

  mutating func check() { socket = .checking(.opening) }

  /// The socket is open. Where the check went on without one it sees from now on.
  mutating func opened(hears: Bool) {
    if case .checking = socket, !hears {
      socket = .checking(.open)
      return
    }
    socket = hears ? .listening(.legacy, .unknown) : .probing
  }

  /// A check goes on without a socket; the answer: whether there is one.
  mutating func checkIsBlind() -> Bool {
    guard socket == .checking(.opening) else { return false }
    socket = .checking(.blind)
    return true
  }

  /// True: a socket was open, and is to be closed.
  mutating func close() -> Bool {
    defer { socket = .closed }
    return isOpen
  }

  /// Another adapter will answer for itself.
  mutating func forgetAdapter() { supportsExtended = nil }

  /// Every step is taken anew.
  mutating func forgetStage() {
    if case .listening(let method, _) = socket { socket = .listening(method, .unknown) }
  }

  /// Somebody's command was answered while the check goes on.
  mutating func overheard(_ opcode: UInt16, status: UInt8) -> MonitorCheck.Verdict {
    guard case .checking(var check) = socket else { return .undecided }
    let verdict = check.answered(opcode, status: status)
    socket = .checking(check)
    return verdict
  }

  /// `bytes` are what follows the status.
  mutating func answered(
    _ question: BeaconRadio.Question, status: UInt8, _ bytes: UnsafeRawBufferPointer
  ) -> Outcome {
    switch question {
    case .rawCommands: supportsExtended = status == HCI.success && HCI.listsExtendedScan(bytes)
    // Disallowed: there was nothing to switch off.
    case .rawDisable where status == HCI.success || status == HCI.disallowed: reached(.off)
    case .rawDisable: return refused(status)
    case .rawParameters, .rawEnable:
      if HCI.isRefusal(status) { return refused(status) }
      guard status == HCI.success else { return .failed("scanning: \(HCI.text(status))") }
      reached(question == .rawEnable ? .on : .parametersSet)
    case .rawStop: reached(.unknown)
    default: break
    }
    return .proceed
  }

  private mutating func reached(_ stage: Stage) {
    if case .listening(let method, _) = socket { socket = .listening(method, stage) }
  }

  private mutating func refused(_ status: UInt8) -> Outcome {
    guard let method else { return .proceed }
    reached(.unknown)
    return .refused(method, "\(method.text) scanning was refused: \(HCI.text(status))")
  }
}
