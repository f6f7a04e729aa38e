/// Frames of u-blox: written to a receiver through gpsd, which passes them on as they are (`hexdata` of `?DEVICE`,
/// gpsd_json(5)). A gpsd with `-b` takes the command, and passes on nothing.
enum UBX {
  /// gpsd's name of the driver that knows such frames.
  private static let driver = "u-blox"

  /// Two bytes of mark, class and kind, length, content, and Fletcher's sum over all but the mark.
  static func frame(_ kind: [UInt8], _ content: [UInt8]) -> [UInt8] {
    let body = kind + [UInt8(content.count & 0xFF), UInt8(content.count >> 8)] + content
    var (first, second): (UInt8, UInt8) = (0, 0)
    for byte in body {
      first &+= byte
      second &+= first
    }
    return [0xB5, 0x62] + body + [first, second]
  }

  /// The command that has gpsd write this to the receiver that is used. Empty: that one does not understand it, or
  /// gpsd has not said what it is.
  static func command(_ frames: [UInt8], to receivers: GPSDReceivers) -> String {
    guard let number = receivers.chosen ?? receivers.known.indices.first,
      receivers.known[number].driver == driver
    else { return "" }
    let path = GPSD.escaped(receivers.known[number].path)
    return #"?DEVICE={"path":""# + path + #"","hexdata":""# + hexadecimal(frames) + "\"};\n"
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
