/// How much waits, and how much may: messages and bytes of all that is in memory, on the disk and under way.
struct QueueSize {
  private(set) var count: Int
  private(set) var bytes: Int
  var limit: Int
  var byteLimit: Int

  init(count: Int, bytes: Int, limit: Int, byteLimit: Int) {
    (self.count, self.bytes, self.limit, self.byteLimit) = (count, bytes, limit, byteLimit)
  }

  mutating func add(bytes size: Int) {
    count += 1
    bytes += size
  }

  mutating func remove(_ messages: Int = 1, bytes size: Int) {
    count -= messages
    bytes -= size
  }

  /// All but these are gone.
  mutating func keep(_ messages: Int, bytes size: Int) { (count, bytes) = (messages, size) }

  /// The disk holds fewer than were counted, and of what size they were is not known.
  mutating func miss(_ messages: Int) { count -= messages }

  var isOver: Bool { count > limit || bytes > byteLimit }

  /// How many have to go; a little more than needed, so that not every message of a long outage asks for a sweep.
  var excess: Int { isOver ? max(count - limit, 1) + limit / 32 : 0 }
}
