import Model
import Testing
import Timebase

@testable import Core

/// What people are answered, when, and what is on the disk by then.
struct TrackerControlTests {
  private func scene(_ mode: MonitoringMode = .manual) -> Scene {
    var scene = Scene(Scene.configuration { $0.reports.monitoring = mode })
    scene.connect()
    scene.fix(at: 0, 0)
    return scene
  }

  private func said(_ scene: Scene) -> [String] {
    scene.answers.map { answer in
      switch answer {
      case .done(let text): text
      case .failed(let text): "failed: \(text)"
      case .status: "status"
      case .reasons: "reasons"
      case .regions: "regions"
      }
    }
  }

  private func removal(_ scene: Scene) -> HistoryPart? {
    for case .removePoints(let part) in scene.writes { return part }
    return nil
  }

  private func points(_ scene: Scene) -> Int {
    scene.writes.count { if case .history = $0 { true } else { false } }
  }

  // MARK: When

  @Test func aQuestionIsAnsweredAtOnceAndAnOrderOnceItIsDurable() {
    var scene = scene()
    scene.isDiskSlow = true
    scene.post(.control(.tag("trailer"), from: 1), at: 1)
    scene.post(.control(.status, from: 2), at: 2)
    scene.post(.control(.why, from: 2), at: 2)
    #expect(said(scene) == ["status", "reasons"])
    scene.finishWrites(at: 3)
    #expect(said(scene) == ["status", "reasons", "tag is trailer"])
  }

  @Test func theHistoryIsReadOnceItsNewestPointsAreOnTheDisk() {
    var scene = scene(.move)
    scene.fix(at: 30, 5000)
    #expect(scene.story.suffix(2) == ["@0 loc(-)", "@30 loc(-)"] && points(scene) == 0)
    scene.isDiskSlow = true
    scene.post(.asked(.history(HistoryQuery()), from: 1), at: 31)
    #expect(scene.recalls.isEmpty)
    scene.finishWrites(at: 32)
    #expect(scene.recalls == [HistoryQuery()] && points(scene) == 2)
  }

  // MARK: A part of the history that goes

  private static let now = Scene.start + 1

  private static let times: [(ClosedRange<Double>, ClosedRange<Double>)] = [
    (-.infinity...(.infinity), -.infinity...now), (5...now, 5...now), (5...(now + 1), 5...now),
    (5...10, 5...10), ((now + 1)...(now + 2), (now + 1)...(now + 2)),
  ]

  /// What is told from now on stays: a part that reaches into the future ends now, and any other where it did.
  @Test(arguments: times)
  func noMoreIsDeletedThanWasAskedForAndNothingThatIsToCome(
    _ asked: ClosedRange<Double>, _ deleted: ClosedRange<Double>
  ) {
    var scene = scene()
    scene.post(.control(.historyDelete(HistoryPart(numbers: 3...9, times: asked)), from: 1), at: 1)
    #expect(removal(scene) == HistoryPart(numbers: 3...9, times: deleted))
  }

  @Test func historyDeletionIsAnsweredAfterDiskWrite() {
    var scene = scene()
    scene.isDiskSlow = true
    scene.post(.control(.historyDelete(HistoryPart(numbers: 1...1)), from: 1), at: 1)
    #expect(scene.answers.isEmpty)
    scene.finishWrites(at: 2)
    #expect(said(scene) == ["deleted"] && removal(scene)?.numbers == 1...1)
  }

  // MARK: What was refused

  private func refused(_ first: UInt64, _ count: Int) -> RefusedMessages {
    RefusedMessages(
      first: first,
      messages: (0..<count).map {
        Message(topic: "old/\($0)", payload: [], qos: 1, isRetained: false, isEvent: true, time: 5)
      })
  }

  @Test(arguments: [
    (0, "0 messages are in the queue again"), (1, "1 message is in the queue again"),
    (2, "2 messages are in the queue again"),
  ])
  func resendAnswerCountsMessagesAndLeftovers(_ count: Int, _ text: String) throws {
    var scene = scene()
    scene.post(.asked(.refused, from: 1), at: 1)
    var taken = refused(try #require(scene.refused.first?.first), count)
    scene.post(.refusedTaken(taken, for: 1), at: 2)
    #expect(said(scene) == [text])
    #expect(scene.sent.map(\.topic).filter { $0.hasPrefix("old/") } == (0..<count).map { "old/\($0)" })
    scene.post(.asked(.refused, from: 1), at: 3)
    taken.first = try #require(scene.refused.last { $0.word == "take" }?.first)
    (taken.leftCount, taken.leftBecause) = (2, "line 7 is no message")
    scene.post(.refusedTaken(taken, for: 1), at: 4)
    #expect(said(scene).last == text + "; 2 cannot be sent again: line 7 is no message")
  }

  @Test func nothingIsSentAgainWhileTheDiskTakesNothing() {
    var scene = scene()
    scene.isDiskBroken = true
    scene.post(.control(.tag("trailer"), from: 1), at: 1)
    scene.post(.asked(.refused, from: 1), at: 2)
    #expect(said(scene).last?.hasPrefix("failed: nothing is sent again: the disk takes nothing") == true)
    #expect(scene.refused.isEmpty)
    scene.isDiskBroken = false
    scene.run(until: 20)
    scene.post(.asked(.refused, from: 1), at: 21)
    #expect(scene.refused.map(\.word) == ["take"] && scene.answers.count == 2)
  }
}
