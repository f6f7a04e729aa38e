import Core
import Model
import Testing

@Suite struct RegionTests {
  private func scene(
    _ regions: [Snapshot.KnownRegion], mode: MonitoringMode = .manual,
    _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    Scene.inMode(mode, regions, change)
  }

  // behaviour: Crossing a circle
  @Test func enteringIsATransitionAndThenALocation() {
    var scene = scene([Scene.home()])
    scene.fix(at: 0, 500)
    scene.fix(at: 60, 50)
    #expect(scene.story == ["@60 enter Home", "@60 loc(c)"])
    #expect(scene.lastLocation?.inside.map(\.rid) == ["Home"])
  }

  // behaviour: Crossing a circle
  @Test func betweenTheLimitsTheStateStays() {
    var scene = scene([Scene.home(inside: .inside)])
    scene.fix(at: 10, 105)
    #expect(scene.story.isEmpty)
    scene.fix(at: 20, 115)
    #expect(scene.story == ["@20 leave Home", "@20 loc(c)"])
  }

  // behaviour: Crossing a circle
  @Test func confirmationWantsFixesInARow() {
    var scene = scene([Scene.home()]) { $0.regions.confirm = 2 }
    for (time, east) in [(0.0, 500.0), (10, 20), (11, 400), (12, 20)] { scene.fix(at: time, east) }
    #expect(scene.story.isEmpty)
    #expect(scene.lastReason != nil)
    scene.fix(at: 13, 25)
    #expect(scene.story == ["@13 enter Home", "@13 loc(c)"])
  }

  /// A fix between the limits is none of them, and says that all is as it was.
  @Test func fixBetweenLimitsResetsConfirmation() {
    var scene = scene([Scene.home(inside: .inside)]) { $0.regions.confirm = 2 }
    for (time, east) in [(10.0, 50.0), (11, 150), (12, 105), (13, 150)] { scene.fix(at: time, east) }
    #expect(scene.story.isEmpty)
    scene.fix(at: 14, 151)
    #expect(scene.story == ["@14 leave Home", "@14 loc(c)"])
  }

  // behaviour: Crossing a circle
  @Test func anUnknownStateIsLearntSilently() {
    var scene = scene([Scene.home(inside: .unknown)])
    scene.fix(at: 0, 0)
    #expect(scene.story.isEmpty)
    scene.post(.control(.publish(poi: nil), from: 1), at: 1)
    #expect(scene.lastLocation?.inside.count == 1)
  }

  // behaviour: Gates
  @Test func quietTracksSilentlyAndOwesNothingLater() {
    var scene = scene([Scene.home(inside: .inside)], mode: .quiet)
    scene.fix(at: 0, 0)
    scene.fix(at: 60, 500)
    scene.post(.control(.mode(.significant), from: 1), at: 61)
    scene.fix(at: 62, 500)
    #expect(scene.story == ["@62 loc(-)"])
    #expect(scene.lastLocation?.inside.isEmpty == true)
  }

  // behaviour: Crossing a circle
  @Test func holdDownSwallowsAQuickReturn() {
    var scene = scene([Scene.home(name: "-Keys", inside: .inside)])
    scene.fix(at: 0, 0)
    scene.fix(at: 10, 500)
    scene.fix(at: 12, 0)
    scene.run(until: 60)
    #expect(scene.story.isEmpty)
  }

  // behaviour: Crossing a circle
  @Test func holdDownReportsTheLeaveWhenItRunsOut() {
    var scene = scene([Scene.home(name: "-Keys", inside: .inside)])
    scene.fix(at: 0, 0)
    scene.fix(at: 10, 500)
    scene.run(until: 60)
    #expect(scene.story == ["@13 leave -Keys", "@13 loc(c)"])
  }

  // behaviour: Crossing a circle
  @Test func theNameSwitchesTheModeBetweenTransitionAndLocation() {
    var scene = scene([Scene.home(name: "Home|1|2", inside: .inside)], mode: .significant)
    scene.fix(at: 60, 300)
    #expect(scene.story == ["@60 leave Home", "@60 loc(c)"])
    #expect(scene.lastLocation?.mode == .move)
    #expect(scene.tracker.mode.mode == .move)
  }

  // behaviour: Follow regions
  @Test func followIsRecentredAndFiresWithoutTransition() {
    var scene = scene([Scene.home(radius: 50, name: "+follow")], mode: .significant)
    scene.fix(at: 0, 0, speed: 25)
    scene.fix(at: 28, 700, speed: 25)
    scene.fix(at: 31, 765, speed: 25)
    #expect(scene.story == ["@0 loc(-)", "@31 loc(C)"])
    #expect(scene.lastLocation?.inside.isEmpty == true)
  }

  // behaviour: Follow regions
  @Test func followSaysNothingInMoveMode() {
    var scene = scene([Scene.home(radius: 50, name: "+follow")], mode: .move) {
      $0.reports.locatorDisplacement = 10_000
    }
    scene.fix(at: 0, 0, speed: 0)
    scene.fix(at: 10, 500, speed: 0)
    #expect(scene.story == ["@0 loc(-)"])
  }

