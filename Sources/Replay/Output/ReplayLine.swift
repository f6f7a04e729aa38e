import Answers
import Core
import Model
import OwnTracks
import Timebase

/// One thing that a replay says, with when it happened, counted from the start of the recording.
public enum ReplayLine {
  /// The receiver told a position.
  case position
  /// The wall clock is this from here on. For tables; programs count from the start.
  case clock(WallTime)
  /// A message was made of the report.
  case published(Report, Message)
  /// The broker has acknowledged a message; messages are counted from 1.
  case delivered(Int)
  /// Something was not published.
  case withheld(Withheld)
  /// Something of a friend that people may like to read.
  case notice(String)
  /// To a control line.
  case answer(JSON)
  /// The last line: what the tracker would go on from.
  case ended(ReplayEnd)
}

/// Why something was not published.
public struct Withheld {
  /// For programs: the same for the same cause.
  public let word: String
  /// For people, with the numbers that decided.
  public let sentence: String
  let details: JSON

  init(_ reason: Reason) {
    (word, sentence, details) = (reason.word, reason.sentence, Answer.details(reason))
  }
}

/// How a replay ends.
public struct ReplayEnd {
  var mode: ModeState
  var regions: [Snapshot.KnownRegion]
  /// Messages that the broker has not acknowledged.
  public var queue: Int
  var history: Int
}

extension ReplayLine {
  /// For programs: one JSON object with its keys in the order that the format shows, without a line's end. Nil: the
  /// format has no line for it.
  public func json(at: Span) -> String? {
    switch self {
    case .position, .clock: nil
    case .published(_, let message):
      """
      {"at":\(at: at),"publish":{"topic":\(Self.quoted(message.topic)),"qos":\(message.qos),\
      "retain":\(message.isRetained),"payload":\(String(decoding: message.payload, as: UTF8.self))}}
      """
    case .delivered(let number): "{\"at\":\(at: at),\"delivered\":\(number)}"
    case .withheld(let reason):
      "{\"at\":\(at: at),\"withheld\":\(Self.quoted(reason.word)),\"detail\":\(Self.text(reason.details))}"
    case .notice(let text): "{\"at\":\(at: at),\"notice\":\(Self.quoted(text))}"
    case .answer(let answer): "{\"at\":\(at: at),\"answer\":\(Self.text(answer))}"
    case .ended(let end): "{\"state\":\(Self.text(end.json))}"
    }
  }

  private static func text(_ json: JSON) -> String {
    String(decoding: json.serialised(sortingKeys: false), as: UTF8.self)
  }

  private static func quoted(_ word: String) -> String { text(.string(word)) }
}

extension ReplayEnd {
  fileprivate var json: JSON {
    [
      "mode": .integer(Int64(mode.mode.rawValue)), "downgraded": .boolean(mode.downgraded),
      "adapted": .boolean(mode.adapted),
      "regions": .array(
        regions.map { known in
          var region: JSON = ["desc": .string(known.region.name), "rid": .string(known.region.rid)]
          if known.presence != .unknown { region.set("inside", .boolean(known.presence == .inside)) }
          return region
        }),
      "queue": .integer(Int64(queue)), "history": .integer(Int64(history)),
    ]
  }
}
