import Model
import OwnTracks
import Timebase

/// The result of a replay in numbers.
public struct ReplayFigures: Hashable, Sendable {
  /// Positions that the receiver reported.
  public private(set) var positions = 0
  /// Locations that were published.
  public private(set) var locations = 0
  /// Regions that were entered or left.
  public private(set) var crossings = 0
  /// Messages of any kind.
  public private(set) var messages = 0
  /// Topics and payloads of all messages, without what MQTT, TCP and TLS add.
  public private(set) var bytes = 0
  /// The longest time between two locations; nil: there were no two.
  public private(set) var longestSilence: Span?
  /// Messages that the broker has not acknowledged at the end.
  public private(set) var waiting = 0
  private var lastLocation: Span?

  /// Nothing has happened yet.
  public init() {}

  /// Counts what is said, in its order.
  public mutating func note(_ line: ReplayLine, at: Span) {
    switch line {
    case .position: positions += 1
    case .published(let report, let message):
      messages += 1
      bytes += message.size
      note(report, at: at)
    case .ended(let end): waiting = end.queue
    case .clock, .delivered, .withheld, .notice, .answer: break
    }
  }

  private mutating func note(_ report: Report, at: Span) {
    switch report {
    case .location:
      locations += 1
      if let last = lastLocation { longestSilence = max(at - last, longestSilence ?? .zero) }
      lastLocation = at
    case .transition: crossings += 1
    default: break
    }
  }

  /// For programs; seconds and bytes.
  public var json: JSON {
    var json: JSON = [
      "positions": .integer(Int64(positions)), "locations": .integer(Int64(locations)),
      "crossings": .integer(Int64(crossings)), "messages": .integer(Int64(messages)),
      "bytes": .integer(Int64(bytes)), "waiting": .integer(Int64(waiting)),
    ]
    json.set("longestSilence", longestSilence.map { .real($0.seconds) })
    return json
  }
}
