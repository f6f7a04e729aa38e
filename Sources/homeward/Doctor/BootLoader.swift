/// The boot loader in the EEPROM of a Raspberry Pi 4 or 5 or their kin, as far as it decides what a board draws that is
/// switched off.
struct BootLoader {
  private enum Chip {
    case bcm2711, bcm2712
  }

  private let chip: Chip
  /// Names of this board in the conditions of its configuration.
  private let filters: Set<String>
  /// A board with a button of its own, which works without the processor's supplies.
  private let isOffByItself: Bool

  /// Nil: the board has no such EEPROM.
  init?(compatible: [String]) {
    if compatible.contains("brcm,bcm2711") {
      chip = .bcm2711
    } else if compatible.contains("brcm,bcm2712") {
      chip = .bcm2712
    } else {
      return nil
    }
    let name = compatible.first.map { String($0.split(separator: ",").last ?? "") } ?? ""
    var filters: Set<String> = [chip == .bcm2711 ? "pi4" : "pi5"]
    switch name {
    case "400": filters.insert("pi400")
    case "500": filters.insert("pi500")
    case "4-compute-module": filters.insert("cm4")
    case "4-compute-module-s": filters.insert("cm4s")
    case _ where name.hasPrefix("5-compute-module"): filters.insert("cm5")
    default: break
    }
    self.filters = filters
    isOffByItself = !filters.isDisjoint(with: ["pi400", "pi500", "cm5"])
  }

  /// The settings with which it draws least.
  var frugal: String { needsGPIO ? "POWER_OFF_ON_HALT=1 and WAKE_ON_GPIO=0" : "POWER_OFF_ON_HALT=1" }

  /// The price of them.
  var warning: String {
    needsGPIO
      ? "then only GLOBAL_EN or its supply starts it, no longer GPIO 3"
      : "not with a HAT that suffers from 5 V without 3.3 V"
  }

  /// The settings that leave power on, as they are in force; nil: none is.
  func waste(in text: String) -> String? {
    let off = value(of: "POWER_OFF_ON_HALT", in: text) ?? (isOffByItself ? "1" : "0")
    let wake = value(of: "WAKE_ON_GPIO", in: text) ?? "1"
    if needsGPIO, off == "1", wake != "0" { return "WAKE_ON_GPIO=\(wake)" }
    return off == "1" ? nil : "POWER_OFF_ON_HALT=\(off)"
  }

  /// A 4 switches its supplies off only where no pin is to wake it.
  private var needsGPIO: Bool { chip == .bcm2711 && !isOffByItself }

  /// The last value that is meant for this board: a condition in brackets holds until the next one, and one that is not
  /// about models, such as a serial number, does so until `[all]`.
  func value(of key: String, in text: String) -> String? {
    var isThisModel = true
    var isConditional = false
    var value: String?
    for line in text.split(whereSeparator: \.isNewline) {
      let words = String(line.prefix { $0 != "#" }).trimmed
      if words.hasPrefix("["), words.hasSuffix("]") {
        switch String(words.dropFirst().dropLast()) {
        case "all": (isThisModel, isConditional) = (true, false)
        case let model where model == "none" || model.hasPrefix("pi") || model.hasPrefix("cm"):
          isThisModel = filters.contains(model)
        default: isConditional = true
        }
      } else if isThisModel, !isConditional, words.hasPrefix(key + "=") {
        value = String(words.dropFirst(key.count + 1)).trimmed
      }
    }
    return value
  }
}
