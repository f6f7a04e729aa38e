import Model
import Testing
import Timebase

@testable import Core

/// A board that is switched off by an order, to wake for its check-in.
struct ParkOrderTests {
  private static func order(id: CommandID? = .number(7)) -> Event {
    var received = ReceivedCommand(.park)
    received.id = id
    return .commanded(received)
  }

  private func ordered(
    _ snapshot: Snapshot = Snapshot(), fixes: Int = 30, _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    let configuration = Scene.configuration {
      ($0.commands.isOn, $0.commands.remoteConfiguration, $0.power.parkedWake) = (true, true, 6)
      change(&$0)
    }
    var scene = Scene(configuration, snapshot: snapshot)
    scene.connect(at: 0)
    for second in 0..<fixes { scene.fix(at: Double(second + 1), 0) }
    return scene
  }

  private func sleeps(_ scene: Scene) -> [Sleep?] {
    scene.writes.compactMap { write -> Sleep?? in
      if case .sleep(let sleep) = write { .some(sleep) } else { nil }
    }
  }

  private func results(_ scene: Scene) -> [CommandResult] {
    scene.reports.compactMap { if case .result(let result) = $0.report { result } else { nil } }
  }

  private func sentences(_ scene: Scene) -> [String] {
    scene.answers.compactMap { answer in
      switch answer {
      case .done(let words), .failed(let words): words
      case .regions, .reasons, .status: nil
      }
    }
  }

  // behaviour: Check-ins of a parked board
  @Test func anOrderToParkSwitchesTheBoardOffOnceItIsAnswered() {
    var scene = ordered()
    scene.acknowledges = false
    scene.post(Self.order(), at: 40)
    #expect(results(scene).map(\.outcome) == [.done] && scene.halts.isEmpty, "the answer is under way")
    scene.post(.acknowledged(scene.sent.map(\.sequence)), at: 41)
    #expect(scene.halts == [.ordered] && scene.wakes == [21_600])
    #expect(sleeps(scene).last??.span == 21_600)
    // Not switched off by those who were asked: asked again, with the alarm.
    scene.run(until: 700)
    #expect(scene.halts == [.ordered, .ordered] && scene.wakes == [21_600, 21_600])
    scene.post(.ignition(true), at: 710)
    scene.run(until: 720)
    #expect(scene.halts.last == .some(nil) && sleeps(scene).last == .some(nil))
  }

  @Test func withoutAServerAnOrderAtTheBoardWaitsTwoMinutes() {
    var scene = ordered()
    scene.post(.brokerLost(), at: 31)
    scene.isConnected = false
    scene.acknowledges = false
    scene.post(.control(.park, from: 1), at: 40)
    #expect(sentences(scene).last?.hasSuffix("wakes after 6.0 h") == true)
    scene.run(until: 159)
    #expect(scene.halts.isEmpty)
    scene.run(until: 161)
    #expect(scene.halts == [.ordered])
  }

  /// The battery was no reason for it, and so is none against it.
  @Test func aBatteryThatRecoversTakesNoOrderBack() {
    var scene = ordered { $0.power.vehicleBatteryLow = 12 }
    scene.post(.vehicleVolts(11.8), at: 31)
    scene.run(until: 100)
    scene.acknowledges = false
    scene.post(.vehicleVolts(12.8), at: 101)
    scene.post(Self.order(), at: 110)
    scene.run(until: 229)
    #expect(scene.tracker.status(at: scene.now).vehicle.isLow == false && scene.halts.isEmpty)
    scene.run(until: 231)
    #expect(scene.halts == [.ordered])
  }

  @Test func anOrderDuringACheckInIsObeyed() {
    var snapshot = Snapshot()
    snapshot.sleep = Sleep(since: WallTime(seconds: Scene.start - 21_600), span: 21_600)
    var scene = ordered(snapshot, fixes: 0)
    scene.post(.ignition(false), at: 1)
    for second in 4...6 { scene.fix(at: Double(second), 0) }
    scene.post(Self.order(), at: 6.5)
    #expect(scene.halts == [.ordered] && scene.wakes == [21_600])
    #expect(scene.tracker.journal.entries.contains { $0.reason.word == "boardKeptOn" })
  }

  @Test(arguments: [
    ("parkedWake is 0", 0.0, true, false), ("nothing on this board can wake it", 6, false, false),
    ("the ignition is on", 6, true, true),
  ])
  func anOrderToParkIsRefusedWhereTheBoardWouldNotWake(
    _ why: String, _ hours: Double, _ canWake: Bool, _ isDriven: Bool
  ) {
    var scene = ordered { $0.power.parkedWake = hours }
    scene.post(.wakeAlarm(canWake), at: 31)
    scene.post(.ignition(isDriven), at: 32)
    scene.post(Self.order(), at: 40)
    #expect(results(scene).map(\.outcome) == [.refused])
    #expect(results(scene).last?.reason?.hasPrefix(why) == true)
    scene.post(.control(.park, from: 1), at: 41)
    #expect(sentences(scene).last?.hasPrefix("not parked: \(why)") == true)
    scene.run(until: 900)
    #expect(scene.halts.isEmpty && sleeps(scene).isEmpty)
  }

  @Test func aCallForHelpComesBeforeAnOrderToPark() {
    var scene = ordered()
    scene.post(.control(.sos(isAcknowledged: false), from: 1), at: 35)
    scene.post(Self.order(), at: 40)
    #expect(results(scene).last?.reason?.hasPrefix("somebody calls for help") == true)
    scene.post(.control(.sos(isAcknowledged: true), from: 1), at: 45)
    scene.post(Self.order(), at: 50)
    #expect(scene.halts == [.ordered])
    scene.post(.control(.sos(isAcknowledged: false), from: 1), at: 55)
    #expect(scene.halts.last == .some(nil) && sleeps(scene).last == .some(nil))
  }

  @Test func anOrderToParkNeedsRemoteConfiguration() {
    var scene = ordered { $0.commands.remoteConfiguration = false }
    scene.post(Self.order(), at: 40)
    #expect(results(scene).map(\.outcome) == [.refused])
    scene.run(until: 900)
    #expect(scene.halts.isEmpty)
  }
}
