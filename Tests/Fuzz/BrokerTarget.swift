import OwnTracks

@testable import homewardd

/// What the broker delivers: a line with the topic, then the payload. One that nobody could read is named
/// in one line, all others pass in silence.
enum BrokerTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    let newline = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
    let topic = String(decoding: input[..<newline], as: UTF8.self)
    let payload = Array(input[newline...].dropFirst())
    var traffic = Traffic()
    let complaint = traffic.note(topic: topic, payload: payload, isRetained: false)
    let type = (try? JSON.parse(payload))?["_type"]?.text
    claim((complaint == nil) == (payload.isEmpty || type != nil), "\(complaint ?? "silence") of \(payload)")
    claim(traffic.received == 1, "not counted")
    claim(traffic.malformed == (complaint == nil ? 0 : 1), "not counted as malformed")
    if let complaint { Claim.isPlain(complaint, "broker") }
    if let last = traffic.lastMalformed { Claim.isPlain(last, "broker's status") }
  }
}
