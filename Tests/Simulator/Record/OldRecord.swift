import Core
import Model
import Timebase

/// Which messages the tracker may take for old, and which it has to: what had waited for a minute when a connection came
/// up or the way changed, and what an earlier process left. Kept beside the ledger.
struct OldRecord {
  /// Seconds that a location waits before it is old; a message's time is known to about one.
  private static let age = (may: Span.seconds(58.5), must: Span.seconds(61.5))

  var policy = Configuration.Backlog.always
  /// What the tracker was told last: it is one of `backlogTimes`.
  private(set) var isTimeFree = false
  /// Since when, by index of `made`.
  private var may: [Int: Instant] = [:]
  private var must: [Int: Instant] = [:]
  private var droppedHere = 0
  private var dropped = 0
  private var waiting = 0
  /// What the journal of this life says that was dropped.
  private var toldHere = 0

  /// How many may never arrive for being old.
  var missing: Int { dropped + waiting }

  func mayWait(_ index: Int) -> Bool { may[index] != nil }
  func isOld(_ index: Int) -> Bool { must[index] != nil }

  /// Dropped for its age, or waiting for a WiFi to the end.
  func mayBeMissing(_ index: Int) -> Bool {
    switch policy {
    case .always: false
    case .never: mayWait(index)
    case .wifi: mayWait(index) && waiting > 0
    }
  }

  /// Newer ones pass what waits; what waits together goes in its order.
  func mayPass(_ made: Int, at arrival: Instant, _ before: Int, at earlier: Instant) -> Bool {
    guard policy == .wifi, may[made] != nil else { return false }
    let haveWaited = must[made].map { $0 < arrival } ?? false && must[before].map { $0 < earlier } ?? false
    return !haveWaited
  }

  mutating func counted(_ queue: QueueStatus) {
    // Another tracker counts anew.
    if queue.droppedOld < droppedHere { droppedHere = 0 }
    dropped += queue.droppedOld - droppedHere
    droppedHere = queue.droppedOld
    waiting = queue.waitingOld
  }

  /// What was dropped with a write that was cut is there again, and may be the newest now.
  mutating func began() { (droppedHere, toldHere, must, isTimeFree) = (0, 0, [:], false) }

  /// Another tracker counts anew.
  mutating func tookUp() { (toldHere, isTimeFree) = (0, false) }

  /// False: it was so before.
  mutating func timeToldIs(free isFree: Bool) -> Bool {
    defer { isTimeFree = isFree }
    return isFree != isTimeFree
  }

  /// What does not agree with what the journal says; nil: all does.
  mutating func told(_ count: Int, of dropped: Int) -> String? {
    toldHere += count
    return toldHere == dropped ? nil : "the journal says \(toldHere) were dropped, \(dropped) were"
  }

  /// When everything that waited is known.
  func isTold(_ dropped: Int) -> Bool { policy == .always || toldHere == dropped }

  /// `waiting`: what nobody has heard of. `mayGo`: it may be the newest, or nothing had to look at it.
  mutating func look(at waiting: [(index: Int, age: Span?, mayGo: Bool)], at now: Instant) {
    for one in waiting {
      if may[one.index] == nil, one.age.map({ $0 >= Self.age.may }) ?? true { may[one.index] = now }
      if must[one.index] == nil, !one.mayGo, one.age.map({ $0 >= Self.age.must }) ?? true {
        must[one.index] = now
      }
    }
  }
}

extension Ledger {
  /// A connection has come up in this life, or the way is another one.
  mutating func lookAtOld(life: Int, isConnected: Bool, at now: Instant) {
    // Of which the tracker knows since its start that something newer was told.
    let newest = made.lastIndex {
      if case .location = $0.report { $0.life == life } else { false }
    }
    var waiting: [(index: Int, age: Span?, mayGo: Bool)] = []
    for (index, one) in made.enumerated() where !one.isEvent && !hasArrived(index) {
      waiting.append(
        (index, one.life == life ? now - one.at : nil, !isConnected || newest.map { index >= $0 } ?? true))
    }
    old.look(at: waiting, at: now)
  }
}
