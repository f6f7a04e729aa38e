import Model
import Timebase

/// Messages that the broker has acknowledged lately, oldest first, as small as they can be kept.
///
/// A message is kept as its differences from the one before it: of a location's twenty keys eight change. Each chunk
/// begins with a message in full, and is dropped as a whole.
struct AcknowledgedMessages {
  /// Bytes, about; forty locations.
  static let chunkSize = 4096
  /// Bytes of all of them, about: half an hour of a location every second.
  static let mostBytes = 200_000
  /// Bytes of a payload: a picture is not kept.
  static let largestPayload = 16_384

  private struct Chunk {
    /// Number of its first row.
    var first: UInt64
    var count = 0
    var bytes: [UInt8] = []
    var newest: Instant
  }

  /// One of them, and when it was acknowledged.
  struct Row {
    var message: Message
    var at: Instant
  }

  /// Everything else is not kept. A row names its topic by the place in here.
  let topics: [String]
  private var chunks: [Chunk] = []
  /// Bytes of the chunks.
  private var size = 0
  private var last: [UInt8] = []
  private var lastTime = 0
  private var lastAt = Instant.zero

  init(topics: [String] = []) { self.topics = topics }

  var isEmpty: Bool { chunks.isEmpty }
  /// When the last one was acknowledged; nil: there is none.
  var newest: Instant? { chunks.last?.newest }
  /// The number that the next row will have.
  private(set) var end: UInt64 = 0

  // MARK: In

  /// False: it is on none of the topics, or too large.
  mutating func append(_ message: Message, at now: Instant) -> Bool {
    guard message.payload.count <= Self.largestPayload, let topic = topics.firstIndex(of: message.topic)
    else { return false }
    if chunks.last.map({ $0.bytes.count >= Self.chunkSize }) ?? true { begin(at: now) }
    let index = chunks.count - 1
    size -= chunks[index].bytes.count
    let flags = UInt8(topic << 4) | UInt8(message.qos << 2) | (message.isRetained ? 2 : 0)
    let sinceLast = UInt64(max(0, (now - lastAt).nanoseconds))
    withUnsafeTemporaryAllocation(byteCount: message.payload.count + RowWriter.most, alignment: 8) { room in
      var row = RowWriter(room)
      row.write(number: sinceLast)
      row.write(number: Self.folded(message.time - lastTime))
      row.write(byte: flags | (message.isEvent ? 1 : 0))
      row.write(message.payload, after: last)
      chunks[index].bytes.append(contentsOf: row.written)
    }
    chunks[index].count += 1
    chunks[index].newest = now
    size += chunks[index].bytes.count
    (last, lastTime, lastAt) = (message.payload, message.time, now)
    end += 1
    return true
  }

  private mutating func begin(at now: Instant) {
    while size > Self.mostBytes - Self.chunkSize { removeFirst() }
    chunks.append(Chunk(first: end, newest: now))
    chunks[chunks.count - 1].bytes.reserveCapacity(Self.chunkSize + 512)
    (last, lastTime, lastAt) = ([], 0, .zero)
  }

  /// Drops what was acknowledged before `instant`, whole chunks only.
  mutating func prune(before instant: Instant) {
    while let first = chunks.first, first.newest < instant { removeFirst() }
  }

  private mutating func removeFirst() { size -= chunks.removeFirst().bytes.count }

  private static func folded(_ number: Int) -> UInt64 {
    UInt64(bitPattern: Int64((number << 1) ^ (number >> (Int.bitWidth - 1))))
  }

  // MARK: Out

  /// Rows from this number on, `limit` of them at most, and the number that follows the last one; those that are no
  /// longer kept are left out. Messages have no place in the queue (`sequence` 0).
  func rows(from number: UInt64, limit: Int, where isWanted: (Row) -> Bool) -> (rows: [Row], next: UInt64) {
    var found: [Row] = []
    for chunk in chunks where chunk.first + UInt64(chunk.count) > number {
      var reader = Reader(chunk.bytes)
      for offset in 0..<chunk.count {
        guard let row = reader.row(topics) else { break }
        guard chunk.first + UInt64(offset) >= number, isWanted(row) else { continue }
        found.append(row)
        if found.count == limit { return (found, chunk.first + UInt64(offset) + 1) }
      }
    }
    return (found, end)
  }

  private struct Reader {
    private let bytes: [UInt8]
    private var index = 0
    private var (last, time, at): ([UInt8], Int, Instant) = ([], 0, .zero)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func row(_ topics: [String]) -> Row? {
      guard index < bytes.count else { return nil }
      at = at + Span(nanoseconds: Int64(number()))
      let folded = number()
      time += Int(folded >> 1) ^ -Int(folded & 1)
      let flags = Int(byte())
      last = payload()
      guard topics.indices.contains(flags >> 4) else { return nil }
      let message = Message(
        topic: topics[flags >> 4], payload: last, qos: flags >> 2 & 3, isRetained: flags & 2 != 0,
        isEvent: flags & 1 != 0, time: time)
      return Row(message: message, at: at)
    }

