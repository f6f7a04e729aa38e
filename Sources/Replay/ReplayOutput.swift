import Answers
import Core
import Model
import OwnTracks
import Timebase

/// The lines that a replay prints: one JSON object each, keys in the order that the format shows.
public struct ReplayOutput {
  /// Whether withheld publishes are told too.
  private let explains: Bool
  private let write: (_ line: String) -> Void
  /// What is wrong with the recording, one line for a person.
  let warn: (_ line: String) -> Void

  /// `write` gets what the replay says, line by line and without line ends; `warn` what it cannot use.
  public init(
    explains: Bool, write: @escaping (_ line: String) -> Void, warn: @escaping (_ line: String) -> Void
  ) {
    self.explains = explains
    self.write = write
    self.warn = warn
  }

  func publish(_ message: Message, at: Span) {
    write(
      """
      {"at":\(at: at),"publish":{"topic":\(quoted(message.topic)),"qos":\(message.qos),\
      "retain":\(message.isRetained),"payload":\(String(decoding: message.payload, as: UTF8.self))}}
      """)
  }

  func delivered(_ number: Int, at: Span) {
    write("{\"at\":\(at: at),\"delivered\":\(number)}")
  }

  func withheld(_ reason: Reason, at: Span) {
    guard explains else { return }
    write("{\"at\":\(at: at),\"withheld\":\(quoted(reason.word)),\"detail\":\(text(Answer.details(reason)))}")
  }

  /// Something of a friend that people may like to read.
  func notice(_ text: String, at: Span) {
    write("{\"at\":\(at: at),\"notice\":\(quoted(text))}")
  }

  func answer(_ answer: JSON, at: Span) {
    write("{\"at\":\(at: at),\"answer\":\(text(answer))}")
  }

  func final(mode: ModeState, regions: [Snapshot.KnownRegion], queue: Int, history: Int) {
    let state: JSON = [
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
    write("{\"state\":\(text(state))}")
  }

  /// Without needless zeros: `10`, `10.05`.
  static func seconds(_ span: Span) -> String {
    let billion: Int64 = 1_000_000_000
    let fraction = span.nanoseconds % billion
    guard fraction != 0 else { return String(span.nanoseconds / billion) }
    let digits = String(billion + fraction).dropFirst()
    let end = digits.lastIndex { $0 != "0" } ?? digits.startIndex
    return "\(span.nanoseconds / billion).\(digits[...end])"
  }

  private func text(_ json: JSON) -> String {
    String(decoding: json.serialised(sortingKeys: false), as: UTF8.self)
  }

  private func quoted(_ word: String) -> String { text(.string(word)) }
}
