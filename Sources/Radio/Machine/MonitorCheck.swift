/// Does the adapter obey the kernel? The kernel takes a monitor whether or not it does: some adapters claim
/// commands of Bluetooth 5 that they refuse, and the kernel does not report it. But it starts the scan with commands
/// whose answers any raw socket may see, without a right of its own.
///
/// ```
///  opening ── a raw socket ──▶ open ── parameters taken ──▶ parametersSet ── scan enabled ──▶ obeys
///     │                         │                                  │
///     └── no socket ──▶ blind   └──────── refused ──▶ refuses ◀────┘
/// ```
enum MonitorCheck: Hashable {
  case opening
  /// No raw socket: whether it hears is known when it has heard a sender.
  case blind
  case open
  case parametersSet

  enum Verdict: Hashable {
    case undecided
    case obeys
    case refuses
  }

  var hasSocket: Bool { self == .open || self == .parametersSet }

  mutating func opened(_ isOpen: Bool) { self = isOpen ? .open : .blind }

  /// An answer to any program's command, perhaps the kernel's: parameters first, then enable.
  mutating func answered(_ opcode: UInt16, status: UInt8) -> Verdict {
    switch opcode {
    case HCI.setExtendedScanParameters, HCI.setScanParameters:
      guard status == HCI.success else { return Self.refusal(status) }
      self = .parametersSet
      return .undecided
    case HCI.setExtendedScanEnable, HCI.setScanEnable:
      // Before the parameters it is the end of an earlier scan, which may be refused.
      guard self == .parametersSet else { return .undecided }
      return status == HCI.success ? .obeys : Self.refusal(status)
    default: return .undecided
    }
  }

  /// Other failures may be gone with the next attempt.
  private static func refusal(_ status: UInt8) -> Verdict { HCI.isRefusal(status) ? .refuses : .undecided }
}
