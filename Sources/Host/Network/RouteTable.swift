/// One default route, as reported by rtnetlink.
struct DefaultRouteEntry: Hashable {
  var interface: UInt32
  /// Lower wins.
  var metric: UInt32
  var isIPv6: Bool
  /// Empty for links without one (ppp).
  var gateway: [UInt8]
  /// Our source address, if the route fixes it.
  var source: [UInt8]

  // rtmsg, linux/rtnetlink.h
  private static let headerSize = 12
  private static let inet: UInt8 = 2
  private static let inet6: UInt8 = 10
  private static let unicast: UInt8 = 1
  private static let mainTable: UInt32 = 254
  private static let deadOrLinkDown: UInt32 = 1 | 16
  private enum Attribute {
    static let interface: UInt16 = 4
    static let gateway: UInt16 = 5
    static let metric: UInt16 = 6
    static let source: UInt16 = 7
    static let multipath: UInt16 = 9
    static let table: UInt16 = 15
  }

  /// Nil for every other kind of route, and for a truncated message.
  init?(_ payload: ArraySlice<UInt8>) {
    let header = Array(payload.prefix(Self.headerSize))
    guard header.count == Self.headerSize, header[0] == Self.inet || header[0] == Self.inet6 else {
      return nil
    }
    let destinationBits = header[1]
    let attributes = NetlinkAttributes(payload.dropFirst(Self.headerSize))
    let table = attributes.word32(Attribute.table) ?? UInt32(header[4])
    let flags = payload.word32(at: 8) ?? 0
    guard destinationBits == 0, header[7] == Self.unicast, table == Self.mainTable,
      flags & Self.deadOrLinkDown == 0, let interface = Self.interface(attributes)
    else { return nil }
    self.interface = interface
    metric = attributes.word32(Attribute.metric) ?? 0
    isIPv6 = header[0] == Self.inet6
    gateway = Array(attributes[Attribute.gateway] ?? [])
    source = Array(attributes[Attribute.source] ?? [])
  }

  /// Of a route over several links the first one counts: struct rtnexthop has its interface number at offset 4.
  private static func interface(_ attributes: NetlinkAttributes) -> UInt32? {
    attributes.word32(Attribute.interface) ?? attributes[Attribute.multipath]?.word32(at: 4)
  }

  /// The route that the kernel prefers; at equal metric IPv4, then the older interface.
  static func best(of routes: [DefaultRouteEntry]) -> DefaultRouteEntry? {
    routes.min { left, right in
      (left.metric, left.isIPv6 ? 1 : 0, left.interface) < (
        right.metric, right.isIPv6 ? 1 : 0, right.interface
      )
    }
  }
}

/// The kind of link of an interface, according to sysfs.
enum LinkKind: Hashable {
  case wifi, mobile, wired

  /// Drivers of USB modems and of phones that lend their connection.
  private static let mobileDrivers: Set<String> = [
    "cdc_ether", "rndis_host", "cdc_mbim", "qmi_wwan", "cdc_ncm", "huawei_cdc_ncm", "ipheth", "sierra_net",
    "hso",
  ]

  /// `root`: /sys/class/net.
  init(interface: String, root: String) {
    let directory = "\(root)/\(interface)"
    let isWireless = Sysfs.exists("\(directory)/wireless") || Sysfs.exists("\(directory)/phy80211")
    if isWireless {
      self = .wifi
    } else if interface.hasPrefix("wwan") || interface.hasPrefix("ppp") || Self.isModem(directory) {
      self = .mobile
    } else {
      self = .wired
    }
  }

  private static func isModem(_ directory: String) -> Bool {
    let event = Sysfs.text("\(directory)/uevent") ?? ""
    if event.split(separator: "\n").contains("DEVTYPE=wwan") { return true }
    guard Sysfs.linkName("\(directory)/device/subsystem") == "usb" else { return false }
    return Sysfs.linkName("\(directory)/device/driver").map(mobileDrivers.contains) ?? false
  }
}
