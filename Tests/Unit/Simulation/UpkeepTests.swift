import Core
import Model
import Testing
import Timebase
import Uplink

@testable import Simulator

/// What is to be told by itself, what may go out, and what moves the mode: who gets it wrong is noticed.
struct UpkeepTests {
  @Test func aFilterThatIsBlamedForNothingOrNeverIsNoticed() {
    var subscriptions = BrokerSubscriptions(["a/+"], own: [])
    subscriptions.connected(isSessionPresent: false)
    var hearing = ObeyedCommands()
    for filter in subscriptions.due(at: .zero) { subscriptions.asked(filter, number: 1) }
    var suspected = hearing
    suspected.suspect(subscriptions)
    subscriptions.ended(isByBroker: true, hasMessages: false, at: .zero)
    #expect(subscriptions.missing.map(\.gap) == [.ended])
    #expect(hearing.lie(of: subscriptions) != nil)
    #expect(suspected.lie(of: subscriptions) == nil)
    for _ in 0..<40 { hearing.forbade("o/cmd") }
    #expect(hearing.lie(of: BrokerSubscriptions()) == nil)
    hearing.forbade("o/cmd")
    #expect(hearing.lie(of: BrokerSubscriptions()) != nil)
    hearing.forgave()
    #expect(hearing.lie(of: BrokerSubscriptions()) == nil)
  }

  @Test func immediateResendIsNoticed() {
    var client = Client()
    client.takesNothing(until: .zero + .seconds(20))
    #expect(client.takesNothing(at: .zero + .seconds(10)))
    #expect(client.failed(7, at: .zero + .seconds(10)) == nil)
    #expect(client.failed(8, at: .zero + .seconds(10)) == nil)
    #expect(client.failed(7, at: .zero + .seconds(11)) == nil)
    #expect(client.failed(7, at: .zero + .seconds(11.5)) != nil)
    #expect(!client.takesNothing(at: .zero + .seconds(12)))
  }

  @Test func windowLimitFollowsConfirmationsAndRepeats() {
    #expect(SendWindow.mayBeUnderWay(confirmed: 0, repeated: 0) == 28)
    #expect(SendWindow.mayBeUnderWay(confirmed: 7, repeated: 0) == 35)
    #expect(SendWindow.mayBeUnderWay(confirmed: 0, repeated: 40) == 41)
  }

  @Test func silenceIsCountedWhileTheRadioHears() throws {
    let uuid = try #require(BeaconUUID("CA271EAE-5FA8-4E80-8F08-2A302A95A959"))
    let number = BeaconNumber(uuid: uuid, major: 1, minor: 7)
    let identity = try #require(BeaconIdentity(uuid: uuid.text, major: 1))
    func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
    func packet(_ rssi: Int8) -> Sighting { Sighting(beacon: number, power: -59, rssi: rssi, address: 1) }
    var heard = LastHeard()
    #expect(heard.silence(of: identity, at: at(5)) == nil)
    heard.note(packet(-80), at: at(10))
    #expect(heard.silence(of: identity, at: at(30)) == 20)
    heard.hangs(true, at: at(40))
    #expect(heard.silence(of: identity, at: at(55)) == 30)
    heard.hangs(false, at: at(60))
    #expect(heard.silence(of: identity, at: at(61)) == 31)
    #expect(heard.freedAt == at(60))
    #expect(!heard.isBack(identity, within: 10, rise: 6, at: at(61)))
    heard.note(packet(-75), at: at(62))
    #expect(!heard.isBack(identity, within: 10, rise: 6, at: at(62)))
    heard.note(packet(-69), at: at(63))
    #expect(heard.isBack(identity, within: 10, rise: 6, at: at(63)))
    heard.note(packet(-69), at: at(80))
    #expect(!heard.isBack(identity, within: 10, rise: 6, at: at(80)))
    heard.note(packet(-69), at: at(82))
    heard.note(packet(-69), at: at(84))
    #expect(heard.isBack(identity, within: 10, rise: 6, at: at(84)))
  }

  @Test func pointsThatWaitTooLongAreNoticed() throws {
    var configuration = Configuration()
    configuration.history.days = -1
    let place = try #require(Coordinate(latitude: 48, longitude: 16))
    let fix = Fix(time: WallTime(seconds: 1), coordinate: place, accuracy: 5)
    let report = LocationReport(
      fix: fix, time: fix.time, created: nil, trigger: .automatic, mode: .move, battery: nil,
      network: .unknown, pressure: nil, inside: [], poi: nil, tag: nil)
    var owed = OwedPoints()
    owed.made(.location(report), configuration, at: .zero + .seconds(10))
    owed.made(.location(report), configuration, at: .zero + .seconds(50))
    #expect(owed.age(at: .zero + .seconds(90)) == 80)
    owed.ordered([.history(report)])
    #expect(owed.age(at: .zero + .seconds(90)) == 40)
    owed.ordered([.history(report), .history(report)])
    #expect(owed.age(at: .zero + .seconds(90)) == 0)
    configuration.history.days = 0
    owed.made(.location(report), configuration, at: .zero + .seconds(100))
    #expect(owed.age(at: .zero + .seconds(990)) == 0)
  }

  @Test func crossingConfirmationsAreCountedBackwards() throws {
    let middle = try #require(Coordinate(latitude: 48, longitude: 16))
    let region = Region(rid: "a", name: "A", coordinate: middle, radius: 100, created: 0)
    func reading(_ time: Double, north: Double, _ accuracy: Double) -> Reading {
      var reading = Reading()
      reading.mode = 3
      reading.time = WallTime(seconds: time)
      (reading.latitude, reading.longitude) = (48 + north / 111_195, 16)
      reading.eph = accuracy
      return reading
    }
    var approach = RecentFixes()
    for (time, north, accuracy) in [
      (1.0, 50.0, 5.0), (2, 150, 5), (3, 150, 80), (4, 150, 5), (5, 300, 150), (6, 150, 5),
    ] {
      approach.hear(reading(time, north: north, accuracy), at: WallTime(seconds: 100))
    }
    // The third says neither, the fifth says it beyond all doubt.
    #expect(approach.confirmations(of: .leave, region) == 3)
    #expect(approach.confirmations(of: .enter, region) == 0)
    approach.hear(reading(7, north: 150, 150), at: WallTime(seconds: 100))
    #expect(approach.confirmations(of: .leave, region) == 3)
    approach.hear(reading(9, north: 0, 5), at: WallTime(seconds: 8))
    approach.hear(reading(6, north: 0, 5), at: WallTime(seconds: 100))
    #expect(approach.confirmations(of: .leave, region) == 3)
    approach.hear(reading(8, north: 0, 5), at: WallTime(seconds: 100))
    #expect(approach.confirmations(of: .leave, region) == 0)
    #expect(approach.confirmations(of: .enter, region) == 1)
  }
}
