/// Makes messages of reports: the one thing that deciding needs to know of the form in which it is told.
///
/// It costs microseconds, fails never, waits for nothing and keeps nothing of what it was given.
public protocol ReportEncoder: AnyObject {
  /// The finished message, without its number in the queue (`sequence` 0).
  func message(for report: Report) -> Message
  /// One message for several: 2 at least and `BatchLimits` at most, all of one topic and retained alike. It has the first
  /// one's number.
  func batch(of messages: [Message]) -> Message
  /// Topics of messages that tell what has happened to the board; that of places first, 16 at most.
  var newsTopics: [String] { get }
  /// The encoder for other settings. This one stays as it is.
  func adopting(_ configuration: Configuration, _ form: ClientIDForm) -> any ReportEncoder
}
