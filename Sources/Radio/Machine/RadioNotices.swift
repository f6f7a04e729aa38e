/// Notices for people: each fact once, until it is another one or all is well again.
struct RadioNotices {
  /// The fault; nil: none.
  private(set) var cause: String?
  private var lastInfo: String?

  /// Nil: it was said.
  mutating func warn(_ text: String) -> String? {
    guard text != cause else { return nil }
    cause = text
    lastInfo = nil
    return "beacons: \(text)"
  }

  /// Nil: it was said, and nothing has gone wrong since.
  mutating func inform(_ text: String) -> String? {
    guard text != lastInfo else { return nil }
    lastInfo = text
    return "beacons: \(text)"
  }

  /// All is well again.
  mutating func clear() { cause = nil }
}
