/// The kernel's management socket, as far as the radio knows it.
///
/// ```
///  closed ── opened ──▶ open, monitors not asked for ── answer ──▶ open, with or without monitors
///     ▲                                                                 │
///     └────────────────────────── could not be opened ◀─────────────────┘
/// ```
enum ManagementChannel: Hashable {
  case closed
  /// `isTrusted`: it takes orders from us (CAP_NET_ADMIN), not only questions. `monitors`: whether this kernel
  /// has advertisement monitors; nil: it was not asked yet.
  case open(isTrusted: Bool, monitors: Bool?)

  mutating func opened(isTrusted: Bool) { self = .open(isTrusted: isTrusted, monitors: hasMonitors) }

  mutating func failed() { self = .closed }

  /// The kernel has answered which commands it knows.
  mutating func answered(hasMonitors: Bool) { self = .open(isTrusted: isTrusted, monitors: hasMonitors) }

  var isOpen: Bool { self != .closed }

  var isTrusted: Bool {
    if case .open(let isTrusted, _) = self { return isTrusted }
    return false
  }

  var hasMonitors: Bool? {
    if case .open(_, let monitors) = self { return monitors }
    return nil
  }
}