    private mutating func byte() -> UInt8 {
      defer { index += 1 }
      return bytes[index]
    }

    private mutating func number() -> UInt64 {
      var (value, shift): (UInt64, UInt64) = (0, 0)
      while true {
        let next = byte()
        value |= UInt64(next & 0x7F) << shift
        if next < 0x80 { return value }
        shift += 7
      }
    }

    private mutating func text() -> ArraySlice<UInt8> {
      let count = Int(number())
      defer { index += count }
      return bytes[index..<index + count]
    }

    private mutating func payload() -> [UInt8] {
      guard byte() == Form.differences else { return Array(text()) }
      var payload: [UInt8] = []
      payload.reserveCapacity(last.count + 32)
      var place = 0
      while true {
        let same = Int(number())
        payload += last[place..<place + same]
        let (skipped, new) = (Int(number()), text())
        if skipped == 0, new.isEmpty { return payload }
        place += same + skipped
        payload += new
      }
    }
  }
}

/// How a payload is written in a row.
private enum Form {
  static let whole: UInt8 = 0
  /// So many bytes as before, so many left out, so many in their place, and these; and so on, until nothing is left out
  /// or put in.
  static let differences: UInt8 = 1
}

/// A row, in memory of its own until it is whole. Written for speed: it runs with every acknowledgement.
private struct RowWriter {
  /// Bytes that a row needs besides its payload.
  static let most = 40

  private let room: UnsafeMutableRawBufferPointer
  private var count = 0

  init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

  var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: room[..<count]) }

  @inline(__always)
  mutating func write(byte: UInt8) {
    room[count] = byte
    count += 1
  }

  /// Seven bits a byte, the lowest first.
  @inline(__always)
  mutating func write(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      write(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    write(byte: UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always)
  private mutating func write(_ bytes: UnsafeRawBufferPointer, from start: Int, count length: Int) {
    guard length > 0, let source = bytes.baseAddress, let target = room.baseAddress else { return }
    (target + count).copyMemory(from: source + start, byteCount: length)
    count += length
  }

  /// As differences, or as it is where these are no shorter.
  mutating func write(_ payload: [UInt8], after last: [UInt8]) {
    last.withUnsafeBytes { old in
      payload.withUnsafeBytes { new in
        let begin = count
        if !old.isEmpty, write(new, after: old) { return }
        count = begin
        write(byte: Form.whole)
        write(number: UInt64(new.count))
        write(new, from: 0, count: new.count)
      }
    }
  }

  /// False: it takes more room than the payload itself.
  private mutating func write(_ new: UnsafeRawBufferPointer, after old: UnsafeRawBufferPointer) -> Bool {
    write(byte: Form.differences)
    let limit = count + new.count
    var (read, taken) = (0, 0)
    while true {
      let same = Self.same(old, read, new, taken)
      (read, taken) = (read + same, taken + same)
      let isEnd = read == old.count || taken == new.count
      // They fit together again at the next comma.
      let skipped = isEnd ? old.count - read : Self.untilComma(old, read)
      let put = isEnd ? new.count - taken : Self.untilComma(new, taken)
      // Three numbers of three bytes at most.
      guard count + put + 9 <= limit else { return false }
      write(number: UInt64(same))
      write(number: UInt64(skipped))
      write(number: UInt64(put))
      write(new, from: taken, count: put)
      if skipped == 0, put == 0 { return true }
      (read, taken) = (read + skipped, taken + put)
    }
  }

  /// How many bytes are the same from here on.
  @inline(__always)
  private static func same(
    _ old: UnsafeRawBufferPointer, _ read: Int, _ new: UnsafeRawBufferPointer, _ taken: Int
  ) -> Int {
    let most = min(old.count - read, new.count - taken)
    var same = 0
    while same + 8 <= most {
      let one = old.loadUnaligned(fromByteOffset: read + same, as: UInt64.self)
      let other = new.loadUnaligned(fromByteOffset: taken + same, as: UInt64.self)
      guard one == other else { return same + UInt64(littleEndian: one ^ other).trailingZeroBitCount / 8 }
      same += 8
    }
    while same < most, old[read + same] == new[taken + same] { same += 1 }
    return same
  }

  @inline(__always)
  private static func untilComma(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
    var place = start
    while place < bytes.count, bytes[place] != UInt8(ascii: ",") { place += 1 }
    return place - start
  }
}
