/// The part that every answer has: whether it was done, and in words what was done or why not.
public struct OutcomeRecord: AnswerRecord {
  static let ok = "ok"

  /// The request was carried out.
  public var isDone: Bool?
  /// The result, for people.
  public var text: String?
  /// The folder of the recordings, to `record` alone.
  public var folder: String?
  /// The obstacle and its remedy, for people.
  public var error: String?
  /// Of a daemon that does not understand the words.
  public var version: String?
  /// The greatest protocol that such a daemon speaks.
  public var protocolNumber: Int?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys(Self.ok, &isDone)
    keys("text", &text)
    keys("folder", &folder)
    keys("error", &error)
    keys("version", &version)
    keys("protocol", &protocolNumber)
  }
}

extension AnswerRecord {
  /// The whole answer of a daemon that has done what was asked: `ok`, then what the record says.
  public var done: JSON { .object([JSON.Member(OutcomeRecord.ok, true)] + (answer.members ?? [])) }
}

/// The answer to `status` and to `queue`.
public struct StatusReply: AnswerRecord {
  /// A `StatusRecord` as it was sent.
  public var status: JSON?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("status", &status)
  }
}
