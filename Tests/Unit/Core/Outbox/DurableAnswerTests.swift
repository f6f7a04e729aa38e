import Model
import Testing

@testable import Core

/// "Done" is said when it would survive a power cut, and not before.
struct DurableAnswerTests {
  private func scene() -> Scene {
    var scene = Scene(Scene.configuration { $0.reports.monitoring = .manual })
    scene.connect()
    scene.fix(at: 0, 0)
    scene.isDiskSlow = true
    return scene
  }

  // behaviour: The control socket
  @Test func aModeIsSetWhenItIsOnTheDisk() {
    var scene = scene()
    scene.post(.control(.mode(.move), from: 1), at: 10)
    #expect(scene.answers.isEmpty)
    scene.finishWrites(at: 11)
    #expect(scene.answers.count == 1)
  }

  @Test func anAnswerWaitsForTheBatchThatHoldsItAndNotForThoseBefore() {
    var scene = scene()
    scene.post(.control(.tag("a"), from: 1), at: 10)
    scene.post(.control(.mode(.move), from: 2), at: 10)
    scene.finishWrites(at: 11)
    #expect(scene.answers.count == 1)
    scene.finishWrites(at: 12)
    #expect(scene.answers.count == 2)
  }

  // behaviour: The control socket
  @Test func aQuestionWaitsForNothing() {
    var scene = scene()
    scene.post(.control(.tag("under way"), from: 1), at: 9)
    for request in [ControlRequest.status, .queue, .why, .regionList] {
      scene.post(.control(request, from: 2), at: 10)
    }
    #expect(scene.answers.count == 4)
  }

  @Test func failingDiskDoesNotDelayAnswer() {
    var scene = scene()
    scene.isDiskSlow = false
    scene.isDiskBroken = true
    scene.post(.control(.mode(.move), from: 1), at: 10)
    let texts = scene.answers.map { if case .done(let text) = $0 { text } else { "" } }
    #expect(texts == ["mode is Move (in memory only: the disk takes nothing, see `homeward doctor`)"])
  }

  // behaviour: The control socket
  @Test func answersOnFailingDiskSayInMemoryOnly() {
    var scene = scene()
    scene.isDiskSlow = false
    scene.isDiskBroken = true
    scene.post(.control(.tag("x"), from: 1), at: 10)
    scene.post(.control(.status, from: 2), at: 11)
    scene.post(.control(.tag("y"), from: 3), at: 12)
    scene.isDiskBroken = false
    scene.run(until: 60)
    scene.post(.control(.tag("z"), from: 4), at: 60)
    let texts = scene.answers.compactMap { if case .done(let text) = $0 { text } else { nil } }
    #expect(
      texts == [
        "tag is x (in memory only: the disk takes nothing, see `homeward doctor`)",
        "tag is y (in memory only: the disk takes nothing, see `homeward doctor`)", "tag is z",
      ])
  }

  @Test func theHistoryIsReadWhenAllOfItIsThere() {
    var scene = Scene(
      Scene.configuration {
        $0.reports.monitoring = .move
        $0.reports.locatorDisplacement = 0
        $0.reports.locatorInterval = 0
      })
    scene.connect()
    scene.fix(at: 0, 0)
    scene.isDiskSlow = true
    scene.fix(at: 10, 0)
    scene.post(.asked(.history(HistoryQuery()), from: 2), at: 20)
    #expect(scene.recalls.isEmpty)
    scene.finishWrites(at: 21)
    #expect(scene.recalls.count == 1)
    #expect(scene.writes.contains { if case .history = $0 { true } else { false } })
  }

  // behaviour: History
  @Test func openHistoryDeletionEndsAtPresent() {
    var scene = scene()
    scene.post(.control(.historyDelete(HistoryPart(times: 0...(.infinity))), from: 1), at: 20)
    #expect(scene.answers.isEmpty)
    scene.finishWrites(at: 21)
    let until = Scene.start + 20
    #expect(scene.writes.last == .removePoints(HistoryPart(times: 0...until)))
    guard case .done("deleted") = scene.answers.last else {
      Issue.record("answered with \(scene.answers)")
      return
    }
  }

  @Test func anEndAnswersEverybody() {
    var scene = scene()
    scene.post(.control(.mode(.move), from: 1), at: 10)
    scene.post(.stopping, at: 11)
    #expect(scene.answers.count == 1)
  }

  @Test func aPublishIsSaidToBeDoneWhenItIsOnTheDisk() {
    var scene = scene()
    scene.post(.control(.publish(poi: nil), from: 1), at: 10)
    #expect(scene.answers.isEmpty)
    scene.finishWrites(at: 11)
    #expect(scene.answers.count == 1)
  }

  // behaviour: History
  @Test func anEmptiedHistoryStaysEmptyThoughTheDiskFails() {
    var scene = scene()
    scene.isDiskSlow = false
    scene.isDiskBroken = true
    scene.post(.control(.publish(poi: nil), from: 1), at: 10)
    scene.post(.control(.historyClear, from: 2), at: 11)
    scene.post(.control(.publish(poi: nil), from: 3), at: 12)
    scene.isDiskBroken = false
    scene.writes = []
    scene.post(.asked(.history(HistoryQuery()), from: 4), at: 40)
    scene.run(until: 100)
    let order = scene.writes.compactMap { write -> String? in
      switch write {
      case .history: "point"
      case .pruneHistory(keep: 0, _): "clear"
      case _: nil
      }
    }
    #expect(order == ["clear", "point"])
  }
}
