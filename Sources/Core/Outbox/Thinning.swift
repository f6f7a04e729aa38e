import Model

/// Which locations go when the queue is full: evenly, the oldest first, so that the track
/// stays whole and only gets coarser. Events are never taken, nor is the oldest or the newest location.
enum Thinning {
  /// From a queue in memory: again and again the one whose neighbours are nearest in time to each other,
  /// the oldest among equals.
  static func victims(in queue: [QueueEntry], wanted: Int) -> [UInt64] {
    var left = queue.filter { !$0.isEvent }
    var victims: [UInt64] = []
    while victims.count < wanted, left.count > 2 {
      var nearest = 1
      var span = Int.max
      for index in 1..<left.count - 1 {
        let here = left[index + 1].time - left[index - 1].time
        if here < span { (nearest, span) = (index, here) }
      }
      victims.append(left.remove(at: nearest).sequence)
    }
    return victims
  }
}

/// The same for a queue on the disk, of which only a page at a time is seen. A sweep goes from the oldest
/// to the newest and takes a location where its neighbours are not more than `gap` seconds apart; when
/// nothing is left to take, the next sweep allows a wider gap.
struct Sweep {
  /// Greatest time between the neighbours of a victim, seconds.
  private(set) var gap = 0
  /// Everything up to here was looked at: the next page begins behind it.
  private(set) var cursor: UInt64 = 0
  /// Time of the last location that stays, on the page before.
  private var kept: Int?
  /// Least time between neighbours that were too far apart in this sweep, seconds.
  private var narrowest = Int.max

  /// Names up to `wanted` victims of one page, in sequence and behind `cursor`.
  mutating func victims(in page: [QueueEntry], wanted: Int) -> [UInt64] {
    let locations = page.filter { !$0.isEvent }
    var victims: [UInt64] = []
    for (entry, next) in zip(locations, locations.dropFirst()) where victims.count < wanted {
      if let before = kept, next.time - before <= gap {
        victims.append(entry.sequence)
      } else {
        if let before = kept { narrowest = min(narrowest, next.time - before) }
        kept = entry.time
      }
      cursor = entry.sequence
    }
    // The last location of a page is judged with the page behind it; events behind it are passed.
    if victims.count < wanted, locations.count < 2 { cursor = page.last?.sequence ?? cursor }
    return victims
  }

  /// The end was reached: begin again at the oldest, allowing at least the narrowest gap found. False: a wider
  /// gap would yield nothing.
  mutating func restart() -> Bool {
    let canWiden = narrowest != .max
    if canWiden { gap = max(gap, narrowest) }
    narrowest = .max
    cursor = 0
    kept = nil
    assert(gap >= 0, "a gap of \(gap) s")
    return canWiden
  }
}
