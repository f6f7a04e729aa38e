import Glibc
import Testing

@testable import homeward

/// What a board draws that is switched off, and who wakes it.
// behaviour: What a battery is drained by
struct HaltFindingsTests {
  private func lines(_ scene: BoardScene, isSwitchedOff: Bool = false, isWoken: Bool = false) -> [String] {
    HaltFindings(board: scene.tree, isSwitchedOff: isSwitchedOff, isWoken: isWoken).findings().map(\.line)
  }

  private let five =
    "sudo rpi-eeprom-config --edit: POWER_OFF_ON_HALT=1; not with a HAT that suffers from 5 V without 3.3 V"
  private let four =
    "sudo rpi-eeprom-config --edit: POWER_OFF_ON_HALT=1 and WAKE_ON_GPIO=0; then only GLOBAL_EN or its supply "
    + "starts it, no longer GPIO 3"

  @Test(arguments: ["[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\n", "[all]\nBOOT_UART=1\n", ""])
  func aFiveAsItIsSoldKeepsItsPowerOn(_ text: String) {
    let scene = BoardScene.five
    scene.loader(text)
    #expect(
      lines(scene) == [
        "warn power: its EEPROM keeps the power on after a halt (POWER_OFF_ON_HALT=0) -> \(five)"
      ])
  }

  @Test func aFiveThatSwitchesItsPowerOffIsNotNamed() {
    let scene = BoardScene.five
    scene.loader("[all]\nPOWER_OFF_ON_HALT=1\nWAKE_ON_GPIO=1\n")
    #expect(lines(scene).isEmpty)
  }

  @Test(arguments: [
    ("POWER_OFF_ON_HALT=0\nWAKE_ON_GPIO=0", "POWER_OFF_ON_HALT=0"),
    ("POWER_OFF_ON_HALT=1", "WAKE_ON_GPIO=1"), ("POWER_OFF_ON_HALT=1\nWAKE_ON_GPIO=2", "WAKE_ON_GPIO=2"),
    ("POWER_OFF_ON_HALT=1\nWAKE_ON_GPIO=0", nil),
  ])
  func aFourNeedsBothSettings(_ text: String, _ words: String?) {
    let scene = BoardScene.four
    scene.loader(text)
    #expect(
      lines(scene)
        == (words.map {
          ["warn power: its EEPROM keeps the power on after a halt (\($0)) -> \(four)"]
        } ?? []))
  }

  @Test(arguments: [
    ("raspberrypi,400", "brcm,bcm2711"), ("raspberrypi,500", "brcm,bcm2712"),
    ("raspberrypi,5-compute-module-cm5io", "brcm,bcm2712"),
  ])
  func boardsWithAButtonSwitchOffByThemselves(_ name: String, _ chip: String) {
    let scene = BoardScene(name, chip)
    scene.loader("[all]\n")
    #expect(lines(scene).isEmpty)
    scene.loader("[all]\nPOWER_OFF_ON_HALT=0\n")
    #expect(lines(scene).count == 1)
  }

  @Test(arguments: [
    ("[pi5]\nPOWER_OFF_ON_HALT=1\n[pi4]\nPOWER_OFF_ON_HALT=0\n", false),
    ("[pi4]\nPOWER_OFF_ON_HALT=1\n", true), ("[none]\nPOWER_OFF_ON_HALT=1\n", true),
    ("[0x1234abcd]\nPOWER_OFF_ON_HALT=1\n[pi5]\nPOWER_OFF_ON_HALT=1\n", true),
    ("[0x1234abcd]\nX=1\n[all]\nPOWER_OFF_ON_HALT=1\n", false),
    ("POWER_OFF_ON_HALT=0\r\nPOWER_OFF_ON_HALT = 1\r\nPOWER_OFF_ON_HALT=1 # at last\r\n", false),
    ("#POWER_OFF_ON_HALT=1\n", true), ("MY_POWER_OFF_ON_HALT=1\n", true),
  ])
  func conditionsOfTheConfigurationCount(_ text: String, _ keepsPower: Bool) {
    let scene = BoardScene.five
    scene.loader(text)
    #expect(lines(scene).isEmpty != keepsPower)
  }

  /// The kernel of Debian or an old firmware may not show it.
  @Test func whereItCannotBeReadAPersonLooks() {
    #expect(
      lines(.five) == [
        "ok power: whether its EEPROM keeps the power on after a halt cannot be read here -> rpi-eeprom-config "
          + "shows it: with POWER_OFF_ON_HALT=1 it draws least"
      ])
    #expect(lines(.four).first?.contains("POWER_OFF_ON_HALT=1 and WAKE_ON_GPIO=0 it draws least") == true)
  }

  @Test func aBoardWithoutEEPROMHasNone() {
    #expect(lines(.zero).isEmpty)
    #expect(lines(BoardScene("raspberrypi,3-model-b-plus", "brcm,bcm2837")).isEmpty)
  }

  @Test func clocksCountOnlyForABoardThatTheTrackerSwitchesOff() {
    let scene = BoardScene.zero
    scene.clock(["wakealarm": ""])
    #expect(lines(scene).isEmpty)
    #expect(lines(scene, isSwitchedOff: true).count == 1)
  }

  @Test func withoutAClockItIsSaidAndNoFault() {
    #expect(
      lines(.zero, isSwitchedOff: true) == [
        "ok power: the kernel has no clock (RTC) that could wake it: once off, its supply or a button starts it"
      ])
  }

  // behaviour: Check-ins of a parked board
  @Test func checkInsTakeSomethingThatWakesTheBoard() {
    let scene = BoardScene.zero
    #expect(
      lines(scene, isSwitchedOff: true, isWoken: true) == [
        "warn power: parkedWake is set, and nothing can wake this board: the kernel has no clock (RTC) -> a clock with an "
          + "alarm, or a program in /etc/homeward/wake that sets one (docs/vehicle.md)"
      ])
    scene.put("#!/bin/sh\n", at: "/etc/homeward/wake")
    let named = lines(scene, isSwitchedOff: true, isWoken: true)
    #expect(named.count == 2 && named.first?.contains("/etc/homeward/wake may not be run -> ") == true)
    chmod(scene.tree.root + "/etc/homeward/wake", 0o755)
    // A test that is not root's has made it its own.
    #expect(lines(scene, isSwitchedOff: true, isWoken: true).isEmpty == (getuid() == 0))
    let other = BoardScene.zero
    other.clock()
    #expect(lines(other, isSwitchedOff: true, isWoken: true).isEmpty)
  }

  @Test func aClockInOrderIsNotNamed() {
    let scene = BoardScene.zero
    scene.clock()
    #expect(lines(scene, isSwitchedOff: true).isEmpty)
    scene.clock(["battery_voltage": "3012345", "charging_voltage_min": "1300000"])
    #expect(lines(scene, isSwitchedOff: true).isEmpty)
  }

  @Test func aClockWithoutAlarmCannotWakeTheBoard() {
    let scene = BoardScene.zero
    scene.clock(["wakealarm": ""])
    #expect(
      lines(scene, isSwitchedOff: true) == [
        "warn power: rtc0 cannot wake the board: it has no alarm that the kernel may set -> a clock whose alarm "
          + "starts the board; wakeup-source behind its dtoverlay in config.txt, if it is one"
      ])
  }

  @Test(arguments: [("20000", "1300000", "0"), ("1200000", "1300000", "1.2"), ("1000000", "", "1")])
  func aClockWithoutCellIsNamedWithItsVoltage(_ volts: String, _ least: String, _ words: String) {
    let scene = BoardScene.zero
    scene.clock(["battery_voltage": volts, "charging_voltage_min": least, "since_epoch": "0"])
    #expect(
      lines(scene, isSwitchedOff: true) == [
        "warn power: rtc0 has no cell, or an empty one (\(words) V): it wakes the board only while the supply stays "
          + "-> a rechargeable cell at its connector, and dtparam=rtc_bbat_vchg=3000000 in config.txt"
      ])
  }

  /// 1970, the first second of 2000, the last of 2019; and a clock whose driver says that its time is void.
  @Test(arguments: ["0", "946684800", "1577836799", "", "?"]) func aClockThatHasLostItsTimeIsNamed(
    _ time: String
  ) {
    let scene = BoardScene.zero
    scene.clock(["since_epoch": time])
    #expect(
      lines(scene, isSwitchedOff: true) == [
        "warn power: rtc0 has lost its time -> a new cell for it; once the board's own time is right: sudo hwclock "
          + "--systohc"
      ])
  }

  @Test func theFirstSecondOf2020IsATime() {
    let scene = BoardScene.zero
    scene.clock(["since_epoch": "1577836800"])
    #expect(lines(scene, isSwitchedOff: true).isEmpty)
  }
}
