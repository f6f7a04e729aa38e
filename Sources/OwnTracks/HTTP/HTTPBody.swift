/// Messages over HTTP instead of MQTT: the same ones with their topic inside, and in the answer any
/// number of messages for us.
public enum HTTPBody {
  /// Where messages seem to come from that name no topic; the tracker's id follows.
  public static let friends = "owntracks/http/"

  /// The payload with its topic in it. A payload that is no object, and so has no room for one, stays as it is.
  public static func request(_ payload: [UInt8], topic: String) -> [UInt8] {
    guard payload.first == UInt8(ascii: "{"), payload.last == UInt8(ascii: "}") else { return payload }
    var writer = JSONWriter(capacity: payload.count + topic.utf8.count + 16)
    writer.bytes = payload.dropLast()
    // A comma is due after everything but the brace itself.
    while let last = writer.bytes.last, [9, 10, 13, 32].contains(last) { writer.bytes.removeLast() }
    writer.member("topic", topic)
    writer.endObject()
    return writer.bytes
  }

  /// `request` undone: the payload as it was before its topic went in.
  public static func payload(_ request: [UInt8], topic: String) -> [UInt8] {
    let tail = Self.request(Array("{}".utf8), topic: topic).dropFirst()
    guard request.count > tail.count, request.suffix(tail.count) == tail else { return request }
    var payload = Array(request.dropLast(tail.count))
    if payload.last == UInt8(ascii: ",") { payload.removeLast() }
    return payload + [UInt8(ascii: "}")]
  }

  /// The objects of an answer: an array of them, or one alone. Nil: it is no JSON; whatever else it is,
  /// there is nothing in it for us.
  public static func answer(_ body: [UInt8]) -> [JSON]? {
    guard let answer = try? JSON.parse(body) else { return nil }
    return (answer.elements ?? [answer]).filter { $0.members != nil }
  }

  /// Where each message of an answer comes from. Commands count as those on our own topic; everything else comes from a
  /// friend: from its base topic where it names one. The Recorder names one in locations, and not in the cards in front
  /// of them: what names none belongs to the next one of its tracker id, else to the one before.
  public static func topics(of messages: [JSON], commands: String) -> [String] {
    let named = messages.map { base(of: $0, commands: commands) }
    let ids = messages.map { $0["tid"]?.text }
    var topics = named
    // Messages behind it count first.
    for order in [Array(messages.indices.reversed()), Array(messages.indices)] {
      var known: [String: String] = [:]
      for index in order {
        guard let id = ids[index] else { continue }
        if let topic = named[index] { known[id] = topic } else { topics[index] = topics[index] ?? known[id] }
      }
    }
    return messages.indices.map { index in
      messages[index]["_type"]?.text == "cmd" ? commands : topics[index] ?? topic(ofTracker: ids[index])
    }
  }

  private static func topic(ofTracker id: String?) -> String {
    let id = id?.prefix(8).filter { !"/+#\0".contains($0) } ?? ""
    return friends + (id.isEmpty ? "unknown" : id)
  }

  /// Bytes of a friend's topic.
  private static let longestTopic = 256

  /// Nil: it names none, or one that no friend has.
  private static func base(of message: JSON, commands: String) -> String? {
    guard message["_type"]?.text != "cmd", let topic = message["topic"]?.text, !topic.isEmpty,
      topic.utf8.count <= longestTopic, topic.unicodeScalars.allSatisfy({ $0.escaped == nil }),
      !topic.contains(where: { "+#".contains($0) })
    else { return nil }
    let suffix = ["/event", "/info"].first { topic.hasSuffix($0) } ?? ""
    let base = String(topic.dropLast(suffix.count))
    return base.isEmpty || base == commands ? nil : base
  }
}
