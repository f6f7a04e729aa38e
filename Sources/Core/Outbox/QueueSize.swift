/// The size of the queue and its limits: messages and bytes in memory, on the disk and in flight.
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

  /// Only these are left.
  mutating func keep(_ messages: Int, bytes size: Int) { (count, bytes) = (messages, size) }

  /// The disk holds fewer than were counted; the size of the missing ones is not known.
  mutating func miss(_ messages: Int) { count -= messages }

  var isOver: Bool { count > limit || bytes > byteLimit }

  /// How many have to go; a few more than needed, so that not every message of a long outage causes a sweep.
  var excess: Int { isOver ? max(count - limit, 1) + limit / 32 : 0 }
}
