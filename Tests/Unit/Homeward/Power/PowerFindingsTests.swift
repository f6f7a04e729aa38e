import Model
import OwnTracks
import Testing

@testable import homeward

/// Which boards the doctor looks at for what drains a battery.
// behaviour: What a battery is drained by
struct PowerFindingsTests {
  private func lines(_ scene: BoardScene, _ settings: Configuration?, _ status: StatusRecord? = nil)
    -> [String]
  {
    PowerFindings(settings, status, board: scene.tree).findings().map(\.line)
  }

  private func parked() -> Configuration {
    var settings = Configuration()
    settings.power.parkedShutdown = 600
    return settings
  }

  private func lit(_ scene: BoardScene) -> BoardScene {
    scene.put(["brightness": "255"], in: "sys/class/leds/PWR")
    return scene
  }

  @Test func nothingIsSaidOfABoardOnTheMains() {
    #expect(lines(lit(.five), Configuration()).isEmpty)
    #expect(lines(lit(.five), nil).isEmpty)
  }

  @Test func nothingIsSaidOfAPC() {
    let scene = lit(BoardScene())
    scene.put(["type": "Battery"], in: "sys/class/power_supply/BAT0")
    #expect(lines(scene, parked()).isEmpty)
  }

  @Test func eachSignOfABatteryCounts() {
    var volts = Configuration()
    volts.power.vehicleBattery = Written("ina219")
    var empty = Configuration()
    empty.power.vehicleBatteryOff = 11.5
    var gauge = Configuration()
    gauge.power.batterySource = Written("max17040")
    for settings in [parked(), volts, empty, gauge] {
      #expect(lines(lit(.zero), settings).contains { $0.hasPrefix("warn power: the light PWR is on") })
    }
    #expect(lines(lit(.zero), nil, ["battery": ["percent": 50]]).count == 1)
  }

  @Test(arguments: [("Battery", "System", 1), ("Battery", "", 1), ("Battery", "Device", 0), ("Mains", "", 0)])
  func kernelsBatteryCountsUnlessItIsAMouses(_ type: String, _ scope: String, _ count: Int) {
    let scene = lit(.zero)
    scene.put(["type": type], in: "sys/class/power_supply/cell")
    if !scope.isEmpty { scene.put(["scope": scope], in: "sys/class/power_supply/cell") }
    #expect(lines(scene, Configuration()).count == count)
  }

  @Test func aBoardWithoutDrainsIsInOrder() {
    var settings = Configuration()
    settings.power.vehicleBattery = Written("ina219")
    #expect(
      lines(.zero, settings) == [
        "ok power: this board runs on a battery; nothing that can be seen is on without need"
      ])
  }

  @Test func clocksCountWithEitherEndOfTheBoard() {
    var empty = Configuration()
    empty.power.vehicleBatteryOff = 11.5
    for settings in [parked(), empty] {
      #expect(lines(.zero, settings).last?.contains("no clock (RTC)") == true)
    }
  }

  @Test func idleScannerMeansThatBluetoothIsNotNeeded() {
    let scene = BoardScene.zero
    scene.radio("bluetooth")
    let needed: StatusRecord = ["scanner": ["state": "listening"]]
    let idle: StatusRecord = ["scanner": ["state": "idle"]]
    #expect(!lines(scene, parked(), needed).contains { $0.contains("Bluetooth") })
    #expect(lines(scene, parked(), idle).contains { $0.contains("Bluetooth") })
  }
}
