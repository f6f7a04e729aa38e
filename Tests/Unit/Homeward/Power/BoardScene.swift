import TestSupport

@testable import homeward

/// A board as its kernel shows it, in a folder of its own.
struct BoardScene {
  private let folder = Scratch()

  var tree: BoardTree { BoardTree(root: folder.path) }

  /// `compatible`: its names in the device tree; none: a PC.
  init(_ compatible: String...) {
    guard !compatible.isEmpty else { return }
    put(compatible.map { $0 + "\0" }.joined(), at: "sys/firmware/devicetree/base/compatible")
  }

  static var zero: BoardScene { BoardScene("raspberrypi,model-zero-2-w", "brcm,bcm2837") }
  static var four: BoardScene { BoardScene("raspberrypi,4-model-b", "brcm,bcm2711") }
  static var five: BoardScene { BoardScene("raspberrypi,5-model-b", "brcm,bcm2712") }

  func put(_ text: String, at name: String) {
    // By its bytes: a zero ends what fputs writes.
    folder.put("", at: name)
    try? AtomicFile.write(Array(text.utf8), to: "\(folder.path)/\(name)")
  }

  func put(_ files: [String: String], in directory: String) {
    for (name, text) in files { put(text + "\n", at: "\(directory)/\(name)") }
  }

  /// The boot loader's configuration beside another part of its EEPROM, as the kernel lists both.
  func loader(_ text: String) {
    put(
      "raspberrypi,bootloader-public-key\0nvmem-rmem\0", at: "sys/bus/nvmem/devices/rmem0/of_node/compatible")
    put("not for people", at: "sys/bus/nvmem/devices/rmem0/nvmem")
    put("raspberrypi,bootloader-config\0nvmem-rmem\0", at: "sys/bus/nvmem/devices/rmem1/of_node/compatible")
    put(text + "\0\0\0POWER_OFF_ON_HALT=7\n", at: "sys/bus/nvmem/devices/rmem1/nvmem")
  }

  /// A clock that is in order, but for these files; an empty text takes a file away.
  func clock(_ changes: [String: String] = [:]) {
    var files = ["wakealarm": " ", "since_epoch": "1764460800"]
    for (name, text) in changes { files[name] = text.isEmpty ? nil : text }
    put(files, in: "sys/class/rtc/rtc0")
  }

  /// A switch of the kernel's.
  func radio(_ kind: String, soft: Int = 0, hard: Int = 0) {
    put(["type": kind, "soft": "\(soft)", "hard": "\(hard)"], in: "sys/class/rfkill/rfkill-\(kind)")
  }

  /// A device on USB that may not sleep, with one part that has these folders.
  func device(_ name: String, _ id: String, kind: String = "00", control: String = "on", parts: String...) {
    let ids = id.split(separator: ":").map(String.init)
    let place = "sys/bus/usb/devices/\(name)"
    put(["idVendor": ids[0], "idProduct": ids[1], "bDeviceClass": kind, "power/control": control], in: place)
    put("", at: "\(place)/\(name):1.0/bInterfaceNumber")
    for part in parts { put("", at: "\(place)/\(name):1.0/\(part)") }
  }
}

extension Finding {
  /// On one line, as tests read it.
  var line: String { "\(verdict) \(subject): \(text)" + (remedy.map { " -> \($0)" } ?? "") }
}
