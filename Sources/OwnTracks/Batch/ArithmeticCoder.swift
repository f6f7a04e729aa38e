/// The probability that the next bit of its kind is set, learned from those before it.
///
/// The first bits count for much and later ones for less, down to a share of a fiftieth: a batch is short.
struct LearnedBit {
  /// Of 65,536.
  private(set) var chance: UInt16 = 1 << 15
  private var count: UInt8 = 0

  private static let slowest: UInt8 = 50
  /// Never certain: a bit costs 11 bits at most.
  private static let least: Int32 = 32

  init() {}

  /// As if learned already: `chance` of 65,536, from `count` bits.
  init(chance: UInt16, count: UInt8) {
    self.chance = chance
    self.count = count
  }

  mutating func learn(_ bit: Bool) {
    let error = (bit ? 65_535 : 0) - Int32(chance)
    // A half more than the count: an average would believe the very first bit alone.
    let learned = Int32(chance) + error * 2 / (Int32(count) * 2 + 3)
    chance = UInt16(min(max(learned, Self.least), 65_536 - Self.least))
    if count < Self.slowest { count += 1 }
  }
}

/// Where the bits of a batch go, or come from: what models them is the same for both.
protocol BitCoder {
  /// Writes the bit, or ignores it and returns the one that was written.
  mutating func code(_ bit: Bool, chance: UInt16) throws(BatchError) -> Bool
}

extension BitCoder {
  @inline(__always)
  mutating func code(_ bit: Bool, _ learned: inout LearnedBit) throws(BatchError) -> Bool {
    let coded = try code(bit, chance: learned.chance)
    learned.learn(coded)
    return coded
  }

  /// `count` bits of which nothing is known, the highest first.
  mutating func code(_ number: UInt64, bits count: Int) throws(BatchError) -> UInt64 {
    var coded: UInt64 = 0
    for place in stride(from: count - 1, through: 0, by: -1) {
      coded = coded << 1 | (try code(number >> UInt64(place) & 1 == 1, chance: 1 << 15) ? 1 : 0)
    }
    return coded
  }

  /// A number below 2 to the power of `bits`, each bit learned after those above it: `tree` has as many elements as
  /// there are numbers.
  mutating func code(_ number: Int, bits: Int, _ tree: inout [LearnedBit]) throws(BatchError) -> Int {
    var node = 1
    for place in stride(from: bits - 1, through: 0, by: -1) {
      node = node << 1 | (try code(number >> place & 1 == 1, &tree[node]) ? 1 : 0)
    }
    return node - 1 << bits
  }
}

/// Binary arithmetic coding: a number between `low` and `high`, of which the leading bytes are written as soon as both
/// agree on them.
struct BitWriter: BitCoder {
  private(set) var bytes: [UInt8]
  private var low: UInt32 = 0
  private var high: UInt32 = .max

  init(after bytes: [UInt8]) { self.bytes = bytes }

  mutating func code(_ bit: Bool, chance: UInt16) throws(BatchError) -> Bool {
    let middle = ArithmeticSpan.middle(low, high, chance)
    if bit { high = middle } else { low = middle + 1 }
    while (low ^ high) >> 24 == 0 {
      bytes.append(UInt8(high >> 24))
      low <<= 8
      high = high << 8 | 255
    }
    return bit
  }

  /// The shortest end: a reader takes zeros for what is not there.
  mutating func finished() -> [UInt8] {
    if low > 0 { bytes.append(UInt8(low >> 24) + 1) }
    return bytes
  }
}

struct BitReader: BitCoder {
  private let bytes: [UInt8]
  private var next: Int
  private var low: UInt32 = 0
  private var high: UInt32 = .max
  private var number: UInt32 = 0

  /// Bytes that are read beyond the end of a whole batch; a damaged one would read on without end.
  private static let missing = 4

  init(_ bytes: [UInt8], from start: Int) {
    self.bytes = bytes
    next = start
    for _ in 0..<4 { take() }
  }

  private mutating func take() {
    number = number << 8 | (next < bytes.count ? UInt32(bytes[next]) : 0)
    next += 1
  }

  mutating func code(_ bit: Bool, chance: UInt16) throws(BatchError) -> Bool {
    let middle = ArithmeticSpan.middle(low, high, chance)
    let bit = number <= middle
    if bit { high = middle } else { low = middle + 1 }
    while (low ^ high) >> 24 == 0 {
      low <<= 8
      high = high << 8 | 255
      take()
    }
    if next > bytes.count + Self.missing { throw .damaged }
    return bit
  }
}

private enum ArithmeticSpan {
  /// The last number of the part for a set bit; both parts are never empty.
  @inline(__always)
  static func middle(_ low: UInt32, _ high: UInt32, _ chance: UInt16) -> UInt32 {
    low + UInt32((UInt64(high - low) * UInt64(chance)) >> 16)
  }
}
