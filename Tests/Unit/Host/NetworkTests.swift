import Glibc
import Loop
import Model
import TestSupport
import Testing
import Timebase

@testable import Host

/// Messages as the kernel builds them, byte by byte.
enum Built {
  static func words(_ values: UInt32...) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values { bytes.append(word: value) }
    return bytes
  }

  /// struct rtmsg and the attributes of a default route.
  static func route(
    interface: UInt32, metric: UInt32? = nil, family: UInt8 = 2, bits: UInt8 = 0, table: UInt8 = 254,
    type: UInt8 = 1, flags: UInt32 = 0
  ) -> [UInt8] {
    var bytes: [UInt8] = [family, bits, 0, 0, table, 3, 0, type] + words(flags)
    bytes += NetlinkMessage.attribute(4, words(interface))
    bytes += NetlinkMessage.attribute(5, [192, 168, 1, 1])
    if let metric { bytes += NetlinkMessage.attribute(6, words(metric)) }
    return bytes
  }

  static func entry(_ bytes: [UInt8]) -> DefaultRouteEntry? { DefaultRouteEntry(bytes[...]) }

  /// A station of a scan: BSSID, information elements, status.
  static func station(_ bssid: [UInt8], elements: [UInt8] = [], status: UInt32? = nil) -> [UInt8] {
    var bytes = NetlinkMessage.attribute(1, bssid)
    bytes += NetlinkMessage.attribute(6, elements)
    if let status { bytes += NetlinkMessage.attribute(9, words(status)) }
    return bytes
  }
}

@Suite struct NetlinkTests {
  @Test func aMessageComesBackAsItWasBuilt() {
    let bytes = NetlinkMessage.bytes(type: 26, flags: 0x300, sequence: 7, payload: [1, 2, 3, 4])
    let messages = NetlinkMessage.all(in: bytes[...])
    #expect(messages.count == 1)
    #expect(messages.first?.type == 26)
    #expect(messages.first?.flags == 0x301)
    #expect(messages.first?.sequence == 7)
    #expect(messages.first.map { Array($0.payload) } == [1, 2, 3, 4])
  }

  @Test func severalMessagesAreTakenApartAtTheirPadding() {
    let odd = NetlinkMessage.bytes(type: 1, flags: 0, sequence: 1, payload: [1]) + [0, 0, 0]
    let next = NetlinkMessage.bytes(type: 2, flags: 0, sequence: 2, payload: [])
    #expect(NetlinkMessage.all(in: (odd + next)[...]).map(\.type) == [1, 2])
  }

  @Test func everyCutOfADatagramIsSurvived() {
    let route = Built.route(interface: 3, metric: 100)
    let scan = NetlinkMessage.attribute(
      47, Built.station([2, 0, 0, 0, 0, 1], elements: [0, 1, 65], status: 1))
    let whole = NetlinkMessage.bytes(type: 24, flags: 0, sequence: 1, payload: route + scan)
    for length in 0..<whole.count {
      #expect(NetlinkMessage.all(in: whole.prefix(length)).isEmpty)
    }
    for length in 0..<route.count { _ = DefaultRouteEntry(route.prefix(length)) }
    for length in 0..<scan.count {
      _ = NetlinkAttributes(scan.prefix(length))[47].map(NL80211.Association.init)
    }
  }

  @Test func nonsenseIsSurvived() {
    var seed: UInt64 = 20_261_121
    var taken = 0
    for _ in 0..<20_000 {
      var bytes = (0..<48).map { _ in
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        // Small numbers make plausible lengths.
        return UInt8(truncatingIfNeeded: seed >> 33) & (seed >> 60 < 12 ? 0x1F : 0xFF)
      }
      // A length that may fit, or nothing behind it is looked at.
      bytes.replaceSubrange(0..<4, with: [16 + bytes[0] % 40, 0, 0, 0])
      for message in NetlinkMessage.all(in: bytes[...]) {
        #expect(message.payload.count <= 48 - NetlinkMessage.headerSize)
        _ = NetlinkAttributes(message.payload)
        taken += 1
      }
      _ = DefaultRouteEntry(bytes[...])
      _ = NL80211.Association(bytes[...])
    }
    #expect(taken > 10_000)
  }

  @Test func netlinkErrorGivesItsNumber() {
    let bytes = NetlinkMessage.bytes(
      type: 2, flags: 0, sequence: 1, payload: Built.words(UInt32(bitPattern: -95)))
    #expect(NetlinkMessage.all(in: bytes[...]).first?.errorNumber == 95)
  }

  @Test func flagsInAnAttributesTypeAreSeenPast() {
    let nested = NetlinkMessage.attribute(47 | 0x8000, [1, 2, 3, 4])
    #expect(NetlinkAttributes(nested[...])[47].map { Array($0) } == [1, 2, 3, 4])
  }
}

@Suite struct DefaultRouteTests {
  @Test func aDefaultRouteIsRead() {
    let entry = Built.entry(Built.route(interface: 3, metric: 100))
    #expect(entry?.interface == 3)
    #expect(entry?.metric == 100)
    #expect(entry?.gateway == [192, 168, 1, 1])
  }

  @Test func withoutAMetricItIsNought() {
    #expect(Built.entry(Built.route(interface: 3))?.metric == 0)
  }

  @Test func otherRoutesAreNone() {
    #expect(Built.entry(Built.route(interface: 3, bits: 24)) == nil, "a destination")
    #expect(Built.entry(Built.route(interface: 3, table: 255)) == nil, "the local table")
    #expect(Built.entry(Built.route(interface: 3, type: 7)) == nil, "unreachable")
    #expect(Built.entry(Built.route(interface: 3, family: 28)) == nil, "another protocol")
    #expect(Built.entry(Built.route(interface: 3, flags: 16)) == nil, "without a link")
  }

