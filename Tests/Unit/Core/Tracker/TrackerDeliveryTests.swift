import Model
import Testing
import Timebase

@testable import Core

/// What comes of the server's answers, of commands, and of what comes before anything else.
struct TrackerDeliveryTests {
  private func scene(
    snapshot: Snapshot = .init(), _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    var scene = Scene(
      Scene.configuration {
        ($0.reports.monitoring, $0.commands.isOn) = (.manual, true)
        change(&$0)
      }, snapshot: snapshot)
    scene.acknowledges = false
    return scene
  }

  /// Something is under way.
  private func sending(_ snapshot: Snapshot = .init()) -> Scene {
    var scene = scene(snapshot: snapshot)
    scene.connect()
    scene.fix(at: 0, 0)
    scene.post(.control(.publish(poi: nil), from: 1), at: 1)
    return scene
  }

  // MARK: Answers of the server

  @Test func refusedMessageBecomesDeadLetter() {
    var scene = sending()
    scene.post(.refused(scene.sent[0].sequence, because: "too large"), at: 2)
    #expect(scene.letters.map(\.message) == scene.sent && scene.letters.map(\.reason) == ["too large"])
    scene.run(until: 3600)
    #expect(scene.sent.count == 1, "it would be refused again")
  }

  @Test func failedSendIsRetriedAfterASecond() {
    var scene = sending()
    scene.post(.sendFailed(scene.sent[0].sequence), at: 2)
    scene.run(until: 2.9)
    #expect(scene.sent.count == 1)
    scene.run(until: 3.1)
    #expect(scene.sent.count == 2 && scene.sent[0] == scene.sent[1])
  }

  @Test func deadLetterIsQueuedAgainOnRequest() throws {
    var scene = sending()
    scene.post(.asked(.refused, from: 7), at: 2)
    let first = try #require(scene.refused.last?.first)
    let letter = Message(topic: "t", payload: [1], qos: 1, isRetained: false, isEvent: true, time: 5)
    scene.post(.refusedTaken(RefusedMessages(first: first, messages: [letter]), for: 7), at: 3)
    #expect(scene.disk[first]?.payload == [1])
    #expect(scene.sent.last?.sequence == first)
    #expect(scene.refused.map(\.word) == ["take", "forget"])
    guard case .done(let text)? = scene.answers.last else { return #expect(Bool(false), "no answer") }
    #expect(text == "1 message is in the queue again")
  }

  @Test func statusCommandCountsDroppedResentAndRefused() {
    var snapshot = Snapshot()
    snapshot.dropped = 4
    var scene = sending(snapshot)
    let first = scene.sent[0].sequence
    scene.post(.sendFailed(first), at: 2)
    scene.run(until: 4)
    scene.post(.sendFailed(first), at: 4)
    scene.run(until: 6)
    scene.post(.refused(first), at: 7)
    scene.post(.commanded(ReceivedCommand(.status)), at: 8)
    guard case .status(let status)? = scene.reports.last?.report else {
      return #expect(Bool(false), "no status")
    }
    #expect(status.dropped == 4 && status.resent == 2 && status.refused == 1)
  }

  // MARK: Commands

  /// It cannot tell a position: nothing else takes to the disk that it was obeyed.
  @Test func aCommandOfWhichNothingComesIsNotObeyedAgainAfterAPowerCut() {
    var scene = scene {
      ($0.commands.requireEncrypted, $0.messages.encryptionKey) = (true, "s")
    }
    scene.connect()
    scene.run(until: 4)
    scene.writes = []
    var asked = ReceivedCommand(.reportLocation)
    (asked.isEncrypted, asked.digest, asked.sent) = (true, 7, WallTime(seconds: Scene.start + 5))
    scene.post(.commanded(asked), at: 5)
    #expect(scene.lastReason == "neverAnyFix")
    #expect(scene.writes == [.commandsSeen([.init(digest: 7, time: Int(Scene.start) + 5)])])
  }

  // MARK: Beacons

  @Test func earlyUnregisteredBeaconDoesNotBlockScanPlan() throws {
    var scene = Scene(regions: [Scene.beaconRegion(major: 5)])
    scene.advert(at: 0, major: 9)
    let wanted = try #require(BeaconIdentity(uuid: Scene.uuid, major: 5, minor: nil))
    #expect(scene.scans.map(\.wanted) == [[wanted]])
  }
}
