import Model

/// Which locations go when the queue is full (ruling R13): every other one, oldest first, so that the
/// track stays whole and only gets coarser. A sweep goes from the oldest to the newest and takes a
/// location where its neighbours are not more than `gap` seconds apart; when nothing is left to take,
/// the next sweep allows a wider gap. Events are never taken.
struct Thinning {
  /// Seconds that may lie between the neighbours of what is taken.
  private(set) var gap = 0
  /// Where the sweep goes on: everything up to here was looked at.
  private(set) var cursor: UInt64 = 0
  /// The nearest neighbours that were too far apart in this sweep.
  private var narrowest = Int.max

  /// Looks at one page (in sequence, beginning at or after `cursor`) and names up to `wanted` victims.
  mutating func victims(in page: [QueueEntry], wanted: Int) -> [UInt64] {
    let locations = page.filter { !$0.isEvent }
    var victims: [UInt64] = []
    var kept = locations.first
    for position in locations.indices.dropFirst().dropLast() where victims.count < wanted {
      guard let before = kept else { break }
      let span = locations[position + 1].time - before.time
      if span <= gap {
        victims.append(locations[position].sequence)
      } else {
        narrowest = min(narrowest, span)
        kept = locations[position]
      }
      cursor = locations[position].sequence
    }
    if victims.count < wanted { cursor = page.last?.sequence ?? cursor }
    return victims
  }

  /// The sweep came to the end: begin again at the oldest, allowing at least what was found nearest.
  /// False: the last sweep saw nothing that a wider gap would allow to take.
  mutating func restart() -> Bool {
    let canWiden = narrowest != .max
    if canWiden { gap = max(gap, narrowest) }
    narrowest = .max
    cursor = 0
    return canWiden
  }
}
