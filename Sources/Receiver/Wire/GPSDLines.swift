import Glibc

/// gpsd's byte stream cut into lines, in one buffer that never grows.
final class GPSDLines {
  /// A healthy gpsd's longest line, 140 satellites, has about 18 kB; a longer one is dropped whole.
  static let capacity = 65_536

  private let bytes = UnsafeMutablePointer<CChar>.allocate(capacity: capacity + 1)
  /// Length of the partial line at the beginning of the buffer.
  private var count = 0
  /// Within a line that was too long.
  private var isSkipping = false
  /// Changes when the connection does: a handler may close it between two lines.
  private var generation = 0
  private(set) var overlong = 0

  deinit {
    bytes.deallocate()
  }

  /// Forgets the half line of a connection that ended.
  func reset() {
    count = 0
    isSkipping = false
    generation += 1
  }

  /// Where the next bytes go, and how many.
  var space: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bytes + count) }
  var free: Int { Self.capacity - count }

  /// `fresh` bytes were put into `space`: hands every whole line over, zero-terminated in place and
  /// without its line end. The pointer is good within the call only.
  func accept(_ fresh: Int, _ each: (UnsafeMutablePointer<CChar>, Int) -> Void) {
    let end = count + fresh
    let mine = generation
    var start = 0
    var seen = count
    while let newline = memchr(bytes + seen, 10, end - seen) {
      let index = UnsafeMutableRawPointer(bytes).distance(to: newline)
      if isSkipping {
        isSkipping = false
      } else {
        hand(from: start, to: index, each)
        if generation != mine { return }
      }
      start = index + 1
      seen = start
    }
    keep(from: start, to: end)
  }

  private func hand(from start: Int, to newline: Int, _ each: (UnsafeMutablePointer<CChar>, Int) -> Void) {
    let hasReturn = newline > start && bytes[newline - 1] == 13
    let length = newline - start - (hasReturn ? 1 : 0)
    guard length > 0 else { return }
    bytes[start + length] = 0
    each(bytes + start, length)
  }

  private func keep(from start: Int, to end: Int) {
    count = isSkipping ? 0 : end - start
    if count > 0, start > 0 { memmove(bytes, bytes + start, count) }
    guard count == Self.capacity else { return }
    overlong += 1
    isSkipping = true
    count = 0
  }
}
