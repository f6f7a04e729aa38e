/// How advertisements are heard.
enum ScanMethod: String, Hashable, Sendable {
  /// The kernel's advertisement monitor: passive, and others may use the adapter beside us.
  case monitor
  /// Scanning by ourselves on a raw socket, with the commands of Bluetooth 5 or of Bluetooth 4.
  case extended
  case legacy

  var isRaw: Bool { self != .monitor }

  var text: String {
    switch self {
    case .monitor: "advertisement monitor"
    case .extended: "raw extended"
    case .legacy: "raw legacy"
    }
  }

  /// Why each method was refused. No dictionary: the first one of its kind costs the program a page or two.
  struct Refusals {
    private var monitor: String?
    private var extended: String?
    private var legacy: String?

    subscript(method: ScanMethod) -> String? {
      get {
        switch method {
        case .monitor: monitor
        case .extended: extended
        case .legacy: legacy
        }
      }
      set {
        switch method {
        case .monitor: monitor = newValue
        case .extended: extended = newValue
        case .legacy: legacy = newValue
        }
      }
    }
  }
}

/// Which method is used, and why not a better one.
struct ScanMethodChoice {
  var settings: BeaconRadio.Settings
  var channel: ManagementChannel
  var mayUseRaw: Bool
  /// Nil: not known.
  var supportsExtended: Bool?
  var refusals: ScanMethod.Refusals

  /// The best that is allowed and was not refused; nil: none.
  var method: ScanMethod? {
    if settings.method != .raw, channel.isTrusted, channel.hasMonitors == true, refusals[.monitor] == nil {
      return .monitor
    }
    guard settings.method != .monitor, mayUseRaw else { return nil }
    if supportsExtended != false, refusals[.extended] == nil { return .extended }
    return refusals[.legacy] == nil ? .legacy : nil
  }

  /// Why it is not the monitor; nil: it is.
  var reason: String? {
    if settings.method == .raw { return "as configured (scanMethod)" }
    if let refusal = refusals[.monitor] { return refusal }
    if !channel.isTrusted { return "without CAP_NET_ADMIN the kernel takes no monitor" }
    return channel.hasMonitors == false ? "this kernel knows no advertisement monitors" : nil
  }

  /// Why there is no method at all.
  var blockedReason: String {
    let text = reason ?? "nothing listens"
    if settings.method == .monitor { return text }
    let refusal = refusals[.legacy] ?? refusals[.extended]
    return text + "; raw scanning: \(refusal ?? Self.rawIsMissing)"
  }

  private static let rawIsMissing =
    "CAP_NET_RAW is missing (systemctl edit homeward, and there under [Service] the lines"
    + " CapabilityBoundingSet=CAP_NET_RAW and AmbientCapabilities=CAP_NET_RAW)"
}
