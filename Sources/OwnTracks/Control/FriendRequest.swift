import Model
import Timebase

/// `friends [--all] [--look] [--after TOPIC]`, `friend show TOPIC`, `friend forget TOPIC [--no-publish | --at TST]`,
/// and what they are answered with.
public enum FriendRequest: Hashable, Sendable {
  /// A page of friends by topic; `after`: the last topic of the page before, empty: from the first. `isAll`: those that
  /// were silent for too long as well. `isLook`: a person is shown them, and what is news begins anew.
  case list(after: String, isAll: Bool, isLook: Bool = false)
  /// One friend, with face and places.
  case show(topic: String)
  /// `isPublished`: the broker is to drop its retained messages too.
  case forget(topic: String, isPublished: Bool)
  /// One place of a friend, of this Unix second; the broker may still have it.
  case forgetPlace(topic: String, time: Int)

  static func list(_ words: ArraySlice<String>) throws(ControlError) -> FriendRequest {
    let line = try RequestWords(
      words, valued: ["--after"], flags: ["--all", "--look"], usage: "friends [--all]")
    _ = try line.operands(0)
    return .list(after: line.value("--after") ?? "", isAll: line.has("--all"), isLook: line.has("--look"))
  }

  static func one(_ words: ArraySlice<String>) throws(ControlError) -> FriendRequest {
    let usage = "friend show TOPIC, or friend forget TOPIC [--no-publish | --at TST]"
    let line = try RequestWords(words, valued: ["--at"], flags: ["--no-publish"], usage: usage)
    let operands = try line.operands(2)
    switch operands[0] {
    case "show" where !line.has("--no-publish") && line.value("--at") == nil: return .show(topic: operands[1])
    case "forget":
      guard !operands[1].contains(where: { "+#".contains($0) }), !operands[1].isEmpty else {
        throw ControlError("\"\(operands[1])\" is no topic; expected: \(usage)")
      }
      guard let time = line.value("--at") else {
        return .forget(topic: operands[1], isPublished: !line.has("--no-publish"))
      }
      guard let time = Int(time), time >= 0, !line.has("--no-publish") else {
        throw ControlError("--at is a Unix time in whole seconds, alone; expected: \(usage)")
      }
      return .forgetPlace(topic: operands[1], time: time)
    case _: throw ControlError("unexpected \"\(operands[0])\"; expected: \(usage)")
    }
  }

  /// Why `show` and `forget` have failed.
  public static func unknownFriend(_ topic: String) -> String {
    "no friend is known by the topic \(topic)".plainLine
  }

  /// Why `forgetPlace` has.
  public static func unknownPlace(_ topic: String, at time: Int) -> String {
    "no place of \(topic) is known of \(time)".plainLine
  }

  /// `own`: we are no friend of ours; `days` after which one is hidden, 0: never. The first page also has this board
  /// itself, and how many places of others have come since a person last looked.
  public static func answer(
    _ page: [Friend], own: String, now: WallTime?, days: Double, isLast: Bool, board: Friend? = nil,
    updates: Int? = nil
  ) -> JSON {
    let shown = page.filter { friend in
      friend.topic != own && !(now.map { friend.isStale(at: $0, days: days) } ?? false)
    }
    var answer = FriendPage()
    answer.friends = shown.map { FriendRecord($0, withFace: false).answer }
    answer.own = board.map { FriendRecord($0, withFace: false).answer }
    answer.updates = updates
    answer.next = isLast ? nil : page.last?.topic
    return answer.done
  }

  /// To `show`; `places` in the order in which they are to be shown.
  public static func answer(_ friend: Friend, _ places: [FriendLocation]) -> JSON {
    var answer = FriendReply()
    answer.friend = FriendRecord(friend, withFace: true).answer
    answer.places = places.map(\.json)
    return answer.done
  }
}

extension HistoryQuery {
  /// A page; where it is not the last, `next` is what the following one begins `after`.
  public static func answer(_ points: [HistoryPoint], _ encoder: Encoder, isLast: Bool) -> JSON {
    var answer = HistoryPage()
    answer.points = points.map { $0.json(encoder) }
    answer.next = isLast ? nil : points.last?.number
    return answer.done
  }
}
