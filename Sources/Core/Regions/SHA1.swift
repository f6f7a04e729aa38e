/// SHA-1 (FIPS 180-4), for region ids only: OwnTracks made them so, nothing here rests on its strength.
enum SHA1 {
  /// The first `count` hexadecimal digits (40 at most) of the digest of a text's UTF-8 bytes.
  static func hexPrefix(of text: String, count: Int) -> String {
    let digits = Array("0123456789abcdef".utf8)
    assert((0...40).contains(count), "\(count) digits of 40")
    var out: [UInt8] = []
    for word in digest(Array(text.utf8)) {
      for shift in stride(from: 28, through: 0, by: -4) {
        out.append(digits[Int((word >> UInt32(shift)) & 0xF)])
      }
    }
    return String(decoding: out.prefix(count), as: UTF8.self)
  }

  private static func digest(_ input: [UInt8]) -> [UInt32] {
    var bytes = input + [0x80]
    while bytes.count % 64 != 56 { bytes.append(0) }
    let bits = UInt64(input.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8((bits >> UInt64(shift)) & 0xFF)) }
    assert(bytes.count % 64 == 0, "a digest is taken of whole blocks")
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for block in stride(from: 0, to: bytes.count, by: 64) { absorb(bytes[block..<block + 64], into: &state) }
    return state
  }

  private static func absorb(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    assert(block.count == 64 && state.count == 5, "a block of \(block.count) bytes")
    var words = [UInt32](repeating: 0, count: 80)
    for (index, byte) in block.enumerated() { words[index / 4] = words[index / 4] << 8 | UInt32(byte) }
    for index in 16..<80 {
      words[index] = rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (mix, constant): (UInt32, UInt32) =
        switch index {
        case 0..<20: ((b & c) | (~b & d), 0x5A82_7999)
        case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case 40..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotate(a, 5) &+ mix &+ e &+ constant &+ words[index]
      (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] = state[index] &+ word }
  }

  private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
    value << count | value >> (32 - count)
  }
}

/// How regions get their key, as the phone apps make it: the same region has the same one everywhere.
public enum RegionIdentity {
  /// Of an imported region without one. `name` without beacon suffix, `created` in Unix seconds.
  public static func computed(name: String, created: Int) -> String {
    SHA1.hexPrefix(of: "\(name)-\(created)", count: 6)
  }
}
