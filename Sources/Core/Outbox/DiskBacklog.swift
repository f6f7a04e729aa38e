import Model

/// The messages that are on the disk alone, between the head and the tail of the queue, and how they are read.
///
///       head … loadedThrough │ unloaded, a page of them under way │ tail
struct DiskBacklog {
  /// Number of messages on the disk alone.
  private(set) var unloaded: Int
  /// The newest message that was in the head; older ones are not read.
  private(set) var loadedThrough: UInt64
  private var isLoading = false
  /// Pages requested from the store and no longer wanted. It answers in order.
  private var stalePages = 0

  init(unloaded: Int, loadedThrough: UInt64) {
    (self.unloaded, self.loadedThrough) = (unloaded, loadedThrough)
  }

  var isEmpty: Bool { unloaded == 0 }

  /// Whether messages before it are still to be read.
  func isBeforeUnread(_ sequence: UInt64) -> Bool { unloaded > 0 && sequence > loadedThrough }

  // MARK: Leaving memory and coming back

  /// The message is in the head, without having been read.
  mutating func pass(_ sequence: UInt64) { loadedThrough = max(loadedThrough, sequence) }

  /// `count` more messages that are to be read are on the disk alone from now on.
  mutating func leave(_ count: Int) { unloaded += count }

  /// The last message of the head goes back to the disk.
  mutating func unload(_ sequence: UInt64) {
    unloaded += 1
    loadedThrough = min(loadedThrough, sequence - 1)
    forgetPage()
  }

  /// `count` messages are read once more, from this one on.
  mutating func readAgain(_ count: Int, from first: UInt64) {
    unloaded += count
    loadedThrough = first - 1
    forgetPage()
  }

  /// `count` messages were thinned out.
  mutating func lose(_ count: Int) {
    unloaded -= count
    assert(unloaded >= 0, "more went than was there")
  }

  /// None are left.
  mutating func clear(through last: UInt64) {
    (unloaded, loadedThrough) = (0, last)
    forgetPage()
  }

  // MARK: Pages

  /// A page is to be read, and none is under way.
  var wantsPage: Bool { unloaded > 0 && !isLoading }

  mutating func askForPage(of size: Int) -> Effect {
    isLoading = true
    return .load(after: loadedThrough, limit: size)
  }

  /// False: the page is not wanted any more.
  mutating func takePage() -> Bool {
    if stalePages > 0 {
      stalePages -= 1
      return false
    }
    isLoading = false
    return true
  }

  /// `count` messages came with the page, up to `last`. Returns how many are missing, if it was the last page:
  /// the disk holds fewer than were counted (a damaged row was set aside), and is believed.
  mutating func joined(_ count: Int, through last: UInt64?, isEnd: Bool) -> Int {
    if let last { loadedThrough = last }
    unloaded = max(0, unloaded - count)
    guard isEnd else { return 0 }
    defer { unloaded = 0 }
    return unloaded
  }

  /// The page under way begins behind the end that the head had when it was requested.
  private mutating func forgetPage() {
    if isLoading { stalePages += 1 }
    isLoading = false
  }
}
