import Model
import Testing
import Timebase

@testable import Core

// behaviour: Mode by network and by time
/// The mode by networks and times; the rest is told by `Situations/modes`.
@Suite struct ModeRuleTests {
  private func scene(
    network: String = "", time: String = "", snapshot: Snapshot = .init(),
    _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    let configuration = Scene.configuration {
      $0.reports.networkModes = Written(network)
      $0.reports.timeModes = Written(time)
      change(&$0)
    }
    return Scene(configuration, snapshot: snapshot)
  }

  private func wifi(_ name: String?) -> Event { .networkChanged(.wifi(ssid: name, bssid: nil)) }

  /// Of day 100.
  private func clock(_ hour: Int, _ minute: Int = 0) -> Event {
    .localTime(minute: 100 * 1440 + hour * 60 + minute)
  }

  private func stored(_ scene: Scene) -> Snapshot {
    var snapshot = Snapshot()
    for case .mode(let state) in scene.writes { snapshot.mode = state }
    return snapshot
  }

  // MARK: Networks

  @Test func aNetworkThatIsReplacedIsGoneThoughNoneAfterItLasts() {
    var scene = scene(network: "Home|2|0")
    scene.post(wifi("Home"), at: 0)
    scene.post(wifi("A"), at: 20)
    scene.post(wifi("B"), at: 28)
    scene.run(until: 29.9)
    #expect(scene.tracker.mode.mode == .move)
    scene.run(until: 30.1)
    #expect(scene.tracker.mode.mode == .manual)
  }

  @Test func aNameThatIsNotReadYetIsNoOtherNetwork() {
    var scene = scene(network: "Home|2|0")
    scene.post(wifi("Home"), at: 0)
    scene.post(wifi(nil), at: 20)
    scene.post(wifi("Home"), at: 21)
    scene.run(until: 100)
    #expect(scene.tracker.mode.mode == .move)
    scene.post(.networkChanged(.unknown), at: 100)
    scene.run(until: 200)
    #expect(scene.tracker.mode.mode == .move)
  }

  /// A board that starts where it was stopped: its WiFi comes after the modem.
  @Test func aNetworkThatIsBackAfterTheStartWasNeverLeft() {
    var first = scene(network: "Home|2|0")
    first.post(wifi("Home"), at: 0)
    first.run(until: 20)
    var next = scene(network: "Home|2|0", snapshot: stored(first))
    next.post(.networkChanged(.mobile), at: 0)
    next.post(wifi("Home"), at: 3)
    next.run(until: 100)
    #expect(next.tracker.mode.mode == .move && stored(next).mode == nil)
  }

  /// Its own ten seconds begin with the name.
  @Test func theLastOfSomeNetworksCountsOnceItHasLasted() {
    var scene = scene(network: "Home|2|0\nB|-1|")
    scene.post(wifi("Home"), at: 0)
    scene.post(wifi("A"), at: 20)
    scene.post(wifi("B"), at: 28)
    scene.run(until: 37.9)
    #expect(scene.tracker.mode.mode == .manual)
    scene.run(until: 38.1)
    #expect(scene.tracker.mode.mode == .quiet)
  }

  /// Adapters say more than the name, and so say it again.
  @Test func aNetworkThatIsSaidAgainIsStillTheSame() {
    var scene = scene(network: "Home|2|0")
    scene.post(wifi("Home"), at: 0)
    scene.post(wifi("Home"), at: 5)
    scene.run(until: 10.1)
    #expect(scene.tracker.mode.mode == .move)
  }

  @Test func anEdgeSaysWhetherARuleBeginsOrEnds() throws {
    let rules = try #require(NetworkModes("Home|2|0\nYard|1|"))
    let (home, yard) = (try #require(rules.rule(of: "Home")), try #require(rules.rule(of: "Yard")))
    #expect(ModeEdge(from: nil, to: home).map { "\($0.isBegin) \($0.mode)" } == "true move")
    #expect(ModeEdge(from: home, to: nil).map { "\($0.isBegin) \($0.mode)" } == "false manual")
    #expect(ModeEdge(from: home, to: yard).map { "\($0.isBegin) \($0.mode)" } == "true significant")
    #expect(ModeEdge(from: yard, to: nil) == nil)
    #expect(ModeEdge(from: home, to: home) == nil)
  }

  @Test func rulesThatComeLaterFindTheNetworkThatIsThere() {
    var scene = scene()
    scene.post(wifi("Home"), at: 0)
    scene.run(until: 60)
    let configuration = Scene.configuration { $0.reports.networkModes = Written("Home|2|0") }
    scene.post(.configured(configuration, waypoints: []), at: 60)
    #expect(scene.tracker.mode.mode == .move)
    scene.post(.configured(Scene.configuration(), waypoints: []), at: 70)
    #expect(scene.tracker.mode.mode == .manual)
  }

  @Test func aStoreThatIsBackFindsTheNetworkThatIsThere() {
    var scene = scene(network: "Home|2|0")
    scene.post(wifi("Home"), at: 0)
    scene.run(until: 5)
    _ = scene.tracker.handOver(to: Snapshot(), at: scene.now)
    _ = scene.tracker.takeUp(Snapshot(), at: scene.now)
    scene.run(until: 10.1)
    #expect(scene.tracker.mode.mode == .move)
  }

  @Test func aNetworkThatWentBeforeALateStoreWasTakenUpHasItsEnd() {
    var earlier = scene(network: "Home|2|0")
    earlier.post(wifi("Home"), at: 0)
    earlier.run(until: 11)
    let snapshot = stored(earlier)
    var scene = scene(network: "Home|2|0")
    scene.post(.networkChanged(.mobile), at: 0)
    scene.run(until: 20)
    _ = scene.tracker.handOver(to: snapshot, at: scene.now)
    let effects = scene.tracker.takeUp(snapshot, at: scene.now)
    #expect(scene.tracker.mode.mode == .manual)
    // Or the next start would have it once more.
    #expect(
      effects.contains {
        guard case .store(_, let writes) = $0 else { return false }
        return writes.contains { if case .mode(let state) = $0 { state.taken.network == nil } else { false } }
      })
  }

