import Timebase

// The kernel takes an order to listen whether or not the adapter obeys: some adapters claim commands of
// Bluetooth 5 that they refuse, and the kernel says so to nobody. But it starts the scan with commands whose
// answers any raw socket may see, without a right of its own.
extension BeaconRadio {
  /// For the kernel to start the scan after it has taken the monitor.
  static let trialPatience = Span.seconds(1)

  mutating func openTrial(_ adapter: Adapter, at now: Instant) {
    closeRaw()
    raw.trial = .opening
    state = .waiting(until: now + .seconds(1))
    orders.append(.openRaw(adapter.index, hears: false))
  }

  /// The monitor is there. Whether it hears is known when the adapter has answered.
  mutating func monitored(at now: Instant) {
    switch raw.trial {
    case .open, .set: ask(.monitorScan, patience: Self.trialPatience, at: now)
    // Nothing is to be seen of it, or nothing has to be.
    case .blind, .opening, nil: hear(at: now)
    }
  }

  /// An answer to somebody's command, perhaps the kernel's: parameters first, then enable.
  mutating func judge(_ opcode: UInt16, _ status: UInt8, at now: Instant) {
    switch opcode {
    case 0x2041, 0x200B:
      guard status == 0 else { return disobeyed(status, at: now) }
      raw.trial = .set
    case 0x2042, 0x200C:
      // Before the parameters it is the end of an earlier scan, which may be refused.
      guard raw.trial == .set else { return }
      guard status == 0 else { return disobeyed(status, at: now) }
      endTrial(at: now)
    default: break
    }
  }

  /// It obeys, or something was heard through it.
  mutating func endTrial(at now: Instant) {
    obeyed = adapter?.address
    closeRaw()
    if case .asking(.monitorScan, _) = state { proceed(at: now) }
  }

  private mutating func disobeyed(_ status: UInt8, at now: Instant) {
    guard status == 0x01 || status == 0x0C else { return }
    closeRaw()
    refusals[.monitor] = "the adapter refused the kernel's scan: HCI status 0x\(String(status, radix: 16))"
    isRestarting = true
    switch state {
    case .asking(.monitorScan, _), .hearing, .doubting: proceed(at: now)
    // The answer on its way leads on.
    case .resting, .asking, .waiting, .pausing: break
    }
  }
}
