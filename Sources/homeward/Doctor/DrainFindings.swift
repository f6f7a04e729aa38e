import OwnTracks

/// The doctor's findings about what draws power while the board is on, and is of no use to a tracker: its red light, a
/// picture, radios that are connected to nothing, and devices on USB.
struct DrainFindings {
  var board: BoardTree
  /// The daemon says that no beacon is listened for. False where no daemon runs to ask.
  var isRadioIdle: Bool

  func findings() -> [Finding] { lights + pictures + radios + devices }

  // Light and picture

  /// As the kernel calls the red one: the green one tells how the tracker is.
  private var lights: [Finding] {
    ["PWR", "led1"].compactMap { name in
      let light = "/sys/class/leds/\(name)"
      guard let level = board.text("\(light)/brightness").flatMap({ Int($0) }), level > 0 else { return nil }
      return Finding(
        .warn, "power", "the light \(name) is on",
        remedy: board.isImage
          ? Self.ownFile("power_led = off")
          : "echo 0 | sudo tee \(light)/brightness; for good, on Raspberry Pi OS: "
            + "dtparam=pwr_led_trigger=none in config.txt")
    }
  }

  private var pictures: [Finding] {
    let folder = "/sys/class/drm"
    return board.names(folder).compactMap { name in
      guard let start = name.firstRange(of: "-HDMI-")?.lowerBound,
        board.text("\(folder)/\(name)/enabled") == "enabled"
      else { return nil }
      let connector = name[start...].dropFirst()
      let hasScreen = board.text("\(folder)/\(name)/status") == "connected"
      return Finding(
        .warn, "power", "\(connector) makes a picture\(hasScreen ? "" : ", and there is no screen")",
        remedy: (hasScreen ? "unplug the screen, or: " : "")
          + "video=\(connector):d behind the rest of cmdline.txt")
    }
  }

  // Radios

  private var radios: [Finding] {
    var found: [Finding] = []
    if isOn("wlan"), !isWiFiConnected {
      found.append(
        Finding(
          .warn, "power", "WiFi is on, and connected to nothing now",
          remedy: "where it is never used: " + switchOff("wifi", "wlan")))
    }
    if isRadioIdle, isOn("bluetooth") {
      found.append(
        Finding(
          .warn, "power", "Bluetooth is on, and no beacon is listened for",
          remedy: switchOff("bluetooth", "bluetooth")))
    }
    return found
  }

  private func switchOff(_ key: String, _ kind: String) -> String {
    board.isImage ? Self.ownFile("\(key) = off") : "sudo rfkill block \(kind)"
  }

  private func isOn(_ kind: String) -> Bool {
    let folder = "/sys/class/rfkill"
    return board.names(folder).contains { name in
      board.text("\(folder)/\(name)/type") == kind && board.text("\(folder)/\(name)/soft") == "0"
        && board.text("\(folder)/\(name)/hard") != "1"
    }
  }

  /// As a client, or as the point that others connect to.
  private var isWiFiConnected: Bool {
    let folder = "/sys/class/net"
    return board.names(folder).contains { name in
      board.has("\(folder)/\(name)/phy80211") && board.text("\(folder)/\(name)/operstate") == "up"
    }
  }

  // USB

  private static let usb = "/sys/bus/usb/devices"

  private var devices: [Finding] {
    board.names(Self.usb).compactMap { name in
      let device = "\(Self.usb)/\(name)"
      guard !name.contains(":"), board.text("\(device)/power/control") == "on", !isNeeded(device),
        let vendor = board.text("\(device)/idVendor"), let product = board.text("\(device)/idProduct")
      else { return nil }
      let id = "\(vendor):\(product)"
      let title = board.text("\(device)/product").map { ", \($0)" } ?? ""
      return Finding(
        .warn, "power", "USB \(name) (\(id)\(title)) may not sleep, and nothing needs it",
        remedy: "unplug it, or: "
          + (board.isImage
            ? Self.ownFile("usb_suspend = \(id)") : "echo auto | sudo tee \(device)/power/control"))
    }
  }

  /// As `homeward-power` sees it: hubs, receivers, modems and cables that are in stay awake. So do radios, which have
  /// lines of their own above, and disks: the store may be on one.
  private func isNeeded(_ device: String) -> Bool {
    if board.text("\(device)/bDeviceClass") == "09" { return true }
    let parts = board.names(device).filter { $0.contains(":") }.map { "\(device)/\($0)" }
    return parts.contains { part in
      board.names(part).contains { name in
        name.hasPrefix("tty") || name.hasPrefix("host")
          || ["usbmisc", "bluetooth", "ieee80211"].contains(name)
      }
        || board.names("\(part)/net").contains { board.text("\(part)/net/\($0)/carrier") == "1" }
    }
  }

  private static func ownFile(_ line: String) -> String {
    "\(line) in /etc/homeward/power; then: sudo systemctl restart homeward-power"
  }
}