  // MARK: Times

  @Test func rulePeriodSleptThroughSetsItsEndMode() {
    var scene = scene(time: "12:00-13:00|0|2")
    scene.post(clock(11), at: 0)
    scene.post(clock(14), at: 10_800)
    #expect(scene.tracker.mode.mode == .move)
    #expect(scene.tracker.journal.entries.map(\.reason.word).filter { $0 == "modeByTime" }.count == 1)
  }

  @Test func rulePeriodMissedWhileOffCountsOnce() {
    var scene = scene(time: "12:00-13:00|0|2")
    scene.post(clock(11), at: 0)
    var again = self.scene(time: "12:00-13:00|0|2", snapshot: stored(scene))
    again.post(clock(14), at: 0)
    #expect(again.tracker.mode.mode == .move)
    again.post(.control(.mode(.significant), from: 1), at: 10)
    var third = self.scene(time: "12:00-13:00|0|2", snapshot: stored(again))
    third.post(clock(15), at: 0)
    #expect(third.tracker.mode.mode == .significant)
    third.post(.localTime(minute: 107 * 1440), at: 10)
    #expect(third.tracker.mode.mode == .move)
  }

  @Test func pastPeriodOfNewRuleIsIgnored() {
    var scene = scene(time: "12:00-13:00|0|2")
    scene.post(clock(14), at: 0)
    #expect(scene.tracker.mode.mode == .significant)
  }

  @Test func clockSetBackBeforePeriodEndsIt() {
    var scene = scene(time: "12:00-13:00|0|2")
    scene.post(clock(12, 30), at: 0)
    #expect(scene.tracker.mode.mode == .manual)
    scene.post(clock(9), at: 10)
    #expect(scene.tracker.mode.mode == .move)
  }

  @Test func withoutATrustedClockNoTimesCount() {
    var scene = scene(time: "12:00-13:00|0|2")
    scene.hasTrustedClock = false
    scene.post(clock(12, 30), at: 0)
    #expect(scene.tracker.mode.mode == .significant)
  }

  @Test func theLaterEdgeWinsWhicheverItIsOf() {
    var scene = scene(network: "Home|1|2", time: "12:00-13:00|0|")
    scene.post(clock(12), at: 0)
    #expect(scene.tracker.mode.mode == .manual)
    scene.post(wifi("Home"), at: 10)
    scene.run(until: 30)
    #expect(scene.tracker.mode.mode == .significant)
    scene.post(clock(13), at: 40)
    #expect(scene.tracker.mode.mode == .significant)
    scene.post(.networkChanged(.mobile), at: 50)
    scene.run(until: 70)
    #expect(scene.tracker.mode.mode == .move)
  }

  @Test func modeChangedInFileOverridesTimeRule() {
    var scene = scene(time: "12:00-13:00|0|2")
    scene.post(clock(12, 30), at: 0)
    var again = self.scene(time: "12:00-13:00|0|2", snapshot: stored(scene)) {
      $0.reports.monitoring = .quiet
    }
    again.post(clock(14), at: 0)
    #expect(again.tracker.mode.mode == .quiet)
  }

  /// A region's name is nobody in person.
  @Test func timeRuleOverridesManualSetByRegion() {
    let configuration = Scene.configuration { $0.reports.timeModes = Written("12:00-13:00|2|") }
    var scene = Scene(configuration, regions: [Scene.home(name: "Home|0|")])
    scene.fix(at: 0, 300)
    scene.fix(at: 10, 0)
    #expect(scene.tracker.mode.mode == .manual)
    scene.post(clock(12), at: 20)
    #expect(scene.tracker.mode.mode == .move)
  }

  /// The time of day comes whenever a rule begins or ends: what says nothing new costs no write.
  @Test func aTimeThatChangesNothingIsNotWritten() {
    var scene = scene(time: "12:00-13:00|0|2")
    func written() -> Int { scene.writes.count { if case .mode = $0 { true } else { false } } }
    scene.post(clock(11), at: 0)
    let before = written()
    scene.post(clock(11, 30), at: 1800)
    #expect(before == 1 && written() == before)
    scene.post(clock(12), at: 3600)
    #expect(written() == before + 1)
  }
}
