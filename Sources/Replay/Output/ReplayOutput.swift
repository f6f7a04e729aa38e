import Core
import Model
import OwnTracks
import Timebase

/// Where a replay says what happens in it.
public struct ReplayOutput {
  private let say: (_ line: ReplayLine, _ at: Span) -> Void
  /// Gets each fault of the recording, as one line for a person.
  public let warn: (_ line: String) -> Void

  /// `say` gets each event with its time; `warn` the parts that cannot be used.
  public init(
    say: @escaping (_ line: ReplayLine, _ at: Span) -> Void, warn: @escaping (_ line: String) -> Void
  ) {
    self.say = say
    self.warn = warn
  }

  /// For programs. `explains`: withheld publishes are included. `write` gets line by line, without line ends.
  public init(
    explains: Bool, write: @escaping (_ line: String) -> Void, warn: @escaping (_ line: String) -> Void
  ) {
    self.init(
      say: { line, at in
        if case .withheld = line, !explains { return }
        if let json = line.json(at: at) { write(json) }
      }, warn: warn)
  }

  func position(at: Span) { say(.position, at) }
  func clock(_ wall: WallTime, at: Span) { say(.clock(wall), at) }
  func publish(_ report: Report, as message: Message, at: Span) { say(.published(report, message), at) }
  func delivered(_ number: Int, at: Span) { say(.delivered(number), at) }
  func withheld(_ reason: Reason, at: Span) { say(.withheld(Withheld(reason)), at) }
  func notice(_ text: String, at: Span) { say(.notice(text), at) }
  func answer(_ answer: JSON, at: Span) { say(.answer(answer), at) }
  func ended(_ end: ReplayEnd, at: Span) { say(.ended(end), at) }

  /// Without needless zeros: `10`, `10.05`.
  static func seconds(_ span: Span) -> String {
    let billion: Int64 = 1_000_000_000
    let fraction = span.nanoseconds % billion
    guard fraction != 0 else { return String(span.nanoseconds / billion) }
    let digits = String(billion + fraction).dropFirst()
    let end = digits.lastIndex { $0 != "0" } ?? digits.startIndex
    return "\(span.nanoseconds / billion).\(digits[...end])"
  }
}
