import Model
import OwnTracks

@testable import homewardd

/// What an endpoint answers; and the same bytes as an address, as headers and as a payload that gets a topic.
enum HTTPTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    answer(bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    if let address = HTTPAddress(text) {
      claim(HTTPAddress(address.origin)?.host == address.host, "\(address.origin) is another host")
      claim(!address.origin.contains("@"), "\(address.origin) shows who posts")
    }
    for header in HTTPHeaders(text)?.all ?? [] {
      Claim.isPlain(header.name + ":" + header.value, "header")
      claim(!header.name.isEmpty && !header.name.contains(":"), "a header called \(header.name)")
    }
    let request = HTTPBody.request(bytes, topic: "a/b")
    guard let before = try? JSON.parse(bytes), before.members != nil, before["topic"] == nil else { return }
    // Blanks around it keep an object from being known for one.
    let isTrimmed = bytes.first == UInt8(ascii: "{") && bytes.last == UInt8(ascii: "}")
    let after = try? JSON.parse(request)
    claim(
      !isTrimmed || after?["topic"]?.text == "a/b", "no topic in \(String(decoding: request, as: UTF8.self))")
    claim(after?["_type"] == before["_type"], "the topic changes what it is")
    let undone = try? JSON.parse(HTTPBody.payload(request, topic: "a/b"))
    claim(!isTrimmed || undone == before, "it is another one when the topic is out again")
  }

  private static func answer(_ bytes: [UInt8]) {
    var payloadEncryption = PayloadEncryption()
    payloadEncryption.configure("s1kr3t")
    let (messages, warnings) = payloadEncryption.contents(of: bytes)
    claim(warnings.count <= payloadEncryption.unopened, "told more than there is")
    for warning in warnings { Claim.isPlain(warning, "answer") }
    let topics = HTTPBody.topics(of: messages.map(\.message), commands: "o/u/d/cmd")
    claim(topics.count == messages.count, "not a topic for each")
    for ((message, _), topic) in zip(messages, topics) {
      claim(message.members != nil, "\(message) is no object")
      claim(!topic.contains { "+#\0".contains($0) }, "\(topic) is no topic")
      claim(topic.utf8.count <= 256 && !topic.isEmpty, "\(topic) is too long")
      claim((topic == "o/u/d/cmd") == (message["_type"]?.text == "cmd"), "\(message) is no command")
    }
  }
}
