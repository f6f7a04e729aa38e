import Glibc
import OwnTracks

/// Commands to boards and what they answer, by the programs of mosquitto.
final class FleetConversation {
  private let options: [String]
  private let listener: OtherProgram.Running
  private var rest: [UInt8] = []
  private var speakers: [OtherProgram.Running] = []

  /// Bytes without the end of a line; no board answers as much.
  private static let limit = 1 << 20

  /// Listens to these topics until `end`, at most so many seconds.
  init(_ options: [String], topics: [String], seconds: Int) throws {
    self.options = options
    let words = ["-q", "1", "-F", "%J", "-W", "\(seconds)"] + topics.flatMap { ["-t", $0] }
    listener = try OtherProgram(name: "mosquitto_sub", package: "mosquitto-clients")
      .start(options + words, joinsErrors: false)
  }

  func say(_ payload: [UInt8], on topic: String) throws {
    let words = ["-q", "1", "-t", topic, "-m", String(decoding: payload, as: UTF8.self)]
    speakers.append(
      try OtherProgram(name: "mosquitto_pub", package: "mosquitto-clients")
        .start(options + words, joinsErrors: false))
    while speakers.count > 8 { try hearOut(speakers.removeFirst()) }
  }

  /// Messages that come within so many milliseconds, each with its topic.
  func listen(for milliseconds: Int32) throws -> [(topic: String, message: JSON)] {
    while !speakers.isEmpty { try hearOut(speakers.removeFirst()) }
    var wanted = pollfd(fd: listener.output, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, milliseconds) > 0 else { return [] }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(listener.output, &buffer, buffer.count)
    if count < 0, errno == EINTR { return [] }
    guard count > 0, rest.count < Self.limit else {
      throw Failure(.unreachable, "mosquitto_sub has ended: its own words say why, its options follow --")
    }
    rest += buffer.prefix(count)
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    defer { rest.removeSubrange(...end) }
    return rest[..<end].split(separator: UInt8(ascii: "\n")).compactMap { Self.message(Array($0)) }
  }

  func end() {
    for speaker in speakers { _ = OtherProgram.end(speaker, atMost: Self.limit) }
    kill(listener.process, SIGTERM)
    _ = OtherProgram.end(listener, atMost: Self.limit)
  }

  private func hearOut(_ speaker: OtherProgram.Running) throws {
    let ended = OtherProgram.end(speaker, atMost: Self.limit)
    guard ended.status == 0 else {
      throw Failure(
        .unreachable,
        "mosquitto_pub ended with status \(ended.status): its own words say why, its options follow --")
    }
  }

  private static func message(_ line: [UInt8]) -> (topic: String, message: JSON)? {
    guard let json = try? JSON.parse(line, values: 10_000), let topic = json["topic"]?.text,
      let payload = json["payload"]
    else { return nil }
    guard let text = payload.text else { return (topic, payload) }
    return (try? JSON.parse(Array(text.utf8), values: 10_000)).map { (topic, $0) }
  }
}
