/// CRC-32 as in Ethernet and zip (polynomial 0xEDB88320, reflected): finds every burst of 32 bits.
enum Checksum {
  /// A step for each value of a byte. Made with the first sum: a kilobyte.
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1
    }
  }

  /// `seed` is the checksum of the bytes before, for a sum over pieces.
  static func crc32(_ bytes: UnsafeRawBufferPointer, seed: UInt32 = 0) -> UInt32 {
    var value = ~seed
    table.withUnsafeBufferPointer { table in
      for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
    }
    return ~value
  }
}

/// Grows a row of bytes: little-endian numbers, texts with their length before them.
///
/// Neither names nor types are written: who reads a field knows by its place what it is.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init(reserving count: Int = 64) { bytes.reserveCapacity(count) }

  mutating func number<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// As its bits: what comes back is what was given, to the last of them.
  mutating func double(_ value: Double) { number(value.bitPattern) }
  mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }
  mutating func raw(_ raw: [UInt8]) { bytes.append(contentsOf: raw) }

  /// 32 bits for the length: some settings and remarks have more bytes than one or two could count.
  mutating func text(_ text: String) {
    number(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// A byte says whether a value follows.
  mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
    flag(value != nil)
    if let value { write(&self, value) }
  }

  mutating func optional(_ value: Double?) { optional(value) { $0.double($1) } }
  mutating func optional(_ value: String?) { optional(value) { $0.text($1) } }
}

/// Reads what `ByteWriter` wrote. Bytes that end too early give zeros and set `isShort`: the caller
/// looks once, at the end.
struct ByteReader {
  private let bytes: [UInt8]
  private var offset: Int
  private(set) var isShort = false

  init(_ bytes: [UInt8], from offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  /// Bytes not yet read: a count of more things than fit into them is damaged.
  var left: Int { bytes.count - offset }

  /// Nil, and `isShort` from then on, where there are fewer.
  private mutating func take(_ count: Int) -> Range<Int>? {
    guard count >= 0, count <= bytes.count - offset else {
      isShort = true
      return nil
    }
    defer { offset += count }
    return offset..<(offset + count)
  }

  mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number {
    guard let range = take(MemoryLayout<Number>.size) else { return 0 }
    return bytes.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: range.lowerBound, as: Number.self))
    }
  }

  /// Any bits are a number of some kind: whether it is finite is for the caller.
  mutating func double() -> Double { Double(bitPattern: number(UInt64.self)) }
  /// The record's sum was right, so there is nothing but 0 and 1.
  mutating func flag() -> Bool { number(UInt8.self) != 0 }

  mutating func text() -> String {
    guard let range = take(Int(number(UInt32.self))) else { return "" }
    return String(decoding: bytes[range], as: UTF8.self)
  }

  /// The last field, which needs no length.
  mutating func rest() -> [UInt8] {
    take(bytes.count - offset).map { Array(bytes[$0]) } ?? []
  }

  mutating func optional<Value>(_ read: (inout ByteReader) -> Value) -> Value? {
    flag() ? read(&self) : nil
  }

  /// A number that is not finite is nil.
  mutating func optionalDouble() -> Double? {
    optional { $0.double() }.flatMap { $0.isFinite ? $0 : nil }
  }

  mutating func optionalText() -> String? { optional { $0.text() } }
}
