/// Damages lines in the ways that lines get damaged: flipped bits, lost and doubled pieces, a piece of
/// another line, and words that parsers stumble over.
struct Mutator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  private static let words = [
    "NaN", "1e400", "1e1000", "-", "\"", "\\", "\\u00", "[", "{", "}", "\"class\":",
    "\"class\":\"TPV\"",
    ",", ":", "null", "\0", "\r", "99999999999999999999999", "0.0000000000000000000000000001", "\"\"", "é",
    " ",
  ].map { Array($0.utf8) }

  mutating func mutate(_ line: [UInt8], with other: [UInt8]) -> [UInt8] {
    var line = line
    for _ in 0...below(4) where !line.isEmpty {
      let place = below(line.count)
      let end = min(line.count, place + 1 + below(24))
      switch below(7) {
      case 0: line[place] ^= 1 << UInt8(below(8))
      case 1: line[place] = UInt8(below(256))
      case 2: line.removeSubrange(place..<end)
      case 3: line.insert(contentsOf: line[place..<end], at: place)
      case 4: line.replaceSubrange(place..<end, with: Self.words[below(Self.words.count)])
      case 5: line.insert(contentsOf: other[below(other.count)...], at: place)
      default: line.removeSubrange(place...)
      }
    }
    return line
  }

  /// Splitmix64.
  private mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
  }
}