  // behaviour: Crossing a circle
  @Test func leavesComeBeforeEntersAndOneLocationForAll() {
    let work = Snapshot.KnownRegion(
      region: Region(rid: "w", name: "Work", coordinate: Scene.place(1000, 0), radius: 100, created: 1),
      presence: .outside)
    var scene = scene([work, Scene.home(inside: .inside)])
    scene.fix(at: 0, 0)
    scene.fix(at: 60, 1000)
    #expect(scene.story == ["@60 leave Home", "@60 enter Work", "@60 loc(c)"])
  }

  // behaviour: Crossing a circle
  @Test func presenceAndTransitionAreOneTransaction() {
    var scene = scene([Scene.home()])
    scene.isDiskSlow = true
    scene.fix(at: 0, 500)
    scene.finishWrites(at: 1)
    scene.fix(at: 60, 0)
    let batch = scene.pendingBatches.last?.1 ?? []
    #expect(batch.contains { if case .insert(let message) = $0 { message.isEvent } else { false } })
    #expect(batch.contains { if case .region(_, .inside) = $0 { true } else { false } })
  }

  // behaviour: How regions come and go
  @Test func whereItIsToANewRegionIsOnTheDiskAtOnce() {
    var scene = scene([Scene.home(inside: .unknown)])
    // Too poor to tell of a region, good enough to be the first position that is kept.
    scene.fix(at: 0, 500, accuracy: 900)
    scene.fix(at: 1, 500)
    #expect(scene.writes.contains { if case .region(_, .outside) = $0 { true } else { false } })
  }

  // behaviour: Crossing a circle
  @Test func poorFixDoesNotResetConfirmation() {
    var scene = scene([Scene.home()]) { $0.regions.confirm = 2 }
    scene.fix(at: 0, 500)
    scene.fix(at: 10, 20)
    scene.fix(at: 11, 20, accuracy: 500)
    scene.fix(at: 12, 20)
    #expect(scene.story == ["@12 enter Home", "@12 loc(c)"])
  }

  /// Inside a circle that goes along, which no vague fix moves.
  private func following(confirm: Int = 1, beside regions: [Snapshot.KnownRegion] = []) -> Scene {
    var scene = scene(regions + [Scene.home(radius: 60, name: "+follow", inside: .inside)]) {
      $0.reports.ignoreInaccurateLocations = 50
      $0.regions.confirm = confirm
    }
    scene.fix(at: 0, 0)
    return scene
  }

  // behaviour: Follow regions
  @Test func refusedFollowCrossingIsPublishedLater() {
    var scene = following()
    scene.fix(at: 10, 900, accuracy: 200)
    scene.fix(at: 20, 900)
    #expect(scene.story == ["@20 loc(C)"])
  }

  // behaviour: Follow regions
  @Test func aFollowCrossingThatWasRefusedNeedsNoNewConfirmation() {
    var scene = following(confirm: 3)
    for second in [10.0, 11] { scene.fix(at: second, 900) }
    scene.fix(at: 12, 900, accuracy: 55)
    #expect(scene.story == [])
    scene.fix(at: 13, 900)
    #expect(scene.story == ["@13 loc(C)"])
  }

  // behaviour: Follow regions
  @Test func aFollowCrossingThatWasRefusedIsForgottenInside() {
    var scene = following(confirm: 2)
    scene.fix(at: 10, 900)
    scene.fix(at: 11, 900, accuracy: 55)
    scene.fix(at: 30, 0)
    scene.fix(at: 50, 900)
    #expect(scene.story == [])
    scene.fix(at: 51, 900)
    #expect(scene.story == ["@51 loc(C)"])
  }

  // behaviour: Follow regions
  @Test func refusedFollowCrossingIsPublishedAfterAnotherLeave() {
    let yard = Snapshot.KnownRegion(
      region: Region(rid: "y", name: "Yard", coordinate: Scene.place(0, 0), radius: 60, created: 1),
      presence: .inside)
    var scene = following(beside: [yard])
    scene.fix(at: 10, 900, accuracy: 200)
    scene.fix(at: 20, 900)
    #expect(scene.story == ["@10 leave Yard", "@20 loc(C)"])
  }

  // behaviour: Kinds and names
  @Test func aPinIsNeverInsideAnything() {
    var scene = scene([Scene.home(radius: 0, name: "Pin", inside: .inside)])
    scene.fix(at: 0, 0)
    scene.post(.control(.publish(poi: nil), from: 1), at: 1)
    #expect(scene.lastLocation?.inside.isEmpty == true)
  }

