import Glibc
import Loop
import Model
import TestSupport
import Testing
import Timebase

@testable import Host
@testable import Radio

@Suite struct BeaconPiecesTests {
  static let number = BeaconFrameTests.number

  static func sighting(minor: UInt16 = 7, rssi: Int8 = -60) -> Sighting {
    var beacon = number
    beacon.minor = minor
    return Sighting(beacon: beacon, power: -59, rssi: rssi, address: UInt64(minor))
  }

  // What is wanted

  func identity(_ major: UInt16? = nil, _ minor: UInt16? = nil) -> BeaconIdentity? {
    BeaconIdentity(uuid: "e2c56db5-dffb-48d2-b060-d0f5a71096e0", major: major, minor: minor)
  }

  @Test func anyNumberMatchesWhereNoneIsGiven() {
    #expect(BeaconMatch([identity()].compactMap { $0 }).contains(Self.number))
    #expect(BeaconMatch([identity(1)].compactMap { $0 }).contains(Self.number))
    #expect(BeaconMatch([identity(1, 7)].compactMap { $0 }).contains(Self.number))
  }

  @Test func otherNumbersDoNotMatch() {
    #expect(!BeaconMatch([identity(2)].compactMap { $0 }).contains(Self.number))
    #expect(!BeaconMatch([identity(1, 8)].compactMap { $0 }).contains(Self.number))
    #expect(!BeaconMatch([]).contains(Self.number))
  }

  // The scanner

