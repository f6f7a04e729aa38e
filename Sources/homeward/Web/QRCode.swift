/// A QR code (ISO/IEC 18004) of bytes: versions 1 to 6, level M, which still reads with every seventh module wrong. That is
/// an address with a code in it, and not more.
struct QRCode: Hashable {
  /// Modules of a side, without the quiet zone around them.
  private(set) var side: Int
  /// By row; true is dark.
  private(set) var modules: [[Bool]]
  /// What a mask or the data must not change.
  private var isFixed: [[Bool]]

  /// Of level M, by version: bytes of data, of error correction in each block, and blocks.
  private static let versions: [(data: Int, correction: Int, blocks: Int)] = [
    (16, 10, 1), (28, 16, 1), (44, 26, 1), (64, 18, 2), (86, 24, 2), (108, 16, 4),
  ]

  /// In the smallest version that has room for them; nil: they are more than 106. `mask`: 0 to 7; nil: the best.
  init?(_ bytes: [UInt8], mask: Int? = nil) {
    // Four bits say that bytes follow, eight how many.
    guard let index = Self.versions.firstIndex(where: { $0.data >= bytes.count + 2 }) else { return nil }
    side = 21 + 4 * index
    modules = Array(repeating: Array(repeating: false, count: side), count: side)
    isFixed = modules
    drawPatterns(isLarge: index > 0)
    place(Self.codewords(bytes, Self.versions[index]))
    let candidates = (mask.map { [$0] } ?? Array(0..<8)).map(masked)
    self = candidates.min { $0.penalty < $1.penalty } ?? self
  }

  // MARK: Bytes

