import Model
import Timebase

/// Messages that the broker has acknowledged lately, oldest first, as small as they can be kept.
///
/// A message is kept as what differs from the one before it, between commas: a location has twenty keys, of which eight
/// change. Each chunk begins with a message in full, and is dropped as a whole.
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
    chunks[index].bytes.append(number: UInt64(max(0, (now - lastAt).nanoseconds)))
    chunks[index].bytes.append(number: Self.folded(message.time - lastTime))
    let flags = UInt8(topic << 4) | UInt8(message.qos << 2) | (message.isRetained ? 2 : 0)
    chunks[index].bytes.append(flags | (message.isEvent ? 1 : 0))
    chunks[index].bytes.append(message.payload, after: last)
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
      let count = Int(number())
      guard count > 0 else { return Array(text()) }
      var payload: [UInt8] = []
      payload.reserveCapacity(last.count + 32)
      var marks: UInt8 = 0
      for (place, part) in last.parts.enumerated() {
        if place % 8 == 0 { marks = byte() }
        if place > 0 { payload.append(UInt8(ascii: ",")) }
        payload += marks >> UInt8(place % 8) & 1 == 1 ? text() : part
      }
      return payload
    }
  }
}

extension [UInt8] {
  /// The parts between the commas; never empty.
  fileprivate var parts: [ArraySlice<UInt8>] {
    split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
  }

  /// Seven bits a byte, the lowest first.
  fileprivate mutating func append(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  fileprivate mutating func append(text: ArraySlice<UInt8>) {
    append(number: UInt64(text.count))
    self += text
  }

  /// The number of parts, for every eight a byte that says which differ, and these; 0 and all of it where the one
  /// before has another number of parts.
  fileprivate mutating func append(_ payload: [UInt8], after last: [UInt8]) {
    let (old, new) = (last.parts, payload.parts)
    guard old.count == new.count, !last.isEmpty else {
      append(number: 0)
      return append(text: payload[...])
    }
    append(number: UInt64(new.count))
    for place in new.indices {
      if place % 8 == 0 {
        let eight = place..<Swift.min(place + 8, new.count)
        append(eight.reduce(0) { old[$1] == new[$1] ? $0 : $0 | 1 << UInt8($1 % 8) })
      }
      if old[place] != new[place] { append(text: new[place]) }
    }
  }
}
