import CBlueZ
import TestSupport
import Testing

@testable import Radio

/// The programs run in this machine's kernel, on a pair of plain sockets.
@Suite struct BeaconFilterTests {
  let ends = Ends(datagram: true)

  func passes(_ packet: [UInt8], _ program: [cbluez_instruction]) -> Bool {
    guard cbluez_attach_filter(ends.near, program, UInt16(program.count)) == 1 else { return false }
    // A packet that is dropped is an error for the sender on this kind of socket, or nothing at all.
    _ = cbluez_send(ends.far, packet, packet.count)
    var buffer = [UInt8](repeating: 0, count: 1024)
    return cbluez_receive(ends.near, &buffer, buffer.count) == packet.count
  }

  static let stranger: [UInt8] = BeaconPackets.flags + [7, 0xFF, 0x4C, 0, 0x10, 5, 1, 2]
  static let beacons = [
    BeaconPackets.beacon, BeaconPackets.frame(), BeaconPackets.flags + [2, 10, 4] + BeaconPackets.frame(),
    BeaconPackets.padded, [2, 0xFF, 0] + BeaconPackets.frame(),
  ]
  static let strangers =
    [stranger, [], BeaconPackets.flags, Array(BeaconPackets.beacon.prefix(6)), [0, 0, 0, 0]]
    + BeaconPackets.cut.prefix(8)

  @Test(arguments: beacons)
  func iBeaconsPass(_ data: [UInt8]) {
    #expect(passes(BeaconPackets.monitored(data), BeaconFilter.beacons.managementProgram))
    #expect(passes(BeaconPackets.discovered(data), BeaconFilter.beacons.managementProgram))
    #expect(passes(BeaconPackets.legacy(data), BeaconFilter.beacons.rawProgram))
    #expect(passes(BeaconPackets.extended(data), BeaconFilter.beacons.rawProgram))
  }

  @Test(arguments: strangers)
  func strangersDoNot(_ data: [UInt8]) {
    #expect(!passes(BeaconPackets.monitored(data), BeaconFilter.beacons.managementProgram))
    #expect(!passes(BeaconPackets.discovered(data), BeaconFilter.beacons.managementProgram))
    #expect(!passes(BeaconPackets.legacy(data), BeaconFilter.beacons.rawProgram))
    #expect(!passes(BeaconPackets.extended(data), BeaconFilter.beacons.rawProgram))
  }

  @Test func everybodyPassesTheOpenFilter() {
    #expect(passes(BeaconPackets.monitored(Self.stranger), BeaconFilter.everything.managementProgram))
    #expect(passes(BeaconPackets.legacy(Self.stranger), BeaconFilter.everything.rawProgram))
  }

  @Test func closedFilterDropsAdvertisements() {
    #expect(!passes(BeaconPackets.monitored(BeaconPackets.beacon), BeaconFilter.nothing.managementProgram))
    #expect(!passes(BeaconPackets.legacy(BeaconPackets.beacon), BeaconFilter.nothing.rawProgram))
    let several = BeaconPackets.event(2, [BeaconPackets.legacyReport([]), BeaconPackets.legacyReport([])])
    #expect(!passes(several, BeaconFilter.nothing.rawProgram))
  }

  @Test func controlEventsPassEveryFilter() {
    let reply = BeaconPackets.management(1, [0x52, 0, 0, 1, 0])
    let added = BeaconPackets.management(0x20, [0, 1])
    let complete: [UInt8] = [4, 0x0E, 4, 1, 1, 0x10, 0]
    for filter in [BeaconFilter.nothing, .beacons, .everything] {
      #expect(passes(reply, filter.managementProgram))
      #expect(passes(added, filter.managementProgram))
      #expect(passes(complete, filter.rawProgram))
    }
  }

  @Test func severalReportsInOneEventAreLeftToTheParser() {
    let several = BeaconPackets.event(
      2, [BeaconPackets.legacyReport(Self.stranger), BeaconPackets.legacyReport(BeaconPackets.beacon)])
    #expect(passes(several, BeaconFilter.beacons.rawProgram))
  }

  @Test func anAdvertisementOfManyStructuresIsLeftToTheParser() {
    let many = (0..<12).flatMap { _ in [1, 0x16] as [UInt8] } + BeaconPackets.frame()
    #expect(passes(BeaconPackets.monitored(many), BeaconFilter.beacons.managementProgram))
  }

  @Test func otherEventsOfLowEnergyAreDropped() {
    #expect(!passes([4, 0x3E, 4, 0x01, 1, 0, 0], BeaconFilter.beacons.rawProgram))
  }
}
