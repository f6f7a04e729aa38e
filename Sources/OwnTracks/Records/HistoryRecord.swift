/// A point of the own track: the keys of the message that was published, of which only those are named here that are
/// read or added.
public struct PointRecord: AnswerRecord {
  /// As it was published, but for the altitude: that one is as it was measured.
  public var place = PlaceRecord()
  /// Counts up from point to point.
  public var number: Int64?
  /// The remark that it was published with.
  public var poi: String?
  /// The tag that was on.
  public var tag: String?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("number", &number)
    place.keys(&keys)
    keys("poi", &poi)
    keys("tag", &tag)
  }
}

/// A page of the answer to `history`.
public struct HistoryPage: AnswerRecord {
  /// Each a `PointRecord`, oldest first.
  public var points: [JSON]?
  /// The number that the following page begins after; nil: there is none.
  public var next: Int64?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("history", &points)
    keys("next", &next)
  }
}