  @Test func aScannerThatWasNeverUsedIsLetGoOf() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    defer { close(ends[1]) }
    weak var released: BeaconScanner?
    do {
      let scanner = BeaconScanner(loop: try EventLoop(), management: ends[0]) { _ in }
      released = scanner
    }
    #expect(released == nil)
  }

  // Addresses

  @Test func anAddressIsReadAndWritten() {
    #expect(BeaconAddress.number("b8:27:EB:12:34:06") == 0xB827_EB12_3406)
    #expect(BeaconAddress.text(0xB827_EB12_3406) == "B8:27:EB:12:34:06")
  }

  @Test(arguments: [
    "", "b8:27:eb:12:34", "b8:27:eb:12:34:5", "b8:27:eb:12:34:5g", "b827eb123456", "+8:27:eb:12:34:56",
  ])
  func malformedAddressIsRejected(_ text: String) {
    #expect(BeaconAddress.number(text) == nil)
  }

  // Escalation

  // behaviour: A radio that falls silent
  @Test func escalationEndsWithItsBudget() {
    var escalation = RecoveryEscalation()
    let now = Instant.zero
    let steps = (0..<6).map { _ in escalation.step(from: .restartScan, at: now) }
    #expect(steps == [.restartScan, .powerCycle, .otherMethod, .report, nil, nil])
    #expect(escalation.step(from: .restartScan, at: now + RecoveryEscalation.window) == .report)
  }

  @Test func anHourLaterEscalationBeginsAnew() {
    var escalation = RecoveryEscalation()
    _ = escalation.step(from: .powerCycle, at: .zero)
    #expect(escalation.step(from: .restartScan, at: .zero + .minutes(60)) == .restartScan)
  }

  // Reception

  func reception(every gap: Double, lost: (Int) -> Bool = { _ in false }, calls: Int) -> ReceptionRatio {
    var ratio = ReceptionRatio()
    for call in 0..<calls where !lost(call) {
      ratio.heard(Self.number, at: .zero + .seconds(Double(call) * gap))
    }
    return ratio
  }

  @Test func allCallsHeardIsAYieldOfOne() throws {
    let best = try #require(reception(every: 1, calls: 40).best)
    #expect(best > 0.99)
  }

  @Test func halfOfTheCallsLostIsHalfAYield() throws {
    // Every third and fourth call of four is lost: gaps of one and three.
    let best = try #require(reception(every: 0.2, lost: { $0 % 4 > 1 }, calls: 200).best)
    #expect((0.45...0.55).contains(best))
  }

  @Test func aFilterForRepetitionsIsSeen() {
    #expect(reception(every: 10.24, calls: 20).isFiltered)
    #expect(!reception(every: 5, calls: 40).isFiltered)
  }

  @Test func anAbsenceIsNoLoss() throws {
    let away = 40..<400
    let best = try #require(reception(every: 1, lost: away.contains, calls: 410).best)
    #expect(best > 0.99)
  }

  @Test func oneCallOnThreeChannelsIsOne() throws {
    var ratio = ReceptionRatio()
    for call in 0..<50 {
      for channel in 0..<3 {
        ratio.heard(Self.number, at: .zero + .seconds(Double(call)) + .milliseconds(2 * channel))
      }
    }
    #expect(try #require(ratio.best) > 0.99)
  }

  @Test func aCrowdOfOwnBeaconsTakesNoMemory() {
    var ratio = ReceptionRatio()
    for minor in 0..<1000 { ratio.heard(Self.sighting(minor: UInt16(minor)).beacon, at: .zero) }
    #expect(ratio.entries.count == ReceptionRatio.limit)
  }

  // Unregistered beacons

  @Test func unregisteredBeaconsAreFew() {
    var beacons = UnregisteredBeacons()
    for minor in 0..<5000 { beacons.heard(Self.sighting(minor: UInt16(minor), rssi: -90), at: .zero) }
    #expect(beacons.all.count == UnregisteredBeacons.limit)
  }

  @Test func theNearestUnregisteredBeaconIsKeptInACrowd() {
    var beacons = UnregisteredBeacons()
    beacons.heard(Self.sighting(minor: 9999, rssi: -40), at: .zero)
    for minor in 0..<5000 {
      beacons.heard(Self.sighting(minor: UInt16(minor), rssi: -90), at: .zero + .seconds(minor))
    }
    #expect(beacons.all.contains { $0.beacon.minor == 9999 })
  }

  @Test func anUnregisteredBeaconIsCounted() {
    var beacons = UnregisteredBeacons()
    for second in 0..<3 {
      beacons.heard(Self.sighting(rssi: Int8(-60 - second)), at: .zero + .seconds(second))
    }
    #expect(beacons.all.map(\.count) == [3])
    #expect(beacons.all.first?.rssi == -62)
  }

  // One antenna for both

  let scratch = Scratch()

  @Test func aBoardsOwnChipSharesItsAntenna() {
    scratch.put("", at: "wlan0/wireless/x")
    scratch.put("", at: "wlan0/device/x")
    scratch.link("wlan0/device/subsystem", to: "../../../bus/sdio")
    #expect(BeaconAntenna.isShared(bus: 3, root: scratch.path))
    #expect(!BeaconAntenna.isShared(bus: 1, root: scratch.path))
  }

  @Test func aBoardWithoutItsOwnWiFiSharesNothing() {
    scratch.put("", at: "wlan0/wireless/x")
    scratch.put("", at: "wlan0/device/x")
    scratch.link("wlan0/device/subsystem", to: "../../../bus/usb")
    #expect(!BeaconAntenna.isShared(bus: 3, root: scratch.path))
  }

  // rfkill

  @Test(arguments: [("1", "0", true), ("0", "1", true), ("0", "0", false)])
  func aSwitchHoldsItsAdapterDown(_ soft: String, _ hard: String, _ isBlocked: Bool) {
    for (file, text) in [("name", "hci0"), ("soft", soft), ("hard", hard)] {
      scratch.put(text + "\n", at: "rfkill2/\(file)")
    }
    #expect(RFKill.isBlocked("hci0", root: scratch.path) == isBlocked)
    #expect(!RFKill.isBlocked("hci1", root: scratch.path))
  }

  @Test func exactlyOneAdapterIsBlockedAndLetGo() {
    for (place, adapter) in [("rfkill2", "hci1"), ("rfkill7", "hci0")] {
      for (file, text) in [("name", adapter), ("soft", "0"), ("hard", "0")] {
        scratch.put(text + "\n", at: "\(place)/\(file)")
      }
    }
    scratch.put("", at: "device")
    let device = scratch.path + "/device"
    #expect(RFKill.blockOnce("hci0", root: scratch.path, device: device) == nil)
    #expect(Sysfs.text(device).map { Array($0.utf8) } == [7, 0, 0, 0, 2, 2, 1, 0, 7, 0, 0, 0, 2, 2, 0, 0])
  }

  @Test func rfkillRefusesAlreadyBlockedAdapter() {
    for (file, text) in [("name", "hci0"), ("soft", "1"), ("hard", "0")] {
      scratch.put(text + "\n", at: "rfkill2/\(file)")
    }
    scratch.put("as it was", at: "device")
    let device = scratch.path + "/device"
    let failure = RFKill.blockOnce("hci0", root: scratch.path, device: device)
    #expect(failure == "hci0 is blocked already" && Sysfs.text(device) == "as it was")
  }

  @Test func rfkillWithoutAccessUsesTheHelper() throws {
    for (file, text) in [("name", "hci0"), ("soft", "0"), ("hard", "0")] {
      scratch.put(text + "\n", at: "switches/rfkill2/\(file)")
    }
    let (path, switches) = (scratch.path + "/radio", scratch.path + "/switches")
    let program = #filePath.replacing(
      "Tests/Unit/Radio/BeaconPiecesTests.swift", with: "board/homeward-radio")
    let script = "until [ -e \(path) ]; do sleep 0.02; done; sh \(program) \(path) \(switches)"
    let helper = try Process(["sh", "-c", script], output: scratch.path + "/said")
    defer { helper.kill() }
    let request = AdapterResetRequest(directory: scratch.path)
    let failure = RFKill.blockOnce("hci0", resetRequest: request, root: switches, device: "/nowhere")
    #expect(failure == nil)
    #expect(Sysfs.text(scratch.path + "/said") == "homeward-radio: switched hci0 off and on")
    #expect(Sysfs.text(switches + "/rfkill2/soft") == "0")
  }

  @Test func unansweredResetRequestIsWithdrawn() throws {
    let request = try #require(AdapterResetRequest(directory: scratch.path))
    let failure = request.run(for: "hci0", within: .milliseconds(50))
    #expect(failure?.contains("no program acts on \(request.path)") == true)
    #expect(access(request.path, F_OK) != 0)
  }

  /// A pipe that nobody reads would hold up the worker for good; a link may lead to somebody's file.
  @Test func aRequestGoesNeitherIntoAPipeNorThroughALink() throws {
    let request = try #require(AdapterResetRequest(directory: scratch.path))
    mkfifo(request.path + ".new", 0o600)
    #expect(
      request.run(for: "hci0", within: .milliseconds(50))?.contains("radio.new: No such device") == true)
    unlink(request.path + ".new")
    scratch.put("somebody's", at: "file")
    scratch.link("radio.new", to: scratch.path + "/file")
    #expect(
      request.run(for: "hci0", within: .milliseconds(50))?.contains("radio.new: Too many levels") == true)
    #expect(Sysfs.text(scratch.path + "/file") == "somebody's")
  }

  // The handle file

  @Test func aHandleGoesNeitherIntoAPipeNorThroughALink() {
    let file = MonitorHandleFile(directory: scratch.path)
    mkfifo(scratch.path + "/monitor", 0o600)
    file.write(.init(address: 0xB827_EB12_3406, handle: 3))
    #expect(file.read() == nil)
    file.write(nil)
    scratch.put("somebody's", at: "file")
    scratch.link("monitor", to: scratch.path + "/file")
    file.write(.init(address: 0xB827_EB12_3406, handle: 3))
    #expect(Sysfs.text(scratch.path + "/file") == "somebody's")
  }

  @Test func aHandleIsWrittenAndRemoved() {
    let file = MonitorHandleFile(directory: scratch.path)
    #expect(file.read() == nil)
    file.write(.init(address: 0xB827_EB12_3406, handle: 3))
    #expect(file.read() == .init(address: 0xB827_EB12_3406, handle: 3))
    file.write(nil)
    #expect(file.read() == nil)
  }

  @Test(arguments: ["", "B8:27:EB:12:34:06", "B8:27:EB:12:34:06 70000", "x 3", "B8:27:EB:12:34:06 3 4"])
  func aHandleFileThatMakesNoSenseIsNone(_ text: String) {
    scratch.put(text, at: "monitor")
    #expect(MonitorHandleFile(directory: scratch.path).read() == nil)
  }
}
