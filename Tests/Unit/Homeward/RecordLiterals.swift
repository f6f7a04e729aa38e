import OwnTracks

/// Records as a daemon writes them, so that a test shows the keys that are read.
extension ExpressibleByDictionaryLiteral where Self: AnswerRecord {
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self.init()
    var list = JSON.object([])
    for (key, value) in elements { list.set(key, value) }
    self = Self(answer: list) ?? Self()
  }
}

extension FriendPage: ExpressibleByDictionaryLiteral {}
extension FriendRecord: ExpressibleByDictionaryLiteral {}
extension OutcomeRecord: ExpressibleByDictionaryLiteral {}
extension RegionRecord: ExpressibleByDictionaryLiteral {}
extension StatusRecord: ExpressibleByDictionaryLiteral {}
extension StatusRecord.Board: ExpressibleByDictionaryLiteral {}
extension StatusRecord.Connection: ExpressibleByDictionaryLiteral {}
extension StatusRecord.Queue: ExpressibleByDictionaryLiteral {}
extension StatusRecord.Remote: ExpressibleByDictionaryLiteral {}
