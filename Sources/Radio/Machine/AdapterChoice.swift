import Timebase

/// Which adapters there are, and which of them is used.
///
/// ```
///  unlisted ── list ──▶ listed, some not described yet ── each described ──▶ listed, one is chosen (or none)
///     ▲                             │                                                │
///     └──── something was plugged in or out, or nobody needs an adapter any more ◀───┘
/// ```
struct AdapterChoice {
  private enum Listing {
    case unlisted
    case listed(undescribed: [Candidate], described: [Adapter])
  }

  /// An adapter that the kernel has listed and not yet described.
  struct Candidate: Hashable {
    var index: UInt16
    var bus: UInt8
  }

  private var listing = Listing.unlisted
  private(set) var current: Adapter?
  /// The adapter that was used last: it is sought first when it was gone.
  private var lastAddress: UInt64?
  /// Since when the adapter is off, though it was not switched off here.
  private(set) var offSince: Instant?

  /// The next question before an adapter can be chosen; nil: none.
  var question: BeaconRadio.Question? {
    switch listing {
    case .unlisted: .list
    case .listed(let undescribed, _): undescribed.first.map(BeaconRadio.Question.information)
    }
  }

  /// Why there is none, with `wanted` as the configured address.
  func absence(wanted: UInt64?) -> String {
    if let wanted {
      return "no Bluetooth adapter has the address \(BeaconAddress.text(wanted)) (scanAdapter)"
    }
    guard case .listed(_, let described) = listing, !described.isEmpty else {
      return "there is no Bluetooth adapter"
    }
    return "no Bluetooth adapter here knows Low Energy"
  }

  // MARK: Inputs

  mutating func listed(_ candidates: [Candidate], wanted: UInt64?) {
    listing = .listed(undescribed: candidates, described: [])
    chooseIfComplete(wanted: wanted)
  }

  /// The answer about the first candidate; nil: it makes no sense, or was refused.
  mutating func described(_ adapter: Adapter?, wanted: UInt64?) {
    guard case .listed(var undescribed, var described) = listing, !undescribed.isEmpty else { return }
    undescribed.removeFirst()
    if let adapter { described.append(adapter) }
    listing = .listed(undescribed: undescribed, described: described)
    chooseIfComplete(wanted: wanted)
  }

  /// Another adapter came or went: the list is asked for again, the adapter in use stays.
  mutating func unlist() { listing = .unlisted }

  /// Nobody needs it any more.
  mutating func letGo() { (listing, current) = (.unlisted, nil) }

  /// The adapter in use was unplugged.
  mutating func lost() {
    letGo()
    offSince = nil
  }

  /// The adapter in use reports its settings. Returns whether it is on, where that is new.
  mutating func changed(_ settings: BluetoothManagement.Settings) -> Bool? {
    let wasOn = current?.isPowered ?? false
    current?.current = settings
    return settings.contains(.powered) == wasOn ? nil : !wasOn
  }

  /// rfkill switched it off.
  mutating func blocked() { current?.current.remove(.powered) }

  mutating func switchedOffByOthers(at now: Instant) { offSince = now }
  /// It is on, or about to be.
  mutating func forgiveSwitchOff() { offSince = nil }

  private mutating func chooseIfComplete(wanted: UInt64?) {
    guard current == nil, case .listed(let undescribed, let described) = listing, undescribed.isEmpty else {
      return
    }
    let usable = described.filter { $0.supported.contains(.lowEnergy) }
    if let wanted {
      current = usable.first { $0.address == wanted }
    } else {
      current =
        usable.first { $0.address == lastAddress } ?? usable.first(where: \.isPowered) ?? usable.first
    }
    lastAddress = current?.address ?? lastAddress
  }
}

/// A Bluetooth adapter as the kernel describes it.
struct Adapter: Hashable {
  var index: UInt16
  var address: UInt64
  /// As in <bluetooth/hci.h>: what it hangs on.
  var bus: UInt8
  /// Supported settings.
  var supported: BluetoothManagement.Settings
  /// Settings in force.
  var current: BluetoothManagement.Settings

  var name: String { "hci\(index)" }
  var isPowered: Bool { current.contains(.powered) }
}