  @Test func overSeveralLinksTheFirstStandsForAll() {
    var bytes: [UInt8] = [2, 0, 0, 0, 254, 3, 0, 1] + Built.words(0)
    bytes += NetlinkMessage.attribute(9, [16, 0, 0, 0] + Built.words(5) + Built.words(0, 0))
    #expect(Built.entry(bytes)?.interface == 5)
  }

  // behaviour: What the board tells
  @Test func theLowestMetricWins() {
    let routes = [
      Built.entry(Built.route(interface: 2, metric: 600)),
      Built.entry(Built.route(interface: 3, metric: 100)),
      Built.entry(Built.route(interface: 4, metric: 1024, family: 10)),
    ]
    #expect(DefaultRouteEntry.best(of: routes.compactMap(\.self))?.interface == 3)
  }

  @Test func atEqualMetricIPv4Wins() {
    let routes = [
      Built.entry(Built.route(interface: 2, metric: 100, family: 10)),
      Built.entry(Built.route(interface: 3, metric: 100)),
    ]
    #expect(DefaultRouteEntry.best(of: routes.compactMap(\.self))?.interface == 3)
  }
}

@Suite struct LinkKindTests {
  let scratch = Scratch()

  func kind(_ name: String) -> LinkKind { LinkKind(interface: name, root: scratch.path) }

  @Test func anInterfaceWithAPhyIsWiFi() {
    scratch.put("x", at: "wlan0/phy80211/name")
    scratch.put("x", at: "wlan1/wireless/status")
    #expect(kind("wlan0") == .wifi)
    #expect(kind("wlan1") == .wifi)
  }

  @Test func modemsAreMobile() {
    scratch.put("INTERFACE=usb9\nDEVTYPE=wwan\n", at: "usb9/uevent")
    #expect(kind("wwan0") == .mobile)
    #expect(kind("ppp0") == .mobile)
    #expect(kind("usb9") == .mobile)
  }

  @Test(arguments: ["cdc_ether", "rndis_host", "cdc_mbim", "qmi_wwan"])
  func aModemOnUSBIsMobile(_ driver: String) {
    scratch.put("", at: "usb0/device/x")
    scratch.link("usb0/device/driver", to: "../../bus/usb/drivers/\(driver)")
    scratch.link("usb0/device/subsystem", to: "../../bus/usb")
    #expect(kind("usb0") == .mobile)
  }

  @Test func aCableAdapterOnUSBIsWired() {
    scratch.put("", at: "eth1/device/x")
    scratch.link("eth1/device/driver", to: "../../bus/usb/drivers/ax88179_178a")
    scratch.link("eth1/device/subsystem", to: "../../bus/usb")
    #expect(kind("eth1") == .wired)
  }

  @Test func allElseIsWired() {
    scratch.put("INTERFACE=eth0\n", at: "eth0/uevent")
    #expect(kind("eth0") == .wired)
    #expect(kind("wg0") == .wired)
  }
}

@Suite struct WiFiTests {
  @Test func theAssociatedStationIsFound() {
    let bytes = Built.station(
      [0x02, 0, 0xAB, 0xCD, 0x0E, 0xF0], elements: [1, 1, 9, 0, 4] + Array("Home".utf8), status: 1)
    let found = NL80211.Association(bytes[...])
    #expect(found?.bssid == "02:00:ab:cd:0e:f0")
    #expect(found?.ssid == "Home")
    #expect(found?.megahertz == nil)
  }

  @Test func theChannelOfTheStationIsKnown() {
    let channel = NetlinkMessage.attribute(2, Built.words(5180))
    let bytes = channel + Built.station([2, 0, 0, 0, 0, 1], status: 1)
    #expect(NL80211.Association(bytes[...])?.megahertz == 5180)
  }

  @Test func otherStationsAreNot() {
    #expect(NL80211.Association(Built.station([2, 0, 0, 0, 0, 1])[...]) == nil)
    #expect(NL80211.Association(Built.station([2, 0, 0, 0, 0, 1], status: 0)[...]) == nil)
    #expect(NL80211.Association(Built.station([2, 0, 0], status: 1)[...]) == nil)
  }

  @Test func aHiddenNetworkHasNoName() {
    #expect(NL80211.ssid([]) == nil)
    #expect(NL80211.ssid([0, 0, 0]) == nil)
    #expect(NL80211.ssid([UInt8](repeating: 65, count: 33)[...]) == nil)
    #expect(NL80211.ssid([72, 105]) == "Hi")
  }

  @Test func anElementThatIsCutOffGivesNoName() {
    let bytes = Built.station([2, 0, 0, 0, 0, 1], elements: [0, 9, 65], status: 1)
    #expect(NL80211.Association(bytes[...]) == NL80211.Association(bssid: "02:00:00:00:00:01", ssid: nil))
  }
}

@Suite struct NetworkWatchTests {
  /// The machine's own network, whatever it is.
  @Test func initialNetworkIsReported() throws {
    let loop = try EventLoop()
    var posts: [NetworkWatch.Event] = []
    let watch = try NetworkWatch(loop: loop) { posts.append($0) }
    loop.turn(until: { !posts.isEmpty })
    #expect(watch.network != .unknown)
    #expect(posts.first == .networkChanged(watch.network))
    watch.close()
  }

  @Test func nothingIsAskedForInBetween() throws {
    let loop = try EventLoop()
    let watch = try NetworkWatch(loop: loop) { _ in }
    loop.turn(until: { watch.network != .unknown })
    loop.turn(for: .milliseconds(50))
    // Longer than an answer is waited for.
    #expect(loop.comesToRest(for: .milliseconds(1100), wakeUps: 2))
    watch.close()
  }
}
