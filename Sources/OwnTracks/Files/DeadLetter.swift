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

  /// Why a line cannot be sent again.
  public struct Unusable: Error, Hashable, Sendable, CustomStringConvertible {
    /// One line, whatever the file holds.
    public var description: String

    init(_ description: String) { self.description = description.plainLine }
  }

  /// Bytes of a topic in MQTT.
  private static let longestTopic = 65_535

  /// The message of a line, as it was before it was encrypted and before its topic went into it: as `Message` wants
  /// it. `encryption` opens it; nil: there is no key.
  ///
  /// It counts as an event. It is never retained: what is sent again is old, and the broker may keep newer words.
  public static func message(
    _ line: [UInt8], opening encryption: Encryption?
  ) throws(Unusable) -> Message {
    guard let letter = try? JSON.parse(line), letter.members != nil else { throw Unusable("no JSON object") }
    guard let topic = letter["topic"]?.text, !topic.isEmpty, topic.utf8.count <= longestTopic,
      !topic.contains(where: { "+#\0".contains($0) })
    else { throw Unusable("topic is missing, or no topic to send to") }
    guard let text = letter["payload"]?.text else { throw Unusable("payload is missing, or no text") }
    let payload = HTTPBody.payload(try opened(Array(text.utf8), encryption), topic: topic)
    guard let json = try? JSON.parse(payload), json.members?.isEmpty == false else {
      throw Unusable("payload is no JSON object")
    }
    let time = json["tst"]?.int ?? letter["time"]?.int ?? 0
    return Message(
      topic: topic, payload: payload, qos: 1, isRetained: false, isEvent: true, time: max(0, time))
  }

  private static func opened(_ payload: [UInt8], _ encryption: Encryption?) throws(Unusable) -> [UInt8] {
    guard let envelope = try? JSON.parse(payload), envelope["_type"]?.text == Encryption.type else {
      return payload
    }
    guard let encryption else {
      throw Unusable("payload is encrypted, and there is no encryptionKey to open it")
    }
    do {
      return try encryption.opened(envelope)
    } catch {
      throw Unusable("payload is encrypted, and \(error)")
    }
  }
}
