import Model

/// The messages that are on the disk alone, between the head and the tail of the queue, and the reading of them.
///
///       head … loadedThrough │ unloaded, a page of them on its way │ tail
struct DiskBacklog {
  /// How many they are.
  private(set) var unloaded: Int
  /// The newest that was in the head; what is older is not read.
  private(set) var loadedThrough: UInt64
  private var isLoading = false
  /// Pages that the store was asked for and nobody wants any more. It answers in order.
  private var stalePages = 0

  init(unloaded: Int, loadedThrough: UInt64) {
    (self.unloaded, self.loadedThrough) = (unloaded, loadedThrough)
  }

  var isEmpty: Bool { unloaded == 0 }

  /// Whether something before it is still to be read.
  func isBeforeUnread(_ sequence: UInt64) -> Bool { unloaded > 0 && sequence > loadedThrough }

  // MARK: Leaving memory and coming back

  /// It is in the head, without having been read.
  mutating func pass(_ sequence: UInt64) { loadedThrough = max(loadedThrough, sequence) }

  /// `count` more of what is to be read are on the disk alone from now on.
  mutating func leave(_ count: Int) { unloaded += count }

  /// The last of the head goes back.
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

  /// They were thinned out.
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

  /// One is to be read, and none is on its way.
  var wantsPage: Bool { unloaded > 0 && !isLoading }

  mutating func askForPage(of size: Int) -> Effect {
    isLoading = true
    return .load(after: loadedThrough, limit: size)
  }

  /// False: it is not wanted any more.
  mutating func takePage() -> Bool {
    if stalePages > 0 {
      stalePages -= 1
      return false
    }
    isLoading = false
    return true
  }

  /// `count` messages came with it, up to `last`. The answer is how many are missing, where nothing comes after
  /// them: the disk holds less than was counted (a damaged row was set aside), and is believed.
  mutating func joined(_ count: Int, through last: UInt64?, isEnd: Bool) -> Int {
    if let last { loadedThrough = last }
    unloaded = max(0, unloaded - count)
    guard isEnd else { return 0 }
    defer { unloaded = 0 }
    return unloaded
  }

  /// The page under way begins behind what the head ended with when it was asked for.
  private mutating func forgetPage() {
    if isLoading { stalePages += 1 }
    isLoading = false
  }
}
