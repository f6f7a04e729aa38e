import Model
import Testing
import Timebase

@testable import Core

/// The supply is gone, and some hundred milliseconds are left.
struct PowerFailTests {
  private func scene(mode: MonitoringMode = .significant) -> Scene {
    var scene = Scene(Scene.configuration { $0.reports.monitoring = mode })
    // Published; and what follows is too near to be.
    scene.fix(at: 0, 0)
    scene.fix(at: 10, 20)
    scene.writes = []
    return scene
  }

  // behaviour: What the board tells
  @Test func theLastPlaceIsOnTheDiskInTheSameMoment() {
    var scene = scene()
    scene.post(.powerFailing, at: 10.5)
    #expect(scene.reports.map(\.at) == [0, 10.5])
    #expect(scene.disk.count == 2)
  }

  @Test func powerFailureWritesLatestPosition() {
    var scene = scene()
    scene.post(.powerFailing, at: 10.5)
    #expect(
      scene.writes.contains {
        if case .position(let fix) = $0 { fix.time.wholeSeconds == 1_700_000_010 } else { false }
      })
  }

  /// What stays on the board for the sake of the data budget nobody has.
  @Test func lastPlaceGoesOutThoughTheBudgetKeptIt() {
    var scene = Scene(
      Scene.configuration {
        ($0.reports.monitoring, $0.reports.locatorDisplacement, $0.reports.dataBudget) = (.move, 0, 1)
      })
    scene.post(.carried(bytes: 995_000, zone: 0), at: 0)
    for second in 1...30 { scene.fix(at: Double(second), Double(second) * 20, speed: 20) }
    #expect(scene.reports.map(\.at) == [1])
    scene.post(.powerFailing, at: 30.5)
    #expect(scene.reports.map(\.at) == [1, 30.5])
    scene.post(.powerFailing, at: 30.6)
    #expect(scene.reports.count == 2)
  }

  @Test func powerFailureDoesNotRepeatPublishedPlace() {
    var scene = Scene(Scene.configuration())
    scene.fix(at: 0, 0)
    scene.post(.powerFailing, at: 0.5)
    #expect(scene.reports.count == 1)
    #expect(scene.disk.count == 1)
  }

  @Test(arguments: [MonitoringMode.quiet, .manual])
  func powerFailureInQuietOrManualOnlyWritesPosition(_ mode: MonitoringMode) {
    var scene = scene(mode: mode)
    scene.post(.powerFailing, at: 10.5)
    #expect(scene.reports.isEmpty)
    #expect(scene.writes.contains { if case .position = $0 { true } else { false } })
  }

  @Test func withoutAnyPlaceNothingIsInvented() {
    var scene = Scene(Scene.configuration())
    scene.post(.powerFailing, at: 1)
    #expect(scene.reports.isEmpty)
  }
}
