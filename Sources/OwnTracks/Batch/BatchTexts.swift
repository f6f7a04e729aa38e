/// Texts of a batch, byte by byte; those of a key that were there before, by their number.
struct BatchTexts {
  /// Texts of a key that are remembered.
  private static let most = 16
  private static let bits = 4

  /// A row for each kind of byte that may come before.
  private var bytes = [[LearnedBit]](
    repeating: [LearnedBit](repeating: LearnedBit(), count: 256), count: Kind.allCases.count)
  private var hasMore = [LearnedBit](
    repeating: LearnedBit(chance: 55_000, count: 3), count: Kind.allCases.count)

  private enum Kind: Int, CaseIterable {
    case start, digit, letter, other

    init(_ byte: UInt8?) {
      guard let byte else {
        self = .start
        return
      }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): self = .letter
      default: self = .other
      }
    }
  }

  mutating func code<Coder: BitCoder>(
    _ text: ArraySlice<UInt8>, with coder: inout Coder
  ) throws(BatchError) -> [UInt8] {
    var coded: [UInt8] = []
    while true {
      let row = Kind(coded.last).rawValue
      let index = text.startIndex + coded.count
      let hasNext = index < text.endIndex
      guard try coder.code(hasNext, &hasMore[row]) else { return coded }
      guard coded.count < Batch.longest else { throw .damaged }
      coded.append(UInt8(try coder.code(hasNext ? Int(text[index]) : 0, bits: 8, &bytes[row])))
    }
  }

  mutating func code<Coder: BitCoder>(
    _ text: ArraySlice<UInt8>, of entry: BatchKeys.Entry, with coder: inout Coder
  ) throws(BatchError) -> [UInt8] {
    let wanted = entry.texts.firstIndex { $0[...] == text }
    if !entry.texts.isEmpty {
      if try coder.code(wanted == entry.lastText, &entry.isSameText) { return entry.texts[entry.lastText] }
      if entry.texts.count > 1, try coder.code(wanted != nil, &entry.isKnownText) {
        let place = Int(try coder.code(UInt64(wanted ?? 0), bits: Self.bits))
        guard place < entry.texts.count else { throw .damaged }
        entry.lastText = place
        return entry.texts[place]
      }
    }
    let coded = try code(text, with: &coder)
    if entry.texts.count < Self.most {
      entry.texts.append(coded)
      entry.lastText = entry.texts.count - 1
    }
    return coded
  }
}
