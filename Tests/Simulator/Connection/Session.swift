import Model
import Timebase

/// Something that was published on the topic of our commands, at least once.
struct Order {
  var number: Int
  var topic: String
  var command: Command
  var at: Instant
  /// It is only there to show whether it is obeyed.
  var isProbe: Bool
}

/// What the broker keeps under one name, connected or not.
struct Session {
  var filters: Set<String> = []
  /// Not acknowledged.
  var waiting: [Order] = []
}
