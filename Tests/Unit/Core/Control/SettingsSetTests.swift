import Model
import Testing
import Timebase

@testable import Core

// behaviour: Settings that people change
/// Settings that somebody at the board changes: as by a command, and with an answer.
struct SettingsSetTests {
  private static let configuration = Scene.configuration {
    $0.broker.host = "home"
    $0.login.password = "sesame"
  }

  private func scene(_ configuration: Configuration = Self.configuration) -> Scene {
    var scene = Scene(configuration)
    scene.connect()
    scene.fix(at: 0, 0)
    return scene
  }

  private func set(_ settings: SettingsChange.Setting..., mode: MonitoringMode? = nil) -> Event {
    var change = SettingsChange()
    (change.settings, change.monitoring) = (settings, mode)
    return .control(.settingsSet(change), from: 1, byRoot: true)
  }

  private func text(_ answer: ControlAnswer?) -> String? {
    switch answer {
    case .done(let text): text
    case .failed(let text): "failed: \(text)"
    case _: nil
    }
  }

  @Test func aSettingIsInForceAndOnTheDiskBeforeItIsSaidToBe() {
    var scene = scene()
    scene.post(set(.init("locatorInterval", .number(60))), at: 10)
    #expect(scene.adopted.last?.reports.locatorInterval == 60)
    let stored = RemoteSettings([.init(name: "locatorInterval", value: .number(60), over: .number(300))])
    #expect(scene.writes.contains(.remoteSettings(stored)))
    #expect(text(scene.answers.last) == "set: locatorInterval")
    #expect(
      scene.news.last?.news.sentence == "locatorInterval changed from 300 to 60 by a local user")
  }

  @Test func theWayToTheServerIsOnTrial() {
    var scene = scene()
    scene.post(set(.init("host", .text("away"))), at: 10)
    #expect(scene.adopted.last?.broker.host == "away")
    #expect(
      text(scene.answers.last)
        == "set: host; on trial: taken back after 120 s unless the server takes a message; password of the file "
        + "is not for this server")
    scene.post(.brokerLost(), at: 10)
    scene.run(until: 131)
    #expect(scene.adopted.last?.broker.host == "home" && scene.lastReason == "configurationRolledBack")
    #expect(scene.tracker.settings.login.password == "sesame")
  }

  @Test func theModeIsSetAsByHand() {
    var scene = scene()
    scene.post(set(mode: .manual), at: 10)
    #expect(text(scene.answers.last) == "set: monitoring")
    #expect(scene.tracker.status(at: scene.now).modeCause == "by hand, on this board")
  }

  @Test func aLockedBoardIsNotChangedByRootEither() {
    var configuration = Self.configuration
    configuration.commands.locked = true
    var scene = scene(configuration)
    scene.post(set(.init("locatorInterval", .number(60))), at: 10)
    #expect(text(scene.answers.last)?.hasPrefix("failed: locked") == true)
    #expect(scene.tracker.settings.reports.locatorInterval == 300)
  }
}
