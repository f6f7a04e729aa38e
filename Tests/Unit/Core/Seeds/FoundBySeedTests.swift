import Core
import Model
import Testing
import Timebase

/// What seeds of the simulator have found: each as a story of its own. The seeds are run again by
/// `SimulationTests`.
@Suite struct FoundBySeedTests {
  private func scene(_ change: (inout Configuration) -> Void = { _ in }, regions: [Snapshot.KnownRegion] = [])
    -> Scene
  {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = .move
        $0.reports.locatorDisplacement = 0
        $0.reports.locatorInterval = 0
        change(&$0)
      }, regions: regions)
  }

  /// Seed 4: everything of the batch that failed was acknowledged before the next try. Nothing was ever
  /// written again, and events went out without being durable.
  @Test func aDiskIsTriedAgainThoughNothingOfTheFailedBatchIsWanted() {
    var scene = scene(regions: [Scene.home()])
    scene.isDiskBroken = true
    scene.fix(at: 10, 510)
    scene.run(until: 11)
    scene.connect(at: 12)
    scene.run(until: 15)
    scene.isDiskBroken = false
    scene.run(until: 40)
    scene.fix(at: 50, 0)
    #expect(!scene.tracker.status(at: scene.now).queue.isStoreFailing)
    #expect(scene.writes.contains { if case .insert(let message) = $0 { message.isEvent } else { false } })
  }

  /// Seed 8: the state that failed with a batch waits for company that may never come.
  @Test func stateOfAFailedBatchIsWrittenByTheRetryAlone() {
    var scene = scene()
    scene.connect()
    scene.fix(at: 0, 500)
    scene.run(until: 5)
    scene.isDiskBroken = true
    scene.post(.control(.tag("tour"), from: 1), at: 6)
    scene.isDiskBroken = false
    scene.run(until: 17)
    #expect(scene.writes.contains(.tag("tour")))
  }

  /// Seed 1.
  @Test func connectingPublishesNothingInQuiet() {
    var scene = scene { $0.reports.publishLocationOnConnect = true }
    scene.fix(at: 0, 500)
    scene.post(.control(.mode(.quiet), from: 1), at: 1)
    scene.fix(at: 2, 900)
    scene.connect(at: 3)
    #expect(scene.story == ["@0 loc(-)"])
    #expect(scene.lastReason == "modeIsQuiet")
  }

  /// Seed 28.
  @Test func connectingDoesNotRepeatAPosition() {
    var scene = scene { $0.reports.publishLocationOnConnect = true }
    scene.fix(at: 0, 500)
    scene.connect(at: 3)
    #expect(scene.story == ["@0 loc(-)"])
    #expect(scene.lastReason == "samePosition")
  }

  /// Seed 28, too: the ping told it under its own time, the next ping under another.
  @Test func connectingDoesNotRepeatPingedPosition() {
    var scene = scene {
      $0.reports.publishLocationOnConnect = true
      $0.reports.monitoring = .significant
      $0.reports.ping = 1
    }
    scene.fix(at: 0, 0)
    scene.fix(at: 50, 5)
    scene.run(until: 130)
    #expect(scene.story == ["@0 loc(-)", "@60 loc(p)", "@120 loc(p)"])
    scene.connect(at: 131)
    #expect(scene.reports.count == 3)
  }

  /// Found by a seed of an earlier world: the reference in the store carries the time of the ping that told it.
  @Test func anOldPositionKeepsItsTimeOverAStart() {
    let fix = Fix(time: WallTime(seconds: Scene.start), coordinate: Scene.place(0, 0), accuracy: 5)
    var pinged = fix
    pinged.time = WallTime(seconds: Scene.start + 900)
    var snapshot = Snapshot()
    snapshot.position = fix
    snapshot.reference = pinged
    var scene = Scene(snapshot: snapshot)
    scene.post(.control(.publish(poi: nil), from: 1), at: 1000)
    #expect(scene.lastLocation?.time == fix.time)
  }

  @Test func connectingPublishesANewPosition() {
    var scene = scene {
      $0.reports.publishLocationOnConnect = true
      $0.reports.monitoring = .manual
    }
    scene.fix(at: 0, 500)
    scene.connect(at: 3)
    #expect(scene.story == ["@3 loc(-)"])
  }

  /// Seed 1793: each ping let the interval run out once more, in vain.
  @Test func anIntervalThatIsOverWaitsForTheNextFixOverPings() {
    var scene = scene {
      ($0.reports.locatorDisplacement, $0.reports.locatorInterval, $0.reports.ping) = (500, 300, 1)
    }
    scene.fix(at: 0, 0)
    scene.run(until: 650)
    #expect(scene.withheld.count { $0.reason.word == "samePosition" } == 1)
    #expect(scene.story.count { $0.contains("loc(p)") } > 5)
    scene.fix(at: 655, 0)
    #expect(scene.story.last == "@655 loc(t)")
    // From there on it counts anew.
    scene.fix(at: 700, 0)
    scene.run(until: 954)
    #expect(scene.story.last != "@954 loc(t)")
    scene.fix(at: 956, 0)
    #expect(scene.story.last == "@956 loc(t)")
  }

  /// A ping told an old place, and a person asked for it once more.
  @Test func aTimeThatAPingHasUsedIsNotUsedAgainOnceAPersonAskedForTheOldPlace() {
    var scene = scene {
      $0.reports.publishLocationOnConnect = true
      $0.reports.monitoring = .significant
      $0.reports.ping = 1
    }
    scene.fix(at: 0, 0)
    scene.run(until: 61)
    scene.post(.control(.publish(poi: nil), from: 1), at: 62)
    scene.fix(at: 63, 5, claimed: Scene.start + 60)
    scene.connect(at: 64)
    #expect(scene.story == ["@0 loc(-)", "@60 loc(p)", "@62 loc(u)", "@64 loc(-)"])
    #expect(scene.locationTimes == [0, 1, 2, 60])
  }

  @Test func aMovingBoardDoesNotUseTheTimeOfAPingAgainEither() {
    var scene = scene { $0.reports.ping = 1 }
    scene.fix(at: 0, 0)
    scene.run(until: 61)
    scene.post(.control(.publish(poi: nil), from: 1), at: 62)
    scene.fix(at: 63, 50, claimed: Scene.start + 60)
    #expect(scene.story == ["@0 loc(-)", "@60 loc(p)", "@62 loc(u)", "@63 loc(-)"])
    #expect(scene.locationTimes == [0, 1, 2, 60])
  }

  /// Two starts without a store, the second a second after the first: a store that takes up both has to keep
  /// them apart, and after what it held before.
  @Test func startsWithoutStoreHaveDisjointSequences() throws {
    let clock = WallTime(seconds: Scene.start)
    let numbers = try [clock, clock + .seconds(1)].map { clock in
      var scene = Scene(Scene.configuration(), snapshot: .withoutStore(at: clock))
      scene.fix(at: 0, 0)
      scene.connect(at: 1)
      return try #require(scene.sent.first).sequence
    }
    #expect(numbers[0] > 1 << 40)
    #expect(numbers[1] > numbers[0] + 1_000_000)
  }

  /// Seed 2624: a beacon was lost while the last acknowledgements were waited for, and nothing was written
  /// any more.
  @Test func anEndDecidesNothing() {
    var scene = scene {
      $0.reports.monitoring = .significant
      $0.reports.ping = 1
    }
    scene.connect()
    scene.fix(at: 0, 0)
    scene.post(.stopping, at: 59)
    scene.post(.acknowledged([]), at: 61)
    #expect(scene.story == ["@0 loc(-)"])
  }

  /// Seed 2624, too: what the broker took in these seconds was sent again after the start.
  @Test func ackDuringStopRemovesMessageFromSlowDisk() throws {
    var scene = scene()
    scene.connect()
    scene.acknowledges = false
    scene.isDiskSlow = true
    scene.fix(at: 0, 500)
    scene.run(until: 3)
    let message = try #require(scene.sent.first)
    scene.post(.stopping, at: 4)
    scene.post(.acknowledged([message.sequence]), at: 5)
    scene.finishWrites(at: 6)
    #expect(scene.disk.isEmpty)
  }

  /// Seed 179: every refusal was answered by another try, without end.
  @Test func anEndWithoutAStoreEnds() {
    var scene = scene()
    scene.isDiskBroken = true
    scene.fix(at: 0, 500)
    scene.post(.stopping, at: 4)
    scene.post(.acknowledged([]), at: 5)
    #expect(scene.writes.isEmpty)
  }

  /// Seed 17156: the queue on the disk had nothing left to give while the disk took nothing; what then came to
  /// it at once was not looked at before something new was made.
  @Test func recoveredDiskQueueIsThinnedWithoutNewMessages() {
    var snapshot = Snapshot()
    (snapshot.queued, snapshot.queuedBytes, snapshot.firstSequence, snapshot.lastSequence) = (3, 3, 7, 9)
    var scene = Scene(
      Scene.configuration {
        $0.reports.monitoring = .move
        $0.reports.locatorDisplacement = 0
        $0.reports.locatorInterval = 0
        $0.queue.limit = 20
      }, snapshot: snapshot)
    for sequence in UInt64(7)...9 {
      scene.disk[sequence] = Message(
        sequence: sequence, topic: "t", payload: [], qos: 1, isRetained: false, isEvent: false,
        time: Int(sequence))
    }
    scene.isDiskBroken = true
    for second in 1...100 { scene.fix(at: Double(second), 0) }
    scene.isDiskBroken = false
    scene.run(until: 160)
    #expect(scene.disk.count <= 20)
  }
}
