import Testing

@testable import homeward

/// What draws power on a board without need.
// behaviour: What a battery is drained by
struct DrainFindingsTests {
  private func lines(_ scene: BoardScene, isRadioIdle: Bool = true) -> [String] {
    DrainFindings(board: scene.tree, isRadioIdle: isRadioIdle).findings().map(\.line)
  }

  @Test func aBareBoardHasNothingToName() { #expect(lines(.zero).isEmpty) }

  @Test func redLightIsNamedAndGreenOneIsNot() {
    let scene = BoardScene.four
    scene.put(["brightness": "255", "trigger": "none [default-on] mmc0"], in: "sys/class/leds/PWR")
    scene.put(["brightness": "255", "trigger": "[none] mmc0"], in: "sys/class/leds/ACT")
    #expect(
      lines(scene) == [
        "warn power: the light PWR is on -> echo 0 | sudo tee /sys/class/leds/PWR/brightness; for good, on "
          + "Raspberry Pi OS: dtparam=pwr_led_trigger=none in config.txt"
      ])
    scene.put("0\n", at: "sys/class/leds/PWR/brightness")
    #expect(lines(scene).isEmpty)
  }

  @Test func onTheImageTheOwnersFileIsTheRemedy() {
    let scene = BoardScene.four
    scene.put("", at: "usr/lib/homeward/homeward-power")
    scene.put(["brightness": "1"], in: "sys/class/leds/PWR")
    scene.radio("wlan")
    scene.radio("bluetooth")
    scene.device("1-1.2", "046d:c31c")
    let restart = " in /etc/homeward/power; then: sudo systemctl restart homeward-power"
    #expect(
      lines(scene) == [
        "warn power: the light PWR is on -> power_led = off" + restart,
        "warn power: WiFi is on, and connected to nothing now -> where it is never used: wifi = off"
          + restart,
        "warn power: Bluetooth is on, and no beacon is listened for -> bluetooth = off" + restart,
        "warn power: USB 1-1.2 (046d:c31c) may not sleep, and nothing needs it -> unplug it, or: usb_suspend = "
          + "046d:c31c" + restart,
      ])
  }

  @Test func pictureIsNamedWithOrWithoutScreen() {
    let scene = BoardScene.four
    scene.put(["enabled": "enabled", "status": "connected"], in: "sys/class/drm/card1-HDMI-A-1")
    scene.put(["enabled": "enabled", "status": "disconnected"], in: "sys/class/drm/card1-HDMI-A-2")
    scene.put(["enabled": "enabled", "status": "connected"], in: "sys/class/drm/card1-Writeback-1")
    #expect(
      lines(scene) == [
        "warn power: HDMI-A-1 makes a picture -> unplug the screen, or: video=HDMI-A-1:d behind the rest of "
          + "cmdline.txt",
        "warn power: HDMI-A-2 makes a picture, and there is no screen -> video=HDMI-A-2:d behind the rest of "
          + "cmdline.txt",
      ])
  }

  @Test func aConnectorThatIsOffIsNone() {
    let scene = BoardScene.four
    scene.put(["enabled": "disabled", "status": "connected"], in: "sys/class/drm/card1-HDMI-A-1")
    #expect(lines(scene).isEmpty)
  }

  @Test(arguments: [("up", true), ("down", false), ("dormant", false)])
  func wiFiIsNamedWhereItIsConnectedToNothing(_ state: String, _ isConnected: Bool) {
    let scene = BoardScene.zero
    scene.radio("wlan")
    scene.put("", at: "sys/class/net/wlan0/phy80211/name")
    scene.put(["operstate": state], in: "sys/class/net/wlan0")
    scene.put(["operstate": "up"], in: "sys/class/net/eth0")
    #expect(lines(scene).isEmpty == isConnected)
    let remedy = "-> where it is never used: sudo rfkill block wlan"
    #expect(isConnected || lines(scene).first?.hasSuffix(remedy) == true)
  }

  @Test(arguments: [(1, 0), (0, 1), (1, 1)]) func blockedRadiosAreOff(_ soft: Int, _ hard: Int) {
    let scene = BoardScene.zero
    scene.radio("wlan", soft: soft, hard: hard)
    scene.radio("bluetooth", soft: soft, hard: hard)
    #expect(lines(scene).isEmpty)
  }

  @Test func bluetoothIsNamedOnlyWhereNoBeaconNeedsIt() {
    let scene = BoardScene.zero
    scene.radio("bluetooth")
    #expect(lines(scene, isRadioIdle: false).isEmpty)
    #expect(
      lines(scene) == [
        "warn power: Bluetooth is on, and no beacon is listened for -> sudo rfkill block bluetooth"
      ])
  }

  @Test(arguments: [
    ("09", "nothing"), ("00", "tty/ttyACM0/dev"), ("ff", "ttyUSB0/port_number"),
    ("00", "usbmisc/cdc-wdm0/dev"),
    ("e0", "bluetooth/hci0/address"), ("00", "ieee80211/phy1/name"), ("00", "host0/uevent"),
  ])
  func hubsReceiversModemsRadiosAndDisksAreNeeded(_ kind: String, _ part: String) {
    let scene = BoardScene.four
    scene.device("1-1.2", "1234:abcd", kind: kind, parts: part)
    #expect(lines(scene).isEmpty)
  }

  @Test(arguments: [("1", 0), ("0", 1)]) func ethernetIsNeededWithItsCableIn(_ carrier: String, _ count: Int)
  {
    let scene = BoardScene("raspberrypi,3-model-b-plus", "brcm,bcm2837")
    scene.device("1-1.1.1", "0424:7800", kind: "ff")
    scene.put(["carrier": carrier], in: "sys/bus/usb/devices/1-1.1.1/1-1.1.1:1.0/net/eth0")
    #expect(lines(scene).count == count)
  }

  @Test func aDeviceThatMaySleepIsLeftAlone() {
    let scene = BoardScene.four
    scene.device("1-1.2", "046d:c31c", control: "auto")
    #expect(lines(scene).isEmpty)
    scene.put("on\n", at: "sys/bus/usb/devices/1-1.2/power/control")
    scene.put("Keyboard\n", at: "sys/bus/usb/devices/1-1.2/product")
    #expect(
      lines(scene) == [
        "warn power: USB 1-1.2 (046d:c31c, Keyboard) may not sleep, and nothing needs it -> unplug it, or: "
          + "echo auto | sudo tee /sys/bus/usb/devices/1-1.2/power/control"
      ])
  }
}
