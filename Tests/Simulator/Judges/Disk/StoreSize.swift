/// What the store may take up: without any message, with each, and of the history, which keeps days; SQLite's pages and
/// their copies in the journal with it.
struct StoreSize: Judge {
  /// Bytes.
  static let (empty, byMessage, byPoint) = (6 << 20, 3000, 250)
  private var longestQueue = 0

  mutating func saw(_ what: Seen, in world: World) {
    guard case .minute = what, let status = world.living?.status(at: world.moment) else { return }
    longestQueue = max(longestQueue, status.queue.count)
    let bytes = world.card.disk.files.values.reduce(0) { $0 + $1.count }
    if let text = look(atStore: bytes, points: status.historyCount) { world.complain(.limits, text) }
  }

  func look(atStore bytes: Int, points: Int) -> String? {
    let most = Self.empty + Self.byMessage * longestQueue + Self.byPoint * points
    return bytes > most ? "the store has \(bytes / 1024) kB" : nil
  }
}
