import Timebase

/// What the server delivers to us, counted, and how often a bad message is worth a line in the journal.
struct Traffic {
  /// Rubbish sent all day does not fill the journal.
  static let lineGap = Span.seconds(10)

  private(set) var received = 0
  private(set) var malformed = 0
  /// Topic and reason of the last one.
  private(set) var lastMalformed: String?
  /// Places of others since somebody looked at the list.
  private(set) var friendUpdates = 0
  private var nextLine = Instant.zero

  mutating func count() { received += 1 }

  mutating func countFriend() { friendUpdates += 1 }

  /// How many there were; the count begins anew.
  mutating func lookedAtFriends() -> Int {
    defer { friendUpdates = 0 }
    return friendUpdates
  }

  /// The line for the journal; nil: the last one is too recent. `status` shows the newest all the same.
  mutating func warning(_ text: String, at now: Instant) -> String? {
    malformed += 1
    lastMalformed = text
    guard now >= nextLine else { return nil }
    nextLine = now + Self.lineGap
    return "message from the broker is malformed: \(text)"
  }
}
