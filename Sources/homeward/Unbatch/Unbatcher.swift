import Glibc
import Model
import OwnTracks

/// Reads batches on one connection and publishes what is in them on another. What comes in is acknowledged only when all
/// that it has become is:
///
///     batch ──read──▶ messages ──published──▶ owed ──PUBACK of each──▶ none owed ──▶ PUBACK of the batch is written
///
/// Killed in between, it is given the batch again, and the same messages go out once more, byte for byte.
final class Unbatcher {
  /// Messages on their way: no more batches are read then.
  private static let most = 2000
  /// Milliseconds between two looks at pings.
  private static let beat: Int32 = 2000
  private static let longestWait = 60
  /// Looks that the last messages are given to be acknowledged.
  private static let lastTurns = 50

  private let way: (in: UnbatchLink, out: UnbatchLink)
  private let filter: String
  private var owed: Set<Int32> = []
  /// A message was not taken by the library: its batch must not be acknowledged.
  private var isToBeGivenAgain = false
  /// Seconds until the next attempt.
  private var wait = 1

  init(_ configuration: Configuration, filter: String) throws {
    let name = configuration.identity.clientId.isEmpty ? "homeward-unbatch" : configuration.identity.clientId
    self.filter = filter
    way = (
      try UnbatchLink(configuration, name: name, filter: filter, isHeld: true),
      try UnbatchLink(configuration, name: name + "-out", filter: nil, isHeld: false)
    )
  }

  /// The topic of the board that publishes batches here; nil: it is no topic of batches.
  static func boardTopic(of topic: String) -> String? {
    topic.hasSuffix("/batch") && topic.utf8.count > 6 ? String(topic.dropLast(6)) : nil
  }

  /// Until a signal asks for its end.
  func run() throws {
    let signals = try EndSignals()
    var isSaid = false
    while !signals.hasEnded {
      guard way.out.socket >= 0 || way.out.connect(), way.in.socket >= 0 || way.in.connect() else {
        isSaid = false
        try pause(signals)
        continue
      }
      turn(signals)
      if way.in.isConnected, way.out.isConnected {
        wait = 1
        if !isSaid { warn("takes apart what is published on \(filter)") }
        isSaid = true
      } else if way.in.trouble != nil || way.out.trouble != nil {
        isSaid = false
        try pause(signals)
      }
    }
    leave(signals)
  }

  /// A batch is acknowledged with the goodbye only if all of it is out; else it comes again.
  private func leave(_ signals: EndSignals) {
    for _ in 0..<Self.lastTurns where !owed.isEmpty && way.out.isConnected { turn(signals) }
    if owed.isEmpty { way.in.disconnect() }
    way.out.disconnect()
  }

  /// Says what is wrong, and waits before the next attempt.
  private func pause(_ signals: EndSignals) throws {
    for link in [way.out, way.in] {
      if let trouble = link.trouble { warn("\(link.name): \(trouble); tried again in \(wait) s") }
      link.trouble = nil
    }
    signals.sleep(seconds: wait)
    wait = min(wait * 2, Self.longestWait)
  }

  private func turn(_ signals: EndSignals) {
    // Nothing more is taken in while there is no way out.
    let takesIn = way.out.isConnected && owed.count < Self.most
    let isFree = owed.isEmpty
    var polled = [
      pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: way.out.socket, events: Int16(POLLIN | (way.out.wantsWrite ? POLLOUT : 0)), revents: 0),
      pollfd(
        fd: way.in.socket,
        events: Int16(
          (takesIn || !way.in.isConnected ? POLLIN : 0) | (isFree && way.in.wantsWrite ? POLLOUT : 0)),
        revents: 0),
    ]
    _ = poll(&polled, nfds_t(polled.count), Self.beat)
    signals.read()
    if polled[1].revents != 0 { way.out.read() }
    if polled[1].revents & Int16(POLLOUT) != 0 { way.out.write() }
    for number in way.out.acknowledged { owed.remove(number) }
    way.out.acknowledged = []
    if polled[2].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { way.in.read() }
    for message in way.in.received { takeApart(message) }
    way.in.received = []
    // All that was taken in is out: the broker may forget it.
    if owed.isEmpty, !isToBeGivenAgain, way.in.wantsWrite { way.in.write() }
    way.out.look()
    way.in.look()
    if isToBeGivenAgain {
      isToBeGivenAgain = false
      // A new connection begins without the acknowledgements that were not written.
      _ = way.in.connect()
    }
  }

  private func takeApart(_ message: UnbatchLink.Received) {
    // A batch is news for those who are there; a retained one has been taken apart before.
    guard !message.isRetained, let topic = Self.boardTopic(of: message.topic) else { return }
    do {
      let batch = try Batch.unpacked(message.payload)
      for payload in batch.payloads { publish(payload, on: topic, isRetained: batch.isRetained) }
    } catch {
      // Not acknowledged, it would come again and again; there it can be looked into.
      warn("\(message.topic): \(error); its \(message.payload.count) bytes go to \(message.topic)/refused")
      publish(message.payload, on: message.topic + "/refused", isRetained: false)
    }
  }

  private func publish(_ payload: [UInt8], on topic: String, isRetained: Bool) {
    guard let number = way.out.publish(payload, on: topic, isRetained: isRetained) else {
      isToBeGivenAgain = true
      return
    }
    owed.insert(number)
  }
}
