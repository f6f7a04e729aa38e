import Model
import Testing

@testable import Core

/// What people read who ask why: the truth about commands, every change of the mode, each crossing once, in time order.
struct WhyTests {
  private func scene(_ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    var scene = Scene(
      Scene.configuration {
        $0.commands.isOn = true
        $0.commands.remoteConfiguration = true
        change(&$0)
      }, regions: [Scene.home(name: "Home|2|0")])
    scene.connect()
    return scene
  }

  private func told(_ scene: Scene) -> [Journal.Entry] {
    scene.tracker.journal.entries.filter { !$0.isCompanion }
  }

  private func sentences(_ scene: Scene) -> [String] { told(scene).map(\.reason.sentence) }

  private func order(_ command: Command, problems: [String] = []) -> Event {
    var received = ReceivedCommand(command)
    received.problems = problems
    return .commanded(received)
  }

  // MARK: Commands

  // behaviour: why
  @Test func aCommandThatWasRefusedWasNotObeyed() {
    var scene = scene()
    scene.post(order(.setConfiguration(SettingsChange()), problems: ["locatorDisplacement is -5"]), at: 1)
    #expect(
      sentences(scene).contains("command setConfiguration refused: locatorDisplacement is -5")
        && !sentences(scene).contains { $0.contains("obeyed") })
    #expect(told(scene).last?.reason.word == "commandRefused")
  }

  @Test func partlyObeyedCommandIsJournaledWithReason() {
    var scene = scene()
    var change = SettingsChange()
    change.settings = [.init("locatorInterval", .number(60))]
    scene.post(order(.setConfiguration(change), problems: ["ping is -1"]), at: 1)
    scene.post(order(.clearWaypoints), at: 20)
    #expect(
      told(scene).suffix(2).map(\.reason) == [
        .commandPartly(action: "setConfiguration", why: "ping is -1"),
        .commandObeyed(action: "clearWaypoints"),
      ])
    #expect(told(scene).suffix(2).allSatisfy { !$0.isPublished })
  }

  @Test func malformedCommandIsJournaledAndTruncated() {
    var scene = scene()
    scene.post(.commandMalformed(action: "fly", id: nil, "unknown action \"fly\""), at: 1)
    scene.post(.commandMalformed(action: nil, id: nil, String(repeating: "x", count: 9999)), at: 2)
    #expect(sentences(scene).contains("command fly refused: unknown action \"fly\""))
    let last = sentences(scene).last ?? ""
    #expect(last.contains("refused: xxx") && (100..<240).contains(last.unicodeScalars.count), "\(last)")
  }

  // MARK: Modes

  // behaviour: why
  @Test func everyChangeOfTheModeHasItsCause() {
    var scene = scene { $0.reports.downgrade = 20 }
    scene.fix(at: 1, 5000)
    scene.post(.control(.mode(.move), from: 1), at: 2)
    scene.post(.batteryChanged(Battery(level: 10, state: .unplugged)), at: 3)
    scene.fix(at: 4, 6000)
    scene.post(.batteryChanged(Battery(level: 90, state: .unplugged)), at: 5)
    scene.post(.control(.publish(poi: nil), from: 1), at: 6)
    scene.post(.control(.mode(.manual), from: 1), at: 7)
    scene.fix(at: 8, 0)
    scene.fix(at: 9, 9000)
    scene.fix(at: 10, 9000)
    var change = SettingsChange()
    change.monitoring = .quiet
    scene.post(order(.setConfiguration(change)), at: 11)
    scene.post(.configured(Scene.configuration { $0.reports.monitoring = .move }, waypoints: []), at: 12)
    let changes = told(scene).compactMap { entry -> String? in
      guard case .modeChanged(_, let mode, let cause) = entry.reason else { return nil }
      return "\(mode.name) \(cause.word)"
    }
    #expect(
      changes == [
        "move people", "significant batteryLow", "move batteryWell", "manual people", "move region",
        "manual region", "quiet command", "move file",
      ])
    let times = told(scene).compactMap(\.time)
    #expect(times == times.sorted())
  }

  @Test func theFileThatWasChangedWhileItWasOffIsACause() {
    var snapshot = Snapshot()
    snapshot.mode = ModeState(mode: .significant, configured: .significant)
    let scene = Scene(Scene.configuration { $0.reports.monitoring = .move }, snapshot: snapshot)
    #expect(told(scene).map(\.reason) == [.modeChanged(from: .significant, to: .move, .file)])
  }

  // MARK: Crossings

  @Test func aCrossingIsThereOnce() {
    var scene = scene()
    scene.fix(at: 1, 1000)
    scene.fix(at: 2, 0)
    #expect(scene.reports.filter { $0.at == 2 }.count == 2)
    #expect(sentences(scene).filter { $0 == "entered Home" }.count == 1)
  }

  // MARK: The receiver

  @Test func aReceiverThatSaysNothingIsThere() {
    var scene = scene()
    scene.fix(at: 1, 1000)
    scene.run(until: 30)
    #expect(!sentences(scene).contains { $0.contains("said nothing") })
    scene.run(until: 40)
    #expect(sentences(scene).last == "the receiver has said nothing for 30 s")
    scene.fix(at: 100, 1000)
    #expect(sentences(scene).contains("the receiver reports again, after 99 s"))
  }

  @Test func oneThatNeverSaysAnythingToo() {
    var scene = scene()
    scene.post(.sourceReached("gpsd", true), at: 0)
    scene.run(until: 40)
    #expect(told(scene).map(\.reason.word).suffix(2) == ["gpsdReached", "receiverSilent"])
  }

  @Test func reportAndStatusCommandsAddNoObeyedEntry() {
    var scene = scene()
    scene.fix(at: 1, 1000)
    scene.post(order(.reportLocation), at: 2)
    scene.post(order(.status), at: 3)
    #expect(!told(scene).contains { $0.reason.word == "commandObeyed" })
    #expect(scene.story.suffix(2) == ["@2 loc(r)", "@3 status"])
    scene.post(order(.clearWaypoints), at: 4)
    #expect(told(scene).last?.reason == .commandObeyed(action: "clearWaypoints"))
  }

  /// The mark of a published one would push nothing out, and say that it was told.
  @Test func aChangeOfTheModeIsNoPublish() {
    var snapshot = Snapshot()
    snapshot.mode = ModeState(mode: .significant, configured: .significant)
    let scene = Scene(Scene.configuration { $0.reports.monitoring = .move }, snapshot: snapshot)
    #expect(told(scene).map(\.isPublished) == [false])
  }

  @Test func aReceiverWithoutAFixIsThere() {
    var scene = scene()
    scene.fix(at: 1, 0, mode: 1)
    #expect(sentences(scene).last == "the receiver has no fix (mode 1)" && scene.lastReason == "noFix")
  }
}
