/// What goes over HTTP instead of MQTT: the same messages with their topic inside, and in the answer any
/// number of messages for us.
public enum HTTPBody {
  /// Where messages seem to come from that name no topic; the tracker's id follows.
  public static let friends = "owntracks/http/"

  /// The payload with its topic in it. What is no object, and so has no room for one, stays as it is.
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

  /// The objects of an answer: an array of them, or one alone. Nil: it is no JSON; whatever else it is,
  /// there is nothing in it for us.
  public static func answer(_ body: [UInt8]) -> [JSON]? {
    guard let answer = try? JSON.parse(body) else { return nil }
    return (answer.elements ?? [answer]).filter { $0.members != nil }
  }

  /// Commands count as those on our own topic; everything else comes from a friend.
  public static func topic(of message: JSON, commands: String) -> String {
    guard message["_type"]?.text != "cmd" else { return commands }
    let id = message["tid"]?.text.map { $0.prefix(8).filter { !"/+#\0".contains($0) } } ?? ""
    return friends + (id.isEmpty ? "unknown" : id)
  }
}
