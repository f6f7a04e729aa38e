import Model
import Testing
import Timebase

@testable import Core

/// Which locations are old, second by second; the queue around them is `OldLocationsTests`.
struct OldLocationRulesTests {
  private func old(
    _ policy: Configuration.Backlog = .wifi, last: UInt64 = 0, told: Double? = nil
  ) throws -> OldLocations {
    var snapshot = Snapshot()
    snapshot.lastSequence = last
    let place = try #require(Coordinate(latitude: 48, longitude: 11))
    snapshot.reference = told.map { Fix(time: WallTime(seconds: $0), coordinate: place, accuracy: 5) }
    return OldLocations(policy: policy, snapshot: snapshot)
  }

  private func message(_ sequence: UInt64, isEvent: Bool = false, time: Int = 0) -> Message {
    Message(
      sequence: sequence, topic: "t", payload: [], qos: 1, isRetained: true, isEvent: isEvent, time: time)
  }

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  /// Those that wait, of the first ones.
  private func waiting(_ old: OldLocations, of count: UInt64) -> [UInt64] {
    (1...count).filter { old.fate(of: message($0)) == .waits }
  }

  /// A second's locations grow old together, with the first of them.
  @Test func aSecondIsOldAMinuteAfterItsFirst() throws {
    var old = try old()
    for (sequence, time) in [(1, 0.0), (2, 0.5), (3, 1), (4, 1.9), (5, 2.1)] {
      old.made(message(UInt64(sequence)), isPlace: false, at: at(time))
    }
    for (time, count) in [(59.9, 0), (60, 2), (60.9, 2), (61, 4), (62, 4), (62.2, 5)] {
      old.look(at: at(time))
      #expect(waiting(old, of: 6) == Array([1, 2, 3, 4, 5].prefix(count)), "\(time)")
    }
  }

  /// However long nothing connects.
  @Test func noMoreThanAMinuteIsRemembered() throws {
    var old = try old()
    for number in 1...1000 { old.made(message(UInt64(number)), isPlace: false, at: at(Double(number))) }
    let marks = Mirror(reflecting: old).children.first { $0.label == "marks" }?.value
    #expect((marks as? [(sequence: UInt64, at: Instant)])?.count == 60)
  }

  @Test func anEventIsNeverOld() throws {
    var old = try old(.never)
    old.made(message(1), isPlace: true, at: .zero)
    old.made(message(2, isEvent: true), isPlace: false, at: .zero)
    old.made(message(3), isPlace: true, at: .zero)
    old.look(at: at(100))
    #expect(old.fate(of: message(1)) == .isDropped && old.fate(of: message(2, isEvent: true)) == .goes)
    #expect(old.asSent(message(2, isEvent: true)).isRetained)
  }

  /// Though it is the only one since the start.
  @Test func theFirstPlaceIsTheNewestUntilThereIsAnother() throws {
    var old = try old()
    old.made(message(1), isPlace: true, at: .zero)
    old.look(at: at(100))
    #expect(old.fate(of: message(1)) == .goes)
    old.made(message(2), isPlace: true, at: at(100))
    #expect(old.fate(of: message(1)) == .waits)
  }

  /// Nothing has looked yet: no connection was there.
  @Test func messagesFromEarlierStartAreOldAtOnce() throws {
    let old = try old(last: 5)
    #expect(old.fate(of: message(5)) == .waits && old.fate(of: message(6)) == .goes)
    #expect(!old.asSent(message(5)).isRetained && old.asSent(message(6)).isRetained)
  }

  @Test func lastPublishedPlaceOfEarlierStartIsSent() throws {
    let old = try old(.never, last: 5, told: 1000.4)
    #expect(old.fate(of: message(4, time: 999)) == .isDropped)
    #expect(old.fate(of: message(5, time: 1000)) == .goes)
  }

  @Test func backlogAlwaysSendsMessagesUnchanged() throws {
    var old = try old(.always, last: 5)
    old.look(at: at(100))
    #expect(old.fate(of: message(5)) == .goes && old.asSent(message(5)).isRetained && !old.isWaiting)
  }

  @Test func oldLocationsWaitForUnmeteredNetwork() throws {
    var old = try old(last: 5)
    #expect(old.isWaiting)
    old.isNetworkFree = true
    #expect(!old.isWaiting && old.fate(of: message(5)) == .goes)
    #expect(!old.asSent(message(5)).isRetained)
  }

  @Test func waitingCountIsReportedPerConnectionAndOnGrowth() throws {
    var old = try old(last: 5)
    #expect(old.news(waiting: 0) == nil)
    #expect(old.news(waiting: 1) == .backlogWaits(count: 1) && old.news(waiting: 1) == nil)
    #expect(old.news(waiting: 3) == .backlogWaits(count: 3) && old.news(waiting: 2) == nil)
    old.look(at: at(10))
    #expect(old.news(waiting: 2) == .backlogWaits(count: 2))
  }

  @Test func droppedOldLocationsAreReportedAndCommittedOnce() throws {
    var old = try old(.never, last: 5)
    #expect(!old.takeCommit() && old.news(waiting: 0) == nil && old.dropped == 0)
    old.drop(1)
    #expect(old.takeCommit() && !old.takeCommit())
    #expect(old.news(waiting: 0) == .backlogDropped(count: 1) && old.news(waiting: 0) == nil)
    old.drop(2)
    old.drop(3)
    #expect(old.news(waiting: 0) == .backlogDropped(count: 5) && old.dropped == 6)
  }
}