  private static func codewords(_ bytes: [UInt8], _ version: (data: Int, correction: Int, blocks: Int))
    -> [UInt8]
  {
    var bits = [false, true, false, false] + self.bits(of: UInt8(bytes.count))
    for byte in bytes { bits += self.bits(of: byte) }
    bits += Array(repeating: false, count: min(4, version.data * 8 - bits.count))
    while bits.count % 8 != 0 { bits.append(false) }
    var data = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<(start + 8)].reduce(0) { $0 << 1 | ($1 ? 1 : 0) as UInt8 }
    }
    var isEven = true
    while data.count < version.data {
      data.append(isEven ? 0xEC : 0x11)
      isEven.toggle()
    }
    let length = version.data / version.blocks
    let blocks = (0..<version.blocks).map { Array(data[($0 * length)..<(($0 + 1) * length)]) }
    let corrections = blocks.map { ReedSolomon.correction(of: $0, count: version.correction) }
    // A byte of each block in turn: a stain costs all of them a little.
    return (0..<length).flatMap { index in blocks.map { $0[index] } }
      + (0..<version.correction).flatMap { index in corrections.map { $0[index] } }
  }

  private static func bits(of byte: UInt8) -> [Bool] { (0..<8).map { byte >> UInt8(7 - $0) & 1 == 1 } }

  // MARK: Modules

  private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
    modules[row][column] = isDark
    isFixed[row][column] = true
  }

  private mutating func drawPatterns(isLarge: Bool) {
    for index in 0..<side {
      set(6, index, index % 2 == 0)
      set(index, 6, index % 2 == 0)
    }
    for (row, column) in [(3, 3), (3, side - 4), (side - 4, 3)] {
      drawSquares(row, column, radius: 4) { $0 != 2 && $0 != 4 }
    }
    if isLarge { drawSquares(side - 7, side - 7, radius: 2) { $0 != 1 } }
    drawFormat(0)
  }

  /// Squares around a centre, by their distance from it.
  private mutating func drawSquares(_ row: Int, _ column: Int, radius: Int, _ isDark: (Int) -> Bool) {
    for down in -radius...radius {
      for right in -radius...radius {
        let (y, x) = (row + down, column + right)
        guard (0..<side).contains(y), (0..<side).contains(x) else { continue }
        set(y, x, isDark(max(abs(down), abs(right))))
      }
    }
  }

  /// Level M is 00; the mask's three bits and ten that correct them, twice.
  private mutating func drawFormat(_ mask: Int) {
    var rest = mask << 10
    for bit in stride(from: 12, through: 10, by: -1) where rest >> bit & 1 == 1 {
      rest ^= 0x537 << (bit - 10)
    }
    let format = (mask << 10 | rest) ^ 0x5412
    func bit(_ index: Int) -> Bool { format >> index & 1 == 1 }
    for index in 0...5 { set(index, 8, bit(index)) }
    set(7, 8, bit(6))
    set(8, 8, bit(7))
    set(8, 7, bit(8))
    for index in 9..<15 { set(8, 14 - index, bit(index)) }
    for index in 0..<8 { set(8, side - 1 - index, bit(index)) }
    for index in 8..<15 { set(side - 15 + index, 8, bit(index)) }
    set(side - 8, 8, true)
  }

  /// From the lower right corner, two columns at a time, up and down in turn.
  private mutating func place(_ codewords: [UInt8]) {
    var bits = codewords.flatMap(Self.bits)[...]
    for (turn, right) in Self.columns(side).enumerated() {
      for step in 0..<side {
        let row = turn % 2 == 0 ? side - 1 - step : step
        for column in [right, right - 1] where !isFixed[row][column] {
          modules[row][column] = bits.popFirst() ?? false
        }
      }
    }
  }

  /// The right one of each pair; the column of the timing pattern belongs to none.
  private static func columns(_ side: Int) -> [Int] {
    Array(stride(from: side - 1, to: 6, by: -2)) + [5, 3, 1]
  }

  private func masked(_ mask: Int) -> QRCode {
    var code = self
    for row in 0..<side {
      for column in 0..<side where !isFixed[row][column] && Self.isTurned(mask, row, column) {
        code.modules[row][column].toggle()
      }
    }
    code.drawFormat(mask)
    return code
  }

  private static func isTurned(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
    switch mask {
    case 0: (row + column) % 2 == 0
    case 1: row % 2 == 0
    case 2: column % 3 == 0
    case 3: (row + column) % 3 == 0
    case 4: (row / 2 + column / 3) % 2 == 0
    case 5: row * column % 2 + row * column % 3 == 0
    case 6: (row * column % 2 + row * column % 3) % 2 == 0
    default: ((row + column) % 2 + row * column % 3) % 2 == 0
    }
  }

  /// The less, the easier a camera finds its way.
  private var penalty: Int {
    let columns = (0..<side).map { column in modules.map { $0[column] } }
    let lines = (modules + columns).reduce(0) { $0 + Self.penalty(ofLine: $1) }
    var squares = 0
    for row in 1..<side {
      for column in 1..<side {
        let corner = modules[row][column]
        if modules[row - 1][column] == corner, modules[row][column - 1] == corner,
          modules[row - 1][column - 1] == corner
        {
          squares += 3
        }
      }
    }
    let dark = modules.reduce(0) { $0 + $1.count { $0 } }
    return lines + squares + abs(dark * 20 - side * side * 10) / (side * side) * 10
  }

  private static let finder = [true, false, true, true, true, false, true]

  private static func penalty(ofLine line: [Bool]) -> Int {
    var (sum, run) = (0, 1)
    for index in 1...line.count {
      if index < line.count, line[index] == line[index - 1] {
        run += 1
        continue
      }
      if run >= 5 { sum += run - 2 }
      run = 1
    }
    for start in 0...(line.count - 7) where Array(line[start..<(start + 7)]) == finder {
      let isFreeBefore = start >= 4 && !line[(start - 4)..<start].contains(true)
      let isFreeAfter = start + 11 <= line.count && !line[(start + 7)..<(start + 11)].contains(true)
      if isFreeBefore || isFreeAfter { sum += 40 }
    }
    return sum
  }
}

/// Error correction over the field of 256 elements with x^8 + x^4 + x^3 + x^2 + 1.
private enum ReedSolomon {
  static func correction(of data: [UInt8], count: Int) -> [UInt8] {
    let generator = generator(count)
    var rest = [UInt8](repeating: 0, count: count)
    for byte in data {
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for index in 0..<count { rest[index] ^= product(generator[index], factor) }
    }
    return rest
  }

  /// Without the leading 1.
  private static func generator(_ count: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<count {
      for index in 0..<count {
        result[index] = product(result[index], root)
        if index + 1 < count { result[index] ^= result[index + 1] }
      }
      root = product(root, 2)
    }
    return result
  }

  private static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
    var result: UInt8 = 0
    for bit in stride(from: 7, through: 0, by: -1) {
      result = result << 1 ^ (result >> 7) &* 0x1D
      result ^= (other >> UInt8(bit) & 1) &* one
    }
    return result
  }
}

extension QRCode {
  /// Modules of light around it that every reader wants.
  private static let quietZone = 2

  /// For a terminal, whose letters are twice as high as wide: a line has two rows. What is light is drawn.
  var lines: [String] {
    let range = -Self.quietZone..<(side + Self.quietZone)
    func isLight(_ row: Int, _ column: Int) -> Bool {
      guard (0..<side).contains(row), (0..<side).contains(column) else { return true }
      return !modules[row][column]
    }
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      range.map { column in
        let isLower = row + 1 < range.upperBound && isLight(row + 1, column)
        return switch (isLight(row, column), isLower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }.joined()
    }
  }
}
