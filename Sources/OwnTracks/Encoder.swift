import Model
import Timebase

/// Reports to messages. One per configuration: it remembers what every message has in common. No struct: all
/// of the configuration would be copied for each message.
public final class Encoder: ReportEncoder {
  /// Of the settings that it was made with.
  public let topics: Topics
  let qos: Int
  let retainsLocations: Bool
  let isExtended: Bool
  let beaconDecimals: Int
  let configuration: Configuration
  private let hostName: String
  /// Facts about the board that do not depend on the settings.
  public let additions: Additions

  /// Message content that involves no decision: read when a message is made.
  public final class Additions {
    /// The owner's own keys, that go with every location.
    public var extras: [(name: String, value: JSON)] = []
    /// The device as Home Assistant shows it.
    public var board = BoardIdentity()
    /// Facts that only the adapters know, for a `status` of that time; nil: none.
    public var facts: ((WallTime?) -> BoardFacts)?

    /// Nothing is known yet; the daemon fills it in as it learns.
    public init() {}
  }

  /// `hostName` stands in for an empty `deviceId`. `additions` may be shared by all encoders of a daemon.
  public init(
    _ configuration: Configuration, hostName: String, clientIDForm: ClientIDForm = .apart,
    additions: Additions = Additions()
  ) {
    self.hostName = hostName
    self.additions = additions
    topics = Topics(configuration, hostName: hostName, clientIDForm: clientIDForm)
    qos = configuration.messages.qos
    retainsLocations = configuration.messages.retain
    isExtended = configuration.reports.extendedData
    beaconDecimals = configuration.beacons.accuracyDecimals
    self.configuration = configuration
  }

  /// Whether both are the same to a broker.
  public func isSameConnection(as other: Encoder) -> Bool {
    !ConfigurationKey.differing(configuration, other.configuration).contains(where: \.isConnection)
  }

  /// Answers and discovery are for the moment: nobody misses them later.
  public var newsTopics: [String] {
    [topics.base] + [.event, .waypoint, .beacon, .trip, .alarm, .info].map(topics.topic)
  }

  /// It shares the `additions`.
  public func adopting(_ configuration: Configuration, _ form: ClientIDForm) -> any ReportEncoder {
    Encoder(configuration, hostName: hostName, clientIDForm: form, additions: additions)
  }

  /// As `encode`.
  public func message(for report: Report) -> Message { encode(report) }

  /// The message without its place in the queue (`sequence` 0). Costs microseconds, fails never.
  public func encode(_ report: Report) -> Message {
    switch report {
    case .location(let location): encode(location)
    case .transition(let transition): encode(transition)
    case .waypoint(let region): encode(region)
    case .beacon(let beacon): encode(beacon)
    case .card(let card): encode(card)
    case .friendForgotten(let topic), .discoveryGone(let topic):
      Message(topic: topic, payload: [], qos: qos, isRetained: true, isEvent: true, time: 0)
    case .discovery(let entity): encode(entity)
    case .trip(let trip): encode(trip)
    case .alarm(let alarm): encode(alarm)
    case .dump(let dump): encode(dump)
    case .status(let status): encode(completed(status))
    case .waypoints(let regions, let time): encode(waypoints: regions, at: time)
    case .steps(let steps): encode(steps)
    case .result(let result): encode(result)
    }
  }

  /// On a topic of its own, for `homeward unbatch`.
  public func batch(of messages: [Message]) -> Message {
    Message(
      sequence: messages[0].sequence, topic: topics.topic(.batch),
      payload: Batch.packed(messages.map(\.payload), isRetained: messages[0].isRetained), qos: qos,
      isRetained: false, isEvent: false, time: messages[messages.count - 1].time)
  }

  private func completed(_ status: StatusReport) -> StatusReport {
    guard let facts = additions.facts else { return status }
    var status = status
    status.board = facts(status.time)
    return status
  }

  /// The will, published by the broker when we vanish; `time` is when the connection was set up. Without a
  /// trusted clock `tst` is 0, because consumers demand the key.
  public func will(at time: WallTime?) -> Message {
    let tst = time?.wholeSeconds ?? 0
    var writer = JSONWriter(capacity: 40)
    writer.beginObject()
    writer.member("_type", "lwt")
    writer.member("tst", tst)
    writer.endObject()
    return Message(
      topic: topics.base, payload: writer.bytes, qos: qos, isRetained: false, isEvent: false, time: tst)
  }

  // MARK: - Rules that several messages share

  /// Rounded to a whole number; nil if it is not finite or beyond all reason.
  static func whole(_ number: Double?) -> Int? {
    guard let number, number.magnitude < 1e9 else { return nil }
    return Int(number.rounded())
  }

  /// Rounded up and never 0: Home Assistant drops `acc` 0, and 0 would pass every accuracy filter.
  static func accuracy(_ metres: Double) -> Int {
    guard metres.magnitude < 1e9 else { return 1_000_000_000 }
    return max(1, Int(metres.rounded(.up)))
  }

  /// Only where the message is built more than a second off the time that it reports.
  static func createdAt(_ created: WallTime?, tst: WallTime) -> Int? {
    guard let created, abs(created.seconds - tst.seconds) > 1 else { return nil }
    return created.wholeSeconds
  }
}