  // behaviour: How regions come and go
  @Test func theConfigurationsRegionsAreMergedOnce() {
    var scene = scene([])
    let entry = WaypointEntry(
      rid: "a1", name: "home", coordinate: Scene.place(0, 0), radius: 100, created: 1_708_625_557)
    let configuration = Scene.configuration { $0.reports.monitoring = .manual }
    scene.post(.configured(configuration, waypoints: [entry]), at: 0)
    scene.post(.control(.regionRemove(region: "home"), from: 1), at: 1)
    scene.post(.configured(configuration, waypoints: [entry]), at: 2)
    #expect(scene.tracker.knownRegions.isEmpty)
  }

  // behaviour: How regions come and go
  @Test func anIdenticalImportChangesNothing() {
    var scene = scene([])
    let entry = WaypointEntry(
      rid: "a1", name: "home", coordinate: Scene.place(0, 0), radius: 100, created: 1_708_625_557)
    scene.post(.control(.regionImport([entry]), from: 1), at: 0)
    scene.post(.control(.regionImport([entry]), from: 1), at: 1)
    #expect(scene.story == ["@0 wp home"])
  }

  // behaviour: The configuration file
  /// A file written by hand has no `tst`: its own date is that of a new region, and changes no known one.
  @Test func aRegionWithoutADateHasThatOfItsFile() {
    var scene = scene([])
    var entry = WaypointEntry(
      name: "home", coordinate: Scene.place(0, 0), radius: 100, written: 1_700_000_000)
    scene.post(.control(.regionImport([entry]), from: 1), at: 0)
    let rid = RegionIdentity.computed(name: "home", created: 1_700_000_000)
    #expect(scene.tracker.knownRegions.map(\.region.rid) == [rid])
    entry.written = 1_800_000_000
    scene.post(.control(.regionImport([entry]), from: 1), at: 1)
    #expect(scene.story == ["@0 wp home"])
    entry.radius = 150
    scene.post(.control(.regionImport([entry]), from: 1), at: 2)
    #expect(scene.tracker.knownRegions.map(\.region.rid) == [rid])
    #expect(scene.tracker.knownRegions.map(\.region.created) == [1_700_000_000])
  }

  // behaviour: How regions come and go
  /// Exports have six decimals and whole metres, a region made here more.
  @Test func onesOwnExportComesBackUnchanged() {
    var scene = scene([])
    let place = Coordinate(latitude: 48.123_456_489, longitude: 11.987_654_321)
    for (index, radius) in [(0, 99.6), (1, 0.2), (2, 0)] {
      let made = WaypointEntry(
        rid: "r\(index)", name: "R\(index)", coordinate: place, radius: radius, created: 1_708_625_557)
      scene.post(.control(.regionImport([made]), from: 1), at: Double(index))
    }
    #expect(scene.story == ["@0 wp R0", "@1 wp R1", "@2 wp R2"])
    let told = Coordinate(latitude: 48.123_456, longitude: 11.987_654)
    let back = [(0, 100.0), (1, 1), (2, 0)].map { index, radius in
      WaypointEntry(
        rid: "r\(index)", name: "R\(index)", coordinate: told, radius: radius, created: 1_708_625_557)
    }
    scene.post(.control(.regionImport(back), from: 1), at: 5)
    #expect(scene.story.count == 3)
    var moved = back[0]
    moved.coordinate = Coordinate(latitude: 48.123_458, longitude: 11.987_654)
    scene.post(.control(.regionImport([moved]), from: 1), at: 6)
    #expect(scene.story.last == "@6 wp R0")
  }

  // behaviour: How regions come and go
  @Test func aDeletionThatMatchesNothingMakesNoRegion() {
    var scene = scene([Scene.home()])
    let entry = WaypointEntry(name: "nobody", coordinate: nil, created: 1)
    scene.post(.control(.regionImport([entry]), from: 1), at: 0)
    #expect(scene.tracker.knownRegions.map(\.region.name) == ["Home"])
  }

  // behaviour: Kinds and names
  @Test func idsAreThoseOfTheApps() {
    #expect(RegionIdentity.computed(name: "Home", created: 1_385_997_757) == "8a3c46")
    #expect(RegionIdentity.computed(name: "Garage", created: 1_700_000_000) == "c05d90")
  }

  // behaviour: Crossing a circle
  @Test func tenThousandFarRegionsAreFoundWhenEntered() {
    let many = (0..<10_000).map { index in
      Snapshot.KnownRegion(
        region: Region(
          rid: "r\(index)", name: "R\(index)",
          coordinate: Coordinate(latitude: Double(index % 100) * 0.5, longitude: Double(index / 100) * 0.5)!,
          radius: 100, created: 1), presence: .outside)
    }
    var scene = scene(many)
    scene.fix(at: 0, 500_000)
    let target = many[4242].region
    var reading = Reading()
    reading.mode = 3
    reading.time = .init(seconds: Scene.start + 1)
    (reading.latitude, reading.longitude) = (target.coordinate.latitude, target.coordinate.longitude)
    reading.eph = 5
    scene.post(.reading(reading), at: 1)
    #expect(scene.story == ["@1 enter R4242", "@1 loc(c)"])
  }
}
