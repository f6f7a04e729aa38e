/// Frames of u-blox, as gpsd passes them on: to a receiver with `hexdata` of `?DEVICE`, from it as a line of hexadecimal
/// digits each with `"raw":1` (gpsd_json(5)). A gpsd with `-b` takes the command, and passes nothing on to the receiver.
enum UBX {
  /// gpsd's name of the driver that knows such frames.
  private static let driver = "u-blox"
  private static let mark: [UInt8] = [0xB5, 0x62]
  /// Mark, class and kind, length; and the sum at its end.
  private static let (head, tail) = (6, 2)

  /// Two bytes of mark, class and kind, length, content, and Fletcher's sum over all but the mark.
  static func frame(_ kind: [UInt8], _ content: [UInt8]) -> [UInt8] {
    let body = kind + [UInt8(content.count & 0xFF), UInt8(content.count >> 8)] + content
    return mark + body + sum(body[...])
  }

  private static func sum(_ body: ArraySlice<UInt8>) -> [UInt8] {
    var (first, second): (UInt8, UInt8) = (0, 0)
    for byte in body {
      first &+= byte
      second &+= first
    }
    return [first, second]
  }

  /// The command that has gpsd write this to the receiver that is used. Empty: that one does not understand it, or
  /// gpsd has not said what it is.
  static func command(_ frames: [UInt8], to receivers: GPSDReceivers) -> String {
    guard understands(receivers), let number = used(receivers) else { return "" }
    let path = GPSD.escaped(receivers.known[number].path)
    return #"?DEVICE={"path":""# + path + #"","hexdata":""# + hexadecimal(frames) + "\"};\n"
  }

  /// Whether the receiver that is used is one of u-blox.
  static func understands(_ receivers: GPSDReceivers) -> Bool {
    used(receivers).map { receivers.known[$0].driver == driver } ?? false
  }

  private static func used(_ receivers: GPSDReceivers) -> Int? {
    receivers.chosen ?? receivers.known.indices.first
  }

  // MARK: What gpsd repeats

  /// Class and kind of the frame in a line. Nil: there is none.
  static func kind(_ line: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let start = bytes(line.prefix(2 * (mark.count + 2))), start.count == mark.count + 2,
      start.starts(with: mark)
    else { return nil }
    return Array(start[mark.count...])
  }

  /// The content of the frame in a line. Nil: it is cut off, or damaged.
  static func content(_ line: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let frame = bytes(line[...]), frame.count >= head + tail, frame.starts(with: mark),
      frame.count == head + tail + Int(frame[4]) + Int(frame[5]) << 8,
      frame.suffix(tail).elementsEqual(sum(frame[mark.count..<frame.count - tail]))
    else { return nil }
    return Array(frame[head..<frame.count - tail])
  }

  /// Nil: not hexadecimal digits alone, two a byte.
  private static func bytes(_ digits: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var (bytes, high): ([UInt8], UInt8?) = ([], nil)
    bytes.reserveCapacity(digits.count / 2)
    for letter in digits {
      guard let value = value(of: letter) else { return nil }
      if let first = high { bytes.append(first << 4 | value) }
      high = high == nil ? value : nil
    }
    return bytes
  }

  private static func value(of letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): letter - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
