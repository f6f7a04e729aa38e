import OwnTracks
import Timebase

/// What the broker delivers to us. Commands and friends are later work: for now messages are counted,
/// and those that nobody could read are named.
struct Traffic {
  private(set) var received = 0
  private(set) var malformed = 0
  /// Topic and reason of the last one.
  private(set) var lastMalformed: String?
  var nextPressure = Instant.zero

  /// A line for the journal where a message makes no sense; nil for everything else.
  mutating func note(topic: String, payload: [UInt8], isRetained: Bool) -> String? {
    received += 1
    // An empty payload clears a retained message; it is no mistake.
    guard !payload.isEmpty else { return nil }
    do {
      guard try JSON.parse(payload)["_type"]?.text == nil else { return nil }
      return complain("\(topic): no _type; expected a JSON object with one")
    } catch {
      return complain("\(topic): \(error)")
    }
  }

  private mutating func complain(_ text: String) -> String {
    let text = text.plainLine
    malformed += 1
    lastMalformed = text
    return "message from the broker is malformed: \(text)"
  }
}
