import Model
import OwnTracks
import Timebase

/// One thing that happens in a replay, and when.
public struct TimelineEntry {
  /// Since the start.
  var at: Span
  var what: Happening
  /// Where it stands in the file, counted from 1.
  public var line: Int

  /// The kind of a line that nothing answers yet; nil: it is answered.
  public var unansweredKind: String? {
    if case .unanswered(let kind) = what { kind } else { nil }
  }

  /// A position that can be used, as far as its time and place go.
  var isPosition: Bool {
    guard case .reading(let reading) = what else { return false }
    return reading.mode >= 2 && reading.time != nil && reading.coordinate != nil
  }

  /// The event in a line of a timeline, or a position of another recording.
  enum Happening {
    /// The wall clock is this many Unix seconds from here on, and can be trusted.
    case clock(Double)
    /// The time zone is this many seconds east of Greenwich from here on.
    case zone(Int)
    case reading(Reading)
    case battery(Battery?)
    case network(Network)
    /// Kilopascal.
    case pressure(Double?)
    /// The ignition's line; nil: there is none any more.
    case ignition(Bool?)
    /// The button that calls for help; nil: there is none any more.
    case sos(Bool?)
    /// The receiver's word on jamming and spoofing.
    case interference(Interference)
    /// Of the battery that starts the vehicle; nil: unknown.
    case vehicleVolts(Double?)
    case broker(BrokerChange)
    /// Bytes that the connections have cost since the tracker's start.
    case carried(Int)
    case sighting(Sighting)
    case scanner(ScannerState)
    /// `isEncrypted`: the payload is what was inside of the envelope.
    case message(topic: String, payload: [UInt8], isRetained: Bool, isEncrypted: Bool)
    /// The words after `homeward`.
    case control([String])
    case restart(isKilled: Bool)
    case stored(StoredState)
    /// A kind of line that nothing answers yet.
    case unanswered(kind: String)
    case end
  }

  /// Whether the broker can be reached from here on, and how it answers.
  struct BrokerChange {
    var isUp: Bool
    var acknowledges = true
    var delay = Span.milliseconds(50)
  }
}

/// Why a file cannot be replayed: `FILE:LINE: what, what was expected`.
public struct ReplayError: Error {
  var file: String
  var line: Int?
  var text: String

  /// One line for a person.
  public var sentence: String {
    (line.map { "\(file):\($0): \(text)" } ?? "\(file): \(text)").plainLine
  }
}
