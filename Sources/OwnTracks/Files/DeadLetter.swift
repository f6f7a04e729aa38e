import Model
import Timebase

/// A message that was refused for good, as one line for people and programs to find it by.
public enum DeadLetter {
  /// `payload` as it was published; nil: it may not be told in clear. `time`: when it was refused.
  public static func line(
    topic: String, payload: [UInt8]?, reason: String, time: WallTime?
  ) -> [UInt8] {
    var letter = JSON.object([])
    letter.set("time", time.map { .integer(Int64($0.wholeSeconds)) })
    letter.set("topic", .string(topic))
    letter.set("reason", .string(reason.plainLine))
    if let payload {
      // A zero is valid UTF-8, and no text.
      if !payload.contains(0), let text = String(validating: payload, as: UTF8.self) {
        letter.set("payload", .string(text))
      } else {
        letter.set("base64", .string(Base64.text(of: payload)))
      }
    }
    return letter.serialised()
  }
}
