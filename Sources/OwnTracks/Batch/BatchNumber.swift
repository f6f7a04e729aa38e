/// The numbers of one key, each written as how far it is from what those before it suggest.
final class NumberColumn {
  /// Ways to guess the next number. The one that has been nearest lately is used: reader and writer know which.
  enum Guess: Int, CaseIterable {
    /// No change.
    case same
    /// The change of last time, in proportion to the time between.
    case onward
    /// Where speed and course have carried it; the middle of that and `onward`.
    case travelled, between
  }

  private var last: Int64?
  private var change: Int64 = 0
  /// Seconds that `change` took.
  private var changeTime: Int64 = 0
  /// How far off each guess has been lately, in 256ths.
  private var errors = [Int64](repeating: 0, count: Guess.allCases.count)
  private var isLarge = [LearnedBit](repeating: LearnedBit(), count: 2 * 64)
  private var isNegative = LearnedBit()
  private var secondBit = [LearnedBit](repeating: LearnedBit(), count: 64)
  private var wasLarge = false

  /// Beyond it a difference could overflow; such a number goes as text.
  static let limit: Int64 = 1 << 60

  init() {}

  /// `travelled`: how far the board has come since the last message in the column's direction, if that is known.
  /// `seconds`: since the last message.
  func code<Coder: BitCoder>(
    _ number: Int64, seconds: Int64, travelled: Int64?, with coder: inout Coder
  ) throws(BatchError) -> Int64 {
    guard let last else { return try first(number, with: &coder) }
    let guesses = guesses(after: last, seconds: seconds, travelled: travelled)
    var best = 0
    for index in guesses.indices where errors[index] < errors[best] { best = index }
    let difference = try code(difference: number &- guesses[best], with: &coder)
    let coded = guesses[best] &+ difference
    guard coded.magnitude < UInt64(Self.limit) else { throw .damaged }
    for index in guesses.indices {
      let error = Int64(min((coded &- guesses[index]).magnitude, 1 << 40)) << 8
      errors[index] += (error - errors[index]) / 4
    }
    (change, changeTime, self.last) = (coded - last, seconds, coded)
    return coded
  }

  /// Whole degrees, 0..<360, that go round.
  func code<Coder: BitCoder>(
    angle: Int64, seconds: Int64, with coder: inout Coder
  ) throws(BatchError) -> Int64 {
    let turned = last.map { $0 + ((angle - $0 + 180) % 360 + 360) % 360 - 180 } ?? angle
    let coded = try code(turned, seconds: seconds, travelled: nil, with: &coder)
    return (coded % 360 + 360) % 360
  }

  private func guesses(after last: Int64, seconds: Int64, travelled: Int64?) -> [Int64] {
    let inProportion = changeTime > 0 && seconds > 0 && seconds < 1 << 20 && change.magnitude < 1 << 40
    let onward =
      last + (inProportion ? change * seconds / changeTime : change.magnitude < 1 << 40 ? change : 0)
    guard let travelled else { return [last, onward] }
    return [last, onward, last + travelled, (onward + last + travelled) / 2]
  }

  /// Nothing is known yet: its length in bits, and the bits.
  private func first<Coder: BitCoder>(_ number: Int64, with coder: inout Coder) throws(BatchError) -> Int64 {
    let length = Int(try coder.code(UInt64(64 - number.magnitude.leadingZeroBitCount), bits: 6))
    guard length <= 60 else { throw .damaged }
    let isBelowZero = try coder.code(number < 0, chance: 1 << 12)
    guard length > 0 else {
      last = 0
      return 0
    }
    let top: UInt64 = 1 << UInt64(length - 1)
    let magnitude = Int64(try coder.code(number.magnitude & (top - 1), bits: length - 1) | top)
    last = isBelowZero ? -magnitude : magnitude
    return isBelowZero ? -magnitude : magnitude
  }

  /// Its length in bits by ones, its sign, and its bits, of which the second is learned.
  private func code<Coder: BitCoder>(difference: Int64, with coder: inout Coder) throws(BatchError) -> Int64 {
    let wanted = 64 - difference.magnitude.leadingZeroBitCount
    let row = wasLarge ? 64 : 0
    var length = 0
    while length < 62, try coder.code(wanted > length, &isLarge[row + length]) { length += 1 }
    wasLarge = length > 0
    guard length > 0 else { return 0 }
    let isBelowZero = try coder.code(difference < 0, &isNegative)
    var magnitude: UInt64 = 1
    if length > 1 {
      let second = try coder.code(difference.magnitude >> UInt64(length - 2) & 1 == 1, &secondBit[length])
      magnitude = second ? 3 : 2
    }
    if length > 2 {
      let rest: UInt64 = 1 << UInt64(length - 2)
      magnitude =
        magnitude << UInt64(length - 2)
        | (try coder.code(difference.magnitude & (rest - 1), bits: length - 2))
    }
    return isBelowZero ? -Int64(magnitude) : Int64(magnitude)
  }
}
