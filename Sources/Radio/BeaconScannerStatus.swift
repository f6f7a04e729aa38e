import CBlueZ
import Host
import Model
import Timebase

extension BeaconScanner {
  /// The state of the radio, for `status` and `doctor`.
  public struct Status: Hashable, Sendable {
    /// "idle" (no beacon is wanted), "resting", "starting", "listening", "waiting".
    public var state = "idle"
    /// Advertisements are expected to arrive.
    public var isHearing = false
    /// "advertisement monitor", "raw extended", "raw legacy"; nil: it does not scan.
    public var method: String?
    /// Why it is not the best method; nil where it is.
    public var reason: String?
    /// The fault; nil: none.
    public var cause: String?
    /// Such as "hci0"; nil: there is none.
    public var adapter: String?
    /// Such as "B8:27:EB:12:34:56"; nil: there is no adapter.
    public var address: String?
    /// Percent, as planned.
    public var duty = 0
    /// When the last advertisement that can be read arrived; nil: none did.
    public var lastHeard: Instant?
    /// Since the start.
    public var counters = Counters()
    /// Steps that the watchdog has taken.
    public var steps = 0
    /// Percent of the beacons' calls that arrive; nil: not enough was heard.
    public var reception: Int?
    /// Improvements that the owner could make.
    public var hints: [String] = []

    /// Nothing is known yet.
    public init() {}
  }

  /// The state at this moment.
  public var status: Status {
    var status = Status()
    status.state = radio.word
    status.isHearing = radio.isHearing ?? false
    status.method = radio.method?.text
    status.reason = radio.method == .monitor ? nil : radio.adapter == nil ? nil : radio.reason
    status.cause = radio.cause
    status.adapter = radio.adapter?.name
    status.address = radio.adapter.map { BeaconAddress.text($0.address) }
    status.duty = radio.demand.duty
    status.lastHeard = counters.reports > 0 ? radio.watchdog.silence.lastHeard : nil
    status.counters = counters
    status.steps = radio.watchdog.escalation.taken
    status.reception = receptionPercent
    status.hints = hints
    return status
  }

  /// Against what can arrive while the radio listens for a part of the time only.
  private var receptionPercent: Int? {
    guard let best = reception.best else { return nil }
    let share = Double(
      radio.method == .monitor ? min(radio.demand.duty, DutyCycle.monitorDuty) : radio.demand.duty)
    return Int(min(100, best * 100 / max(0.01, share / 100)))
  }

  private var hints: [String] {
    var hints: [String] = []
    if radio.watchdog.silence.isSilentAfterCycle {
      hints.append(
        "no beacon is heard any more, nor after switching the adapter off and on (done once in such a silence, at most"
          + " every ten minutes): a quiet place, or a deaf adapter")
    }
    if reception.isFiltered {
      hints.append("each beacon is heard once in ten seconds only: the adapter filters repetitions")
    } else if let receptionPercent, receptionPercent < 50 {
      hints.append("only \(receptionPercent) % of the beacons' calls arrive: the adapter or its place is bad")
    }
    return hints
  }
}

/// Whether Bluetooth and WiFi are one chip with one antenna, as on most boards with both.
enum BeaconAntenna {
  // The buses of adapters that are soldered to a board.
  private static let onBoard = [cbluez_bus_uart, cbluez_bus_sdio].map { UInt8($0.rawValue) }

  /// `root`: /sys/class/net on every board.
  static func isShared(bus: UInt8, root: String = "/sys/class/net") -> Bool {
    guard onBoard.contains(bus) else { return false }
    return Sysfs.names(in: root).contains { name in
      Sysfs.exists("\(root)/\(name)/wireless")
        && ["sdio", "mmc"].contains(Sysfs.linkName("\(root)/\(name)/device/subsystem") ?? "")
    }
  }
}
