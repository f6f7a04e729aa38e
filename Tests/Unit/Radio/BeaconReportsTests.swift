import Model
import Testing

@testable import Radio

@Suite struct BeaconReportsTests {
  func sightings(_ packet: [UInt8]) -> [Sighting] {
    packet.withUnsafeBytes { bytes in
      var reports = BeaconReports(bytes)
      var found: [Sighting] = []
      while let report = reports.next() {
        if let sighting = report.sighting { found.append(sighting) }
      }
      return found
    }
  }

  func management(_ packet: [UInt8]) -> Sighting? {
    packet.withUnsafeBytes { BluetoothManagement.advertisement($0)?.sighting }
  }

  static let expected = Sighting(
    beacon: BeaconFrameTests.number, power: -59, rssi: -60, address: BeaconPackets.addressNumber)

  @Test(arguments: [
    BeaconPackets.legacy(BeaconPackets.beacon), BeaconPackets.extended(BeaconPackets.beacon),
  ])
  func aReportBecomesASighting(_ packet: [UInt8]) {
    #expect(sightings(packet) == [Self.expected])
  }

  @Test(arguments: [
    BeaconPackets.monitored(BeaconPackets.beacon), BeaconPackets.discovered(BeaconPackets.beacon),
  ])
  func anEventOfTheKernelBecomesASighting(_ packet: [UInt8]) {
    #expect(management(packet) == Self.expected)
  }

  @Test func allReportsOfAnEventAreRead() {
    let legacy = BeaconPackets.event(
      2, (1...3).map { BeaconPackets.legacyReport(BeaconPackets.frame(minor: $0)) })
    #expect(sightings(legacy).map(\.beacon.minor) == [1, 2, 3])
    let extended = BeaconPackets.event(
      13, (1...3).map { BeaconPackets.extendedReport(BeaconPackets.frame(minor: $0)) })
    #expect(sightings(extended).map(\.beacon.minor) == [1, 2, 3])
  }

  @Test func anEventThatClaimsMoreReportsThanItHasGivesThoseItHas() {
    var packet = BeaconPackets.legacy(BeaconPackets.beacon)
    packet[4] = 25
    #expect(sightings(packet).count == 1)
  }

  @Test(arguments: [0, 127] as [Int8])
  func aStrengthThatMeansNothingIsNone(_ rssi: Int8) throws {
    let sighting = try #require(sightings(BeaconPackets.legacy(BeaconPackets.beacon, rssi: rssi)).first)
    #expect(sighting.rssi == nil)
  }

  @Test func truncatedReportsGiveNothing() {
    for whole in [BeaconPackets.legacy(BeaconPackets.beacon), BeaconPackets.extended(BeaconPackets.beacon)] {
      for length in 0..<whole.count { #expect(sightings(Array(whole.prefix(length))) == []) }
    }
  }

  @Test func truncatedEventsGiveNothing() {
    let whole = BeaconPackets.monitored(BeaconPackets.beacon)
    for length in 0..<whole.count { #expect(management(Array(whole.prefix(length))) == nil) }
  }

  @Test func otherEventsAreNoReports() {
    var packet = BeaconPackets.legacy(BeaconPackets.beacon)
    packet[3] = 0x0A
    #expect(sightings(packet) == [])
    #expect(management(BeaconPackets.management(0x13, BeaconPackets.found(BeaconPackets.beacon))) == nil)
  }

  @Test func anEmptyAdvertisementIsNotReadable() {
    for data in [[], [0], [0, 0, 0], [5, 9, 1]] as [[UInt8]] {
      #expect(!data.withUnsafeBytes { BeaconFrame.isReadable($0) })
    }
    #expect(BeaconPackets.flags.withUnsafeBytes { BeaconFrame.isReadable($0) })
  }
}
