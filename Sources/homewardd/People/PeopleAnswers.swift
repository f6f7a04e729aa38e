import Answers
import Core
import Model
import OwnTracks
import Storage
import Timebase

/// `friends`, `friend` and `history`: what lies on the disk, for people.
extension Daemon {
  /// False: another request.
  func answerOfFriends(_ words: [String], to sender: UInt64) -> Bool {
    do {
      guard let request = try FriendLine.parse(words) else { return false }
      answer(request, to: sender)
    } catch {
      control?.answer(sender, Answer.failure("\(error)").serialised())
    }
    return true
  }

  private func answer(_ request: FriendLine, to sender: UInt64) {
    guard let friends else {
      control?.answer(sender, Answer.failure("the daemon is not ready yet").serialised())
      return
    }
    let now = tracker?.wall(at: loop.now)
    switch request {
    case .list(let after, let isAll):
      let days = isAll ? 0 : configuration.ignoreStaleLocations
      let own = encoder.topics.base
      friends.friends(after: after) { [unowned self] page in
        let answer = FriendLine.answer(
          page, own: own, now: now, days: days, isLast: page.count < FriendBook.page)
        control?.answer(sender, answer.serialised())
      }
    case .show(let topic):
      friends.friend(topic) { [unowned self] found in
        let answer =
          found.map { FriendLine.answer($0.friend, $0.places) } ?? Answer.failure(FriendLine.nobody(topic))
        control?.answer(sender, answer.serialised())
      }
    case .forget(let topic, let isTold):
      if let obstacle = obstacle(toForgetting: topic, isTold: isTold) {
        control?.answer(sender, Answer.failure(obstacle).serialised())
        return
      }
      friends.forget(topic) { [unowned self] wasKnown in
        guard wasKnown else {
          control?.answer(sender, Answer.failure(FriendLine.nobody(topic)).serialised())
          return
        }
        if isTold { return post(.control(.friendForget(topic: topic), from: sender)) }
        control?.answer(sender, Answer.done("forgotten").serialised())
      }
    }
  }

  /// Why a friend may not be forgotten, before anything is.
  private func obstacle(toForgetting topic: String, isTold: Bool) -> String? {
    if configuration.locked { return "locked: the configuration lets nobody at the board change this" }
    guard isTold, configuration.isOffline || !encoder.topics.isIdentityValid else { return nil }
    return "nothing is published from here: use --no-publish"
  }

  func recall(_ query: HistoryQuery, for sender: UInt64) {
    let encoder = encoder
    guard let store else {
      control?.answer(sender, Answer.failure("there is no store to read from").serialised())
      return
    }
    store.history(query) { [unowned self] result in
      let answer =
        switch result {
        case .success(let points): HistoryLine.answer(points, encoder, isLast: points.count < query.limit)
        case .failure(let error): Answer.failure("the store cannot be read: \(error.sentence)")
        }
      control?.answer(sender, answer.serialised())
    }
  }
}
