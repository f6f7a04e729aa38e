import Model
import Testing

@testable import Radio

@Suite struct BeaconFrameTests {
  static let number = BeaconNumber(
    uuid: BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0), major: 1, minor: 7)

  func find(_ data: [UInt8]) -> BeaconFrame.Found? {
    // A buffer of its own size: what reads beyond it is found by the memory checker.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: data)
    return BeaconFrame.find(in: UnsafeRawBufferPointer(copy))
  }

  @Test func aFrameIsRead() {
    #expect(find(BeaconPackets.beacon) == .init(beacon: Self.number, power: -59))
  }

  @Test func numbersAreReadHighByteFirst() {
    let found = find(BeaconPackets.frame(major: 0x1234, minor: 0xFEDC))
    #expect(found?.beacon.major == 0x1234)
    #expect(found?.beacon.minor == 0xFEDC)
  }

  @Test func aFrameBehindOtherStructuresIsFound() {
    let name: [UInt8] = [5, 9, 0x47, 0x61, 0x74, 0x65]
    #expect(find(BeaconPackets.flags + name + BeaconPackets.frame()) != nil)
  }

  @Test func moreBytesInTheSameStructureDoNotMatter() {
    var frame = BeaconPackets.frame()
    frame[0] += 1
    #expect(find(frame + [0x64])?.power == -59)
  }

  @Test func theFirstOfTwoFramesCounts() {
    let two = BeaconPackets.frame(minor: 1) + BeaconPackets.frame(minor: 2)
    #expect(find(two)?.beacon.minor == 1)
  }

  @Test(arguments: 0..<30)
  func aFrameCutShortIsNone(_ length: Int) {
    #expect(find(Array(BeaconPackets.beacon.prefix(length))) == nil)
  }

  @Test func aStructureThatClaimsLessThanAFrameIsNone() {
    var frame = BeaconPackets.frame()
    frame[0] = 0x19
    #expect(find(frame) == nil)
  }

  @Test func nothingIsSoughtBehindPadding() {
    #expect(find(BeaconPackets.flags + [0] + BeaconPackets.frame()) == nil)
  }

  @Test(arguments: [1, 2, 3, 4, 5])
  func anotherOpeningIsNoFrame(_ place: Int) {
    var frame = BeaconPackets.frame()
    frame[place] ^= 0x80
    #expect(find(frame) == nil)
  }

  @Test(arguments: BeaconPackets.cut)
  func truncatedPacketIsNoBeacon(_ packet: [UInt8]) {
    #expect(find(packet) == nil)
  }

  @Test func aPaddedFrameIsRead() {
    #expect(find(BeaconPackets.padded)?.beacon.minor == 7)
  }

  @Test func aFrameBehindADefectStructureIsFound() {
    let defect: [UInt8] = [2, 0xFF, 0]
    #expect(find(defect + BeaconPackets.frame()) != nil)
  }
}
