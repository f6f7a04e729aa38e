/// Counters of the messages that the server delivers to us.
struct Traffic {
  private(set) var received = 0
  private(set) var malformed = 0
  /// Topic and reason of the last one.
  private(set) var lastMalformed: String?
  /// Friends' locations since the list was last asked for.
  private(set) var friendUpdates = 0

  mutating func count() { received += 1 }

  mutating func countFriend() { friendUpdates += 1 }

  /// How many there were; the count begins anew.
  mutating func lookedAtFriends() -> Int {
    defer { friendUpdates = 0 }
    return friendUpdates
  }

  /// Topic and reason of a message that nobody can read.
  mutating func countMalformed(_ text: String) {
    malformed += 1
    lastMalformed = text
  }
}
