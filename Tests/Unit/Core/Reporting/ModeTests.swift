import Model
import Testing
import Timebase

@testable import Core

@Suite struct ModeTests {
  private func scene(_ change: (inout Configuration) -> Void) -> Scene {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = .move
        change(&$0)
      })
  }

  // behaviour: Automatic changes of mode
  @Test func aLowBatteryDowngradesAfterThePublish() {
    var scene = scene { $0.reports.downgrade = 20 }
    scene.post(.batteryChanged(Battery(level: 19, state: .unplugged)), at: 0)
    scene.fix(at: 1, 0)
    #expect(scene.lastLocation?.mode == .move)
    #expect(scene.tracker.mode.label == "Significant!")
  }

  // behaviour: Automatic changes of mode
  @Test func withoutABatteryNothingIsDowngraded() {
    var scene = scene { $0.reports.downgrade = 20 }
    scene.fix(at: 1, 0)
    #expect(scene.tracker.mode.label == "Move")
  }

  // behaviour: Automatic changes of mode
  @Test func anExplicitChangeClearsTheFlags() {
    var snapshot = Snapshot()
    snapshot.mode = ModeState(mode: .significant, downgraded: true)
    var scene = Scene(Scene.configuration { $0.reports.downgrade = 20 }, snapshot: snapshot)
    scene.post(.control(.mode(.significant), from: 1), at: 0)
    #expect(scene.tracker.mode.label == "Significant")
  }

  @Test func theStatusSaysWhyTheModeIsInForce() {
    var scene = Scene(Scene.configuration { $0.reports.networkModes = Written("Home|2|1") })
    func cause() -> String? { scene.tracker.status(at: scene.now).modeCause }
    #expect(cause() == nil)
    scene.post(.control(.mode(.move), from: 1), at: 1)
    #expect(cause() == "by hand, on this board")
    // The same again changes nothing, and so is no cause.
    scene.post(.control(.mode(.move), from: 1), at: 2)
    #expect(cause() == "by hand, on this board")
    scene.post(.control(.mode(.significant), from: 1), at: 3)
    scene.post(.networkChanged(.wifi(ssid: "Home", bssid: nil)), at: 4)
    scene.run(until: 40)
    #expect(cause() == "in the WiFi network Home (networkModes)")
    let byRule = scene.tracker.mode.mode
    scene.post(.control(.mode(byRule), from: 1), at: 41)
    #expect(cause() == "by hand, on this board")
  }

  // behaviour: Automatic changes of mode
  @Test func theStoredModeSurvivesUntilTheConfigurationSaysAnother() {
    var snapshot = Snapshot()
    snapshot.mode = ModeState(mode: .move, configured: .significant)
    #expect(
      Scene(Scene.configuration { $0.reports.monitoring = .significant }, snapshot: snapshot).tracker.mode
        .mode == .move)
    #expect(
      Scene(Scene.configuration { $0.reports.monitoring = .manual }, snapshot: snapshot).tracker.mode.mode
        == .manual)
  }

  private func adapting(speed: Double, accuracy: Double, _ place: (Int) -> Double) -> Scene {
    var scene = scene {
      $0.reports.adapt = 5
      $0.reports.adaptRequiresFollow = false
    }
    for second in 1...1200 {
      scene.fix(
        at: Double(second), place(second), accuracy: accuracy, speed: speed, speedError: 21.72)
    }
    return scene
  }

  // behaviour: Automatic changes of mode
  /// As gpsd says it of a receiver that speaks NMEA.
  @Test func aCarInTownMovesThoughItsSpeedIsBelowItsError() {
    let scene = adapting(speed: 8, accuracy: 17) { Double($0) * 8 }
    #expect(scene.tracker.mode.label == "Move")
  }

  @Test func aReceiverThatWandersStands() {
    let scene = adapting(speed: 0.4, accuracy: 17) { Double($0 % 40) * 3 }
    #expect(scene.tracker.mode.label == "Significant#")
  }

  // behaviour: When gpsd is away or silent
  @Test func theReceiverRestsBetweenLooks() {
    var scene = scene {
      $0.reports.monitoring = .significant
      $0.receiver.dutyCycle = 120
    }
    scene.fix(at: 1, 0, accuracy: 200)
    scene.fix(at: 5, 0, accuracy: 200)
    #expect(scene.receiver.isEmpty)
    scene.fix(at: 6, 0, accuracy: 10)
    scene.run(until: 100)
    #expect(scene.receiver == [false])
    scene.run(until: 127)
    #expect(scene.receiver == [false, true])
  }

  private static let adapting = ModeEngine.Rules(
    downgrade: 0, adaptAfter: .seconds(300), adaptRequiresFollow: true)

  /// Whether the engine has it as adapted, and its mode, after a location was published.
  private func told(
    _ engine: inout ModeEngine, stillFor seconds: Double, isInsideFollow: Bool = true,
    _ rules: ModeEngine.Rules = Self.adapting
  ) -> (isAdapted: Bool, mode: MonitoringMode) {
    _ = engine.reconsider(
      battery: nil, stillFor: .seconds(seconds), isInsideFollow: isInsideFollow, rules: rules)
    return (engine.state.adapted, engine.state.mode)
  }

  @Test func longStandstillAdaptsModeUntilNextLocation() {
    var engine = ModeEngine(state: ModeState(mode: .move))
    #expect(told(&engine, stillFor: 300) == (false, .move))
    #expect(told(&engine, stillFor: 301) == (true, .significant))
    // Whatever it was that was told.
    #expect(told(&engine, stillFor: 1000) == (false, .move))
  }

  @Test func modeAdaptsOutsideFollowRegionOnlyIfAllowed() {
    var engine = ModeEngine(state: ModeState(mode: .move))
    #expect(told(&engine, stillFor: 1000, isInsideFollow: false) == (false, .move))
    var rules = Self.adapting
    rules.adaptRequiresFollow = false
    #expect(told(&engine, stillFor: 1000, isInsideFollow: false, rules) == (true, .significant))
  }

  @Test func zeroAdaptTimeNeverAdaptsMode() {
    var engine = ModeEngine(state: ModeState(mode: .move))
    var rules = Self.adapting
    rules.adaptAfter = .zero
    #expect(told(&engine, stillFor: 100_000, rules) == (false, .move))
  }

  private func battery(_ engine: inout ModeEngine, _ level: Int?, below threshold: Int, isWell: Bool = false)
    -> String
  {
    let rules = ModeEngine.Rules(downgrade: threshold, adaptAfter: .zero, adaptRequiresFollow: true)
    _ = engine.reconsider(
      battery: level.map { Battery(level: $0, state: .unplugged) }, isVehicleWell: isWell, stillFor: .zero,
      isInsideFollow: false, rules: rules)
    return engine.state.label
  }

  @Test func atTheLevelItselfABatteryIsNotLow() {
    var engine = ModeEngine(state: ModeState(mode: .move))
    #expect(battery(&engine, 20, below: 20) == "Move")
    #expect(battery(&engine, 19, below: 20) == "Significant!")
    #expect(battery(&engine, 20, below: 20) == "Move")
    #expect(battery(&engine, 0, below: 1) == "Significant!")
    #expect(battery(&engine, 1, below: 1) == "Move")
  }

  /// The vehicle's speaks for a board that has none of its own, and for no other.
  @Test func aBatteryThatIsUnknownRestoresNothing() {
    var engine = ModeEngine(state: ModeState(mode: .significant, downgraded: true))
    #expect(battery(&engine, nil, below: 20) == "Significant!")
    #expect(battery(&engine, 10, below: 20, isWell: true) == "Significant!")
    #expect(battery(&engine, nil, below: 20, isWell: true) == "Move")
  }

  /// Somebody chose move mode again, and a location was told in it.
  @Test func aVehicleThatIsLowLowersTheModeWithTheNextLocation() {
    var engine = ModeEngine(state: ModeState(mode: .move))
    let isChanged = engine.reconsider(
      battery: nil, isVehicleLow: true, stillFor: .zero, isInsideFollow: true, rules: Self.adapting)
    #expect(isChanged && engine.state.label == "Significant!")
    let isLowered = engine.lower()
    #expect(!isLowered, "it is lowered already")
  }
}
