import Timebase

// Queries of the radio's state. Nothing here changes it.
extension BeaconRadio {
  /// When `timerFired` wants to be called.
  var deadline: Instant? {
    switch state {
    case .resting: nil
    case .asking(_, let until), .waiting(let until), .pausing(let until), .doubting(let until): until
    case .hearing: [watchdog.silence.deadline, cycle.burstEnd].compactMap { $0 }.min()
    }
  }

  var adapter: Adapter? { setup.adapters.current }
  /// For messages.
  var name: String { adapter?.name ?? "the adapter" }
  /// By which method it scans now; nil: it does not.
  var method: ScanMethod? { setup.method }
  /// Why it is not the monitor; nil: it is.
  var reason: String? { setup.choice.reason }
  /// The fault, for people; nil: none.
  var cause: String? { notices.cause }
  /// The adapter was seen to obey the kernel.
  var isObeyed: Bool { setup.isObeyed }
  /// A report would end a doubt of ours.
  var isUnsure: Bool { watchdog.silence.isDoubtful || setup.raw.isChecking }

  /// Advertisements are expected.
  var isListening: Bool {
    switch state {
    case .hearing, .doubting: true
    case .resting, .asking, .waiting, .pausing: false
    }
  }

  /// The monitor is there, and the kernel starts its scan.
  var isCheckingMonitor: Bool { if case .asking(.monitorScan, _) = state { true } else { false } }

  /// The kernel was asked to end its filter, and has not answered.
  var removesMonitor: Bool { if case .asking(.removeMonitor, _) = state { true } else { false } }

  /// How long to listen and to rest in turn; nil: all the time.
  var spans: DutyCycle.Spans? {
    guard method == .monitor, !watchdog.silence.isSuspected else { return nil }
    return DutyCycle.Spans(duty: demand.duty)
  }

  /// For people: how it listens; nil: it does not.
  var listening: String? {
    guard let adapter, let method else { return nil }
    let text = "listening on \(adapter.name) (\(BeaconAddress.text(adapter.address))), \(method.text)"
    guard let reason, method != .monitor else { return text }
    return text + " because \(reason)"
  }

  /// As `status` has it.
  var word: String {
    switch state {
    case .resting: demand.isEmpty ? "idle" : "resting"
    case .asking: isHearing == true ? "listening" : "starting"
    case .waiting: "waiting"
    case .hearing, .doubting: "listening"
    case .pausing: "resting"
    }
  }
}
