import Answers
import Model
import OwnTracks
import Timebase

/// The friends of a replay, by the rules of the daemon's file of them.
struct MemoryFriends {
  private var known: [String: (friend: Friend, places: [FriendLocation])] = [:]

  mutating func note(_ news: FriendNews, of topic: String, positions: Int) {
    var entry = known[topic] ?? (Friend(topic: topic), [])
    switch news {
    case .gone:
      known[topic] = nil
      return
    case .card(let card): entry.friend.card = card
    case .location(let location):
      guard entry.friend.isNews(location) else { return }
      entry.friend.location = location
      entry.places = (entry.places + [location]).suffix(max(1, positions))
    }
    known[topic] = entry
  }

  /// Nil: another command. Whether others are told of one that is forgotten is decided elsewhere.
  mutating func answer(_ request: FriendRequest, own: String, now: WallTime?, days: Double) -> JSON {
    switch request {
    case .list(_, let isAll, _):
      let all = known.values.map(\.friend).sorted { $0.topic < $1.topic }
      return FriendRequest.answer(all, own: own, now: now, days: isAll ? 0 : days, isLast: true)
    case .show(let topic):
      return known[topic].map { FriendRequest.answer($0.friend, $0.places) }
        ?? Answer.failure(FriendRequest.unknownFriend(topic))
    case .forget(let topic, _):
      return known.removeValue(forKey: topic) == nil
        ? Answer.failure(FriendRequest.unknownFriend(topic)) : Answer.done("forgotten")
    case .forgetPlace(let topic, let time):
      guard var entry = known[topic],
        let index = entry.places.firstIndex(where: { $0.time.wholeSeconds == time })
      else { return Answer.failure(FriendRequest.unknownPlace(topic, at: time)) }
      entry.places.remove(at: index)
      entry.friend.location = entry.places.last
      known[topic] = entry
      return Answer.done("forgotten")
    }
  }
}
