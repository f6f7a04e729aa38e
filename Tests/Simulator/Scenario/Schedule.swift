import Timebase

/// What is going to happen, in the order in which it will: a heap. Of two things at one instant the one
/// that was planned first comes first.
struct Schedule<What> {
  struct Entry {
    var at: Instant
    var number: UInt64
    var what: What
  }

  private var heap: [Entry] = []
  private var count: UInt64 = 0

  var next: Instant? { heap.first?.at }

  mutating func add(_ what: What, at instant: Instant) {
    count += 1
    heap.append(Entry(at: instant, number: count, what: what))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard isBefore(child, parent) else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  mutating func take() -> Entry? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) {
        least = child
      }
      guard least != parent else { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    (heap[left].at, heap[left].number) < (heap[right].at, heap[right].number)
  }
}
