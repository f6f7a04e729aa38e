import Model
import OwnTracks
import Testing
import Timebase

@Suite struct BeaconMessageTests {
  private func report(_ distance: Double = 1.995, region: String? = "Main") -> Report {
    let uuid = BeaconUUID(high: 0xCA27_1EAE_5FA8_4E80, low: 0x8F08_2A30_2A95_A959)
    return .beacon(
      BeaconReport(
        beacon: BeaconNumber(uuid: uuid, major: 1, minor: 51_966), distance: distance, rssi: -65,
        time: WallTime(seconds: start + 0.4), region: region))
  }

  @Test func allItsFields() {
    let message = encoder { $0.messages.retain = true }.encode(report())
    #expect(message.topic == "owntracks/u/d/beacon")
    #expect(!message.isRetained && !message.isEvent && message.qos == 1 && message.time == 1_700_000_000)
    #expect(
      text(message.payload) == #"{"_type":"beacon","acc":2,"desc":"Main","major":1,"minor":51966,"prox":2,"#
        + #""rssi":-65,"tid":"D","tst":1700000000,"uuid":"CA271EAE-5FA8-4E80-8F08-2A302A95A959"}"#)
  }

  @Test func anUnsharedRegionIsNotNamed() throws {
    #expect(try payload(encoder().encode(report(region: nil)))["desc"] == nil)
  }

  @Test func metresMayHaveDecimals() throws {
    let message = encoder { $0.beacons.accuracyDecimals = 2 }.encode(report())
    #expect(try payload(message)["acc"] == 2.0)
    let other = encoder { $0.beacons.accuracyDecimals = 2 }.encode(report(1.234))
    #expect(try payload(other)["acc"] == 1.23)
  }

  @Test(arguments: [(1, "0.1"), (2, "0.04"), (3, "0.035")])
  func aVeryNearOneIsNotUnknownEither(decimals: Int, written: String) throws {
    let message = encoder { $0.beacons.accuracyDecimals = decimals }.encode(report(0.035))
    #expect(text(message.payload).contains("\"acc\":\(written),"))
  }

  // behaviour: Ranging
  @Test(arguments: [0, 0.04, 0.49])
  func aNearOneIsAMetreAwayAndNotUnknown(metres: Double) throws {
    #expect(try payload(encoder().encode(report(metres)))["acc"] == 1)
  }

  @Test(arguments: [(0.49, 1), (0.5, 2), (3.99, 2), (4, 3), (1e9, 3)])
  func proximityHasThreeClasses(metres: Double, prox: Int) throws {
    #expect(try payload(encoder().encode(report(metres)))["prox"]?.int == prox)
  }

  @Test func aBeaconsTransitionSaysSo() throws {
    var region = home
    region.radius = 0
    region.beacon = BeaconIdentity(uuid: "CA271EAE-5FA8-4E80-8F08-2A302A95A959")
    let json = try payload(encoder().encode(transition(region)))
    #expect(json["t"] == "b" && json["rad"] == nil && json["desc"] == "Home")
  }
}
