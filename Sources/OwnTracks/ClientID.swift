import Model

/// The client id in the forms that it may have.
enum ClientID {
  /// A setting as it is: some brokers let a board in under its registered name only. MQTT forbids control characters,
  /// which are left out. Nil: nothing can be seen of it.
  static func configured(_ setting: String) -> String? {
    let kept = String(setting.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    return kept.allSatisfy(\.isWhitespace) ? nil : kept
  }

  /// Letters and digits alone: ids of earlier versions, also of those that were set, by which Home Assistant knows a
  /// board. Nil: there are none.
  static func bare(_ name: String) -> String? {
    let kept = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    return kept.isEmpty ? nil : kept
  }

  /// As earlier versions made it. Two boards may get the same.
  static func joined(_ user: String, _ device: String, host: String) -> String {
    bare(user + device) ?? bare(host) ?? "homeward"
  }

  /// Letters and digits stand for themselves, the first `-` is the mark between user and device, `__` is `_`,
  /// and any other byte is `_` with two digits: what it was made of can be read from it, so two boards never
  /// get the same. jane and van are `jane-van`.
  static func apart(_ user: String, _ device: String) -> String {
    guard !user.isEmpty else {
      // Nothing is published under it.
      return device.isEmpty ? "homeward" : escaped(device, keeping: nil)
    }
    return escaped(user, keeping: nil) + "-" + escaped(device, keeping: UInt8(ascii: "-"))
  }

  private static func escaped(_ name: String, keeping kept: UInt8?) -> String {
    var result = ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), kept:
        result.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: "_"): result += "__"
      default: result += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}
