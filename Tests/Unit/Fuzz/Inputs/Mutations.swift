import Glibc

/// The inputs of a target, each from an entry of the corpus by one to eight changes. Input N is the same
/// whenever it is asked for, as long as the corpus is.
final class Mutations {
  /// As long as libFuzzer may make them, in Tests/Instruments/Fuzz/run.
  static func limit(of target: String) -> Int {
    switch target {
    case "adverts", "radio", "iso8601": 600
    case "log": 12_291
    default: 4096
    }
  }

  private static let binary = ["adverts", "damage", "log", "radio", "records"]

  private let entries: [[UInt8]]
  private let seed: UInt64
  private let isText: Bool
  private let tokens: [[UInt8]]
  private let limit: Int
  private let bytes: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var chance = Chance(0, 0)
  /// Behind it lies a page that nobody may read: one byte too many ends the program.
  private let end: UnsafeMutableRawPointer

  /// Nil without a corpus or memory.
  init?(_ target: String, corpus: [[UInt8]]) {
    limit = Self.limit(of: target)
    entries = corpus.map { [limit] in Array($0.prefix(limit)) }
    seed = Chance.seed(target)
    isText = !Self.binary.contains(target)
    tokens = isText ? Tokens.text : Tokens.binary
    bytes = .allocate(capacity: limit)
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let size = (limit + page - 1) / page * page
    let space = mmap(nil, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let space, space != MAP_FAILED, !corpus.isEmpty else { return nil }
    end = space + size
    mprotect(end, page, PROT_NONE)
  }

  /// Good until the next is made.
  func input(_ number: UInt64) -> UnsafeRawBufferPointer {
    chance = Chance(seed, number)
    begin(with: chance.below(entries.count + 1))
    // Few are more frequent: what is changed much is refused at its first byte.
    for _ in 0...min(chance.below(8), chance.below(8)) { change() }
    (end - count).copyMemory(from: bytes, byteCount: count)
    return UnsafeRawBufferPointer(start: end - count, count: count)
  }

  /// One more than there are entries: bytes that mean nothing.
  private func begin(with entry: Int) {
    if entry < entries.count {
      count = entries[entry].count
      entries[entry].withUnsafeBufferPointer { copy($0, to: 0, count) }
    } else {
      count = chance.below(64)
      for place in 0..<count { bytes[place] = UInt8(truncatingIfNeeded: chance.next()) }
    }
  }

  private func change() {
    guard count > 0 else { return insert(tokens[chance.below(tokens.count)]) }
    let place = chance.below(count)
    switch chance.below(isText ? 16 : 13) {
    case 0, 1: bytes[place] ^= 1 << UInt8(chance.below(8))
    case 2: bytes[place] = Tokens.bytes[chance.below(Tokens.bytes.count)]
    case 3: bytes[place] = UInt8(truncatingIfNeeded: chance.next())
    case 4: bytes[place] &+= UInt8(truncatingIfNeeded: chance.below(33) - 16)
    case 5: _ = makeRoom(at: place, for: 0, insteadOf: run(from: place))
    case 6: duplicate(run(from: place), at: place)
    case 7: splice(at: place)
    case 8: graft(at: place)
    case 9, 10: insert(tokens[chance.below(tokens.count)])
    case 11: isText ? replaceNumber(from: place) : overwriteNumber(at: place)
    case 12: count = place
    case 13, 14: exchange(from: place)
    default: replaceNumber(from: place)
    }
  }

  // MARK: - Changes

  /// Short ones are more frequent.
  private func run(from place: Int) -> Int {
    1 + chance.below(min(count - place, 1 << chance.below(9)))
  }

  /// Once, or often enough to nest too deep and to grow too long.
  private func duplicate(_ length: Int, at place: Int) {
    let behind = place + length
    let fresh = makeRoom(at: behind, for: length << chance.below(chance.below(6) + 1), insteadOf: 0)
    for offset in 0..<fresh { bytes[behind + offset] = bytes[place + offset] }
  }

  /// Another entry from somewhere on.
  private func splice(at place: Int) {
    entries[chance.below(entries.count)].withUnsafeBufferPointer { other in
      let from = chance.below(other.count)
      count = place + min(limit - place, other.count - from)
      copy(UnsafeBufferPointer(rebasing: other[from...]), to: place, count - place)
    }
  }

  /// A piece of another entry in between, or in the place of as much.
  private func graft(at place: Int) {
    entries[chance.below(entries.count)].withUnsafeBufferPointer { other in
      guard !other.isEmpty else { return }
      let from = chance.below(other.count)
      let length = 1 + chance.below(min(other.count - from, 1 << chance.below(8)))
      let old = chance.below(2) == 0 ? 0 : min(length, count - place)
      let room = makeRoom(at: place, for: length, insteadOf: old)
      copy(UnsafeBufferPointer(rebasing: other[from...]), to: place, room)
    }
  }

  private func insert(_ token: [UInt8]) {
    replace(chance.below(count + 1), 0, by: token)
  }

  /// The next number of a text becomes one at the edge of what is possible.
  private func replaceNumber(from place: Int) {
    var start = place
    while start < count, !isDigit(start) { start += 1 }
    var behind = start
    while behind < count, isDigit(behind) || bytes[behind] == UInt8(ascii: ".") { behind += 1 }
    guard behind > start else { return }
    replace(start, behind - start, by: Tokens.numbers[chance.below(Tokens.numbers.count)])
  }

  /// The same for one, two, four or eight bytes, in either order.
  private func overwriteNumber(at place: Int) {
    let length = min(1 << chance.below(4), count - place)
    let extremes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 1, .max, 1 << 63, .max >> 1)
    var number: UInt64 =
      switch chance.below(5) {
      case 0: extremes.0
      case 1: extremes.1
      case 2: extremes.2
      case 3: extremes.3
      default: extremes.4
      }
    number = number >> UInt64(number > 1 ? 64 - 8 * length : 0)
    let isLowFirst = chance.below(2) == 0
    for offset in 0..<length {
      let shift = UInt64(8 * (isLowFirst ? offset : length - 1 - offset))
      bytes[place + offset] = UInt8(truncatingIfNeeded: number >> shift)
    }
  }

  /// The next digit, quote or bracket becomes another one.
  private func exchange(from place: Int) {
    let group = Tokens.groups[chance.below(Tokens.groups.count)]
    var place = place
    while place < count, !group.contains(bytes[place]) { place += 1 }
    if place < count { bytes[place] = group[chance.below(group.count)] }
  }

  // MARK: - Bytes

  private func isDigit(_ place: Int) -> Bool { bytes[place] &- UInt8(ascii: "0") < 10 }

  private func replace(_ place: Int, _ old: Int, by token: [UInt8]) {
    let room = makeRoom(at: place, for: token.count, insteadOf: old)
    token.withUnsafeBufferPointer { copy($0, to: place, room) }
  }

  private func copy(_ source: UnsafeBufferPointer<UInt8>, to place: Int, _ length: Int) {
    if let start = source.baseAddress { (bytes + place).update(from: start, count: length) }
  }

  /// How many there is room for: what would be too long is cut off.
  private func makeRoom(at place: Int, for new: Int, insteadOf old: Int) -> Int {
    let new = min(new, limit - place)
    let tail = min(count - place - old, limit - place - new)
    memmove(bytes + place + new, bytes + place + old, tail)
    count = place + new + tail
    return new
  }
}
