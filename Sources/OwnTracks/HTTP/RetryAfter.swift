import Timebase

/// The header `Retry-After`: how long an endpoint wants to be left alone.
public enum RetryAfter {
  /// A server that says a week is believed for an hour: what it says may be wrong, and the way there another
  /// one by then.
  public static let longest = Span.minutes(60)

  /// Seconds, or a date; a date counts from the answer's own `Date`, because the board's clock may be wrong.
  /// Zero: it says nothing that can be understood.
  public static func span(_ text: String, answeredAt date: String) -> Span {
    let seconds = text.utf8.allSatisfy { (48...57).contains($0) } ? Double(text) : nil
    if let seconds { return .seconds(min(seconds, longest.seconds)) }
    guard let until = time(text), let now = time(date) else { return .zero }
    return .seconds(min(max(0, until.seconds - now.seconds), longest.seconds))
  }

  /// `Wed, 21 Oct 2015 07:28:00 GMT`, the one form that RFC 9110 lets servers send.
  static func time(_ text: String) -> WallTime? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 6, words[5] == "GMT",
      let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        .firstIndex(where: { $0 == words[2] })
    else { return nil }
    return ISO8601.time("\(words[3])-\(month < 9 ? "0" : "")\(month + 1)-\(words[1])T\(words[4])Z")
  }
}
