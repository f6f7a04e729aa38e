import Core
import Model
import Timebase

/// What may go out, and how much of it at once.
extension World {
  /// A connection begins with so many under way, and takes one more with each confirmation.
  private static let first = 20
  /// The tracker looks at answers of the connection before when this one stands already.
  private static let late = 8

  /// `repeated`: what the connection before left unanswered, which goes by itself.
  static func mayBeUnderWay(confirmed: Int, repeated: Int) -> Int {
    max(first + confirmed + late, repeated + 1)
  }

  /// Once a second: overflow takes many locations, and never the newest.
  func watchOverflow() {
    guard let tracker, takingUp == nil else { return }
    let dropped = tracker.status(at: clock.moment(at: now)).queue.dropped
    defer { overflowed = dropped }
    guard dropped > overflowed else { return }
    let newest = ledger.made.lastIndex { !$0.isEvent && $0.life == life }
    let isPlace = newest.map { if case .location = ledger.made[$0].report { true } else { false } } ?? false
    ledger.newestOfOverflow = isPlace ? newest : nil
  }

  /// After each event: nothing is sent again that was not given back, or under way when a connection began.
  func judgeResending(after event: Event) {
    switch event {
    // One may be known at the end of a connection to be what it ended over.
    case .sendFailed, .postponed, .brokerLost: resendable += 1
    case .brokerConnected: resendable += client.inFlight.count
    default: break
    }
    guard takingUp == nil, let queue = tracker?.status(at: clock.moment(at: now)).queue,
      queue.resent > resendable
    else { return }
    ledger.complain(.picture, "\(queue.resent) sent again, and \(resendable) can have been", at: now)
    resendable = queue.resent
  }

  /// After each event: of a queue that is too long as many go as are too many, and some that make it worth the while.
  func judgeThinning(after event: Event) {
    guard let queue = tracker?.status(at: clock.moment(at: now)).queue else { return }
    defer { thinned = queue.dropped }
    switch event {
    case .configured, .control, .commanded: return
    default: break
    }
    guard let thinned, takingUp == nil, queue.dropped > thinned, !queue.isStoreFailing else { return }
    let (gone, limit) = (queue.dropped - thinned, configuration.queue.limit)
    let most = max(queue.count + gone - limit, 1) + limit / 32
    if gone > most {
      ledger.complain(
        .window, "\(gone) of \(queue.count + gone) messages go, \(most) may where \(limit) have room", at: now
      )
    }
  }

  func judge(sent message: Message) {
    guard let tracker, takingUp == nil else { return }
    let isFailing = tracker.status(at: clock.moment(at: now)).queue.isStoreFailing
    if message.isEvent, desk != nil, !isFailing, breakage != .eventsAreNotDurable,
      ledger.isUndurable(message, life: life)
    {
      ledger.complain(.delivered, "event \(message.sequence) is sent, and not yet on the disk", at: now)
    }
    judgeOld(message)
    let most = Self.mayBeUnderWay(confirmed: client.confirmed, repeated: client.repeated)
    if message.qos > 0, client.inFlight.count >= most {
      ledger.complain(.limits, "\(client.inFlight.count + 1) under way, \(most) may be by now", at: now)
    }
  }
}
