/// One reason why something was published, or was not.
public struct ReasonRecord: AnswerRecord {
  /// Counts up from reason to reason.
  public var number: Int64?
  /// Something was.
  public var published: Bool?
  /// For programs.
  public var word: String?
  /// For people.
  public var text: String?
  /// How often it held, one time after the other.
  public var count: Int?
  /// The numbers and names in it.
  public var detail: JSON?
  /// Unix seconds of the first time; nil: there was no clock.
  public var time: Double?
  /// Unix seconds of the last time; nil: there was one only.
  public var last: Double?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("number", &number)
    keys("published", &published)
    keys("word", &word)
    keys("text", &text)
    keys("count", &count)
    keys("detail", &detail)
    keys("time", &time)
    keys("last", &last)
  }

  /// The region that it is about; nil: it is about none.
  public var region: String? { detail.flatMap { Detail(answer: $0)?.region } }

  /// Of all that a reason may tell, the one thing that people choose by.
  private struct Detail: AnswerRecord {
    var region: String?

    mutating func keys(_ keys: inout AnswerKeys) {
      keys("region", &region)
    }
  }
}

/// The answer to `why`.
public struct ReasonList: AnswerRecord {
  private static let newest = "newest"
  private static let reasons = "reasons"

  /// The number of the last one of all.
  public var newest: Int64?
  /// Each a `ReasonRecord`, oldest first.
  public var reasons: [JSON]?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys(Self.newest, &newest)
    keys(Self.reasons, &reasons)
  }

  /// The whole answer with `reasons` that are text already: a thousand of them take no tree.
  public static func text(_ reasons: [ArraySlice<UInt8>], newest: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(reasons.reduce(64) { $0 + $1.count + 1 })
    bytes += "{\"\(Self.newest)\":\(newest),\"\(OutcomeRecord.ok)\":true,\"\(Self.reasons)\":[".utf8
    for (index, reason) in reasons.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += reason
    }
    bytes += "]}".utf8
    return bytes
  }
}
