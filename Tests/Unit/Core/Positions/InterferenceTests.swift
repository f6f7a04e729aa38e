import Model
import Testing
import Timebase

@testable import Core

// behaviour: Jamming and spoofing
/// A receiver that is jammed or spoofed is told of once that has lasted, and once that is over.
struct InterferenceTests {
  private func scene(
    _ mode: MonitoringMode = .move, regions: [Snapshot.KnownRegion] = [],
    _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    var scene = Scene.inMode(mode, regions) {
      ($0.receiver.watchesJamming, $0.dashboard.availability) = (true, true)
      change(&$0)
    }
    scene.connect()
    scene.fix(at: 1, 0)
    return scene
  }

  private func say(
    _ scene: inout Scene, _ jamming: Interference.Level, spoofing: Interference.Level = .none,
    at times: Double...
  ) {
    for time in times { scene.post(.interference(.init(jamming: jamming, spoofing: spoofing)), at: time) }
  }

  private func alarms(_ scene: Scene) -> [String] {
    scene.story.filter { $0.contains("jamming") || $0.contains("spoofing") }
  }

  private func shown(_ scene: Scene) -> AlarmNote? {
    for case .status(let report) in scene.announced.reversed() { return report.alarms }
    return nil
  }

  private var home: Snapshot.KnownRegion {
    var home = Scene.home(inside: .inside)
    home.region.isPrivate = true
    return home
  }

  /// A look without a fix takes a minute, and the next one has to find out again.
  @Test func interferenceThatEachLookFindsIsOneAlarm() {
    var scene = scene(.significant) { $0.receiver.dutyCycle = 300 }
    func looks() -> [Bool] { scene.receiver }
    func findNothing(_ times: Double...) { for time in times { scene.fix(at: time, 0, mode: 1) } }
    scene.run(until: 2)
    #expect(looks() == [false])
    scene.run(until: 302)
    say(&scene, .critical, at: 303, 313, 323)
    findNothing(340)
    scene.run(until: 400)
    #expect(looks() == [false, true, false] && alarms(scene) == ["@313 jamming critical"])
    #expect(scene.tracker.status(at: scene.now).journey.jamming?.level == .critical)
    scene.run(until: 663)
    say(&scene, .critical, at: 664, 674)
    findNothing(700)
    scene.run(until: 800)
    #expect(alarms(scene).count == 1 && shown(scene)?.jamming == .critical)
    // A place, and the receiver is off before it has been asked.
    scene.run(until: 1024)
    scene.fix(at: 1025, 0)
    scene.run(until: 1100)
    #expect(looks().last == false && alarms(scene).count == 1)
    #expect(scene.tracker.status(at: scene.now).journey.jamming == nil && shown(scene)?.jamming == nil)
  }

  @Test func lastingInterferenceIsAnAlarmAtItsBeginningAndAtItsEnd() {
    var scene = scene()
    say(&scene, .critical, at: 100)
    #expect(alarms(scene).isEmpty)
    say(&scene, .critical, at: 110)
    #expect(alarms(scene) == ["@110 jamming critical"])
    #expect(scene.tracker.status(at: scene.now).journey.jamming?.level == .critical)
    #expect(shown(scene)?.jamming == .critical && shown(scene)?.spoofing == nil)
    say(&scene, .critical, at: 120, 130)
    say(&scene, .none, at: 140)
    #expect(alarms(scene).count == 1)
    say(&scene, .none, at: 150)
    #expect(alarms(scene) == ["@110 jamming critical", "@150 jamming over after 40"])
    #expect(scene.tracker.status(at: scene.now).journey.jamming == nil && shown(scene)?.jamming == nil)
    let words = scene.tracker.journal.entries.map(\.reason.word)
    #expect(words.contains("jamming") && words.contains("jammingOver"))
  }

  @Test func answersOfOneMomentAreOne() {
    var scene = scene()
    say(&scene, .critical, at: 100, 105, 109.9)
    #expect(alarms(scene).isEmpty)
    say(&scene, .critical, at: 110)
    #expect(alarms(scene).count == 1)
  }

  @Test func answersOfTwoOccasionsAreNotInARow() {
    var scene = scene()
    say(&scene, .critical, at: 100, 281)
    #expect(alarms(scene).isEmpty)
    say(&scene, .critical, at: 461)
    #expect(alarms(scene).count == 1)
  }

  @Test func aClearOrUnknownAnswerBetweenBreaksTheRow() {
    for between in [Interference.Level.none, .unknown] {
      var scene = scene()
      say(&scene, .warning, at: 100)
      say(&scene, between, at: 110)
      say(&scene, .warning, at: 120)
      #expect(alarms(scene).isEmpty)
    }
  }

  @Test func unknownEndsNothing() {
    var scene = scene()
    say(&scene, .warning, at: 100, 110)
    say(&scene, .unknown, at: 120, 130, 140)
    #expect(scene.tracker.status(at: scene.now).journey.jamming?.level == .warning)
    say(&scene, .none, at: 150)
    #expect(alarms(scene).count == 1)
    say(&scene, .none, at: 160)
    #expect(alarms(scene).count == 2)
  }

  @Test func worseInterferenceIsAnotherAlarmAndBetterIsNone() {
    var scene = scene()
    say(&scene, .warning, at: 100)
    say(&scene, .critical, at: 110)
    #expect(alarms(scene) == ["@110 jamming warning"], "so much has lasted")
    say(&scene, .critical, at: 120)
    say(&scene, .warning, at: 130, 140)
    say(&scene, .critical, at: 150, 160)
    #expect(alarms(scene) == ["@110 jamming warning", "@120 jamming critical again"])
  }

  @Test func spoofingIsAMatterOfItsOwnAndPositionsGoOn() {
    var scene = scene()
    say(&scene, .critical, spoofing: .warning, at: 100, 110)
    say(&scene, .none, spoofing: .critical, at: 120, 130)
    #expect(
      alarms(scene) == [
        "@110 jamming critical", "@110 spoofing warning", "@130 jamming over after 20",
        "@130 spoofing critical again",
      ])
    #expect(shown(scene)?.spoofing == .critical)
    let before = scene.locationTimes.count
    scene.fix(at: 500, 1000, speed: 20)
    #expect(scene.locationTimes.count == before + 1)
  }

  // MARK: Silent ends

  @Test func aSourceThatGoesEndsItSilently() {
    var scene = scene()
    say(&scene, .critical, at: 100, 110)
    scene.post(.sourceReached("gpsd", true), at: 115)
    #expect(shown(scene)?.jamming == .critical)
    scene.post(.sourceReached("gpsd", false), at: 120)
    #expect(shown(scene)?.jamming == nil && alarms(scene).count == 1)
    say(&scene, .critical, at: 125)
    #expect(alarms(scene).count == 1)
  }

  @Test func aSilentReceiverEndsItSilently() {
    var scene = scene()
    say(&scene, .critical, at: 10, 20)
    #expect(shown(scene)?.jamming == .critical)
    scene.run(until: 60)
    #expect(shown(scene)?.jamming == nil && alarms(scene).count == 1)
  }

  @Test func aReceiverThatIsGoneWhenItIsToLookEndsItSilently() {
    var scene = scene(.significant) { $0.receiver.dutyCycle = 300 }
    scene.run(until: 302)
    say(&scene, .critical, at: 303, 313)
    scene.fix(at: 340, 0, mode: 1)
    scene.run(until: 660)
    #expect(shown(scene)?.jamming == .critical)
    scene.run(until: 722)
    #expect(shown(scene)?.jamming == nil && alarms(scene).count == 1)
    scene.run(until: 2000)
    scene.fix(at: 2001, 0)
    let words = scene.tracker.journal.entries.map(\.reason.word).filter { $0.hasPrefix("receiver") }
    #expect(words == ["receiverSilent", "receiverBack"])
  }

  @Test func aReceiverThatRestsIsNotJudged() {
    var scene = scene(.significant) { $0.receiver.dutyCycle = 600 }
    say(&scene, .warning, at: 20, 30)
    #expect(alarms(scene).isEmpty && scene.receiver == [false], "it rests since its first fix")
    say(&scene, .warning, at: 605, 615)
    #expect(shown(scene)?.jamming == .warning && scene.receiver == [false, true])
    scene.fix(at: 616, 0)
    #expect(scene.receiver == [false, true, false])
    say(&scene, .none, at: 620, 630, 640)
    #expect(shown(scene)?.jamming == .warning && alarms(scene).count == 1)
    // A look that hears nothing of it.
    scene.run(until: 1220)
    scene.fix(at: 1221, 0)
    #expect(shown(scene)?.jamming == nil && alarms(scene).count == 1)
  }

  @Test func aSettingThatGoesOffEndsItSilently() {
    var scene = scene()
    say(&scene, .critical, at: 100, 110)
    var settings = scene.tracker.settings
    settings.receiver.watchesJamming = false
    scene.post(.configured(settings, waypoints: []), at: 120)
    #expect(shown(scene)?.jamming == nil && alarms(scene).count == 1)
    say(&scene, .critical, at: 130, 140)
    #expect(alarms(scene).count == 1)
  }

  // MARK: What withholds it

  @Test func itIsWithheldAsOtherAlarmsAre() {
    var quiet = scene(.quiet)
    say(&quiet, .critical, at: 100, 110)
    #expect(alarms(quiet).isEmpty && quiet.lastReason == "modeIsQuiet")
    var hidden = scene(regions: [home])
    say(&hidden, .critical, at: 100, 110)
    #expect(alarms(hidden).isEmpty && hidden.lastReason == "insidePrivateRegion")
  }

  @Test func withoutAlarmMessagesOnlyTheJournalSaysIt() {
    var scene = scene { $0.journey.alarmMessages = false }
    say(&scene, .critical, at: 100, 110)
    #expect(alarms(scene).isEmpty && shown(scene)?.jamming == .critical)
    #expect(scene.tracker.journal.entries.last?.reason.word == "jamming")
  }

  @Test func beginningInsideAPrivateRegionIsVeiledLaterOn() {
    var scene = scene(regions: [home])
    say(&scene, .warning, at: 100, 110)
    for second in 115...135 { scene.fix(at: Double(second), 5000) }
    say(&scene, .critical, at: 140, 150)
    scene.fix(at: 155, 5000)
    say(&scene, .none, at: 160, 170)
    let starts = scene.reports.compactMap { entry -> TrackPoint? in
      guard case .alarm(let alarm) = entry.report else { return nil }
      switch alarm.kind {
      case .disturbed(let state, _), .undisturbed(let state, _): return state.start
      default: return nil
      }
    }
    #expect(starts.map(\.accuracy) == [100, 100, 100], "the middle of the region, and its radius")
    #expect(
      alarms(scene) == ["@140 jamming warning", "@150 jamming critical again", "@170 jamming over after 60"],
      "told as soon as it may be")
  }

  /// That it began, and so that it is over.
  @Test func interferenceInsideAPrivateRegionEndsSilently() {
    var scene = scene(regions: [home])
    say(&scene, .critical, at: 100, 110)
    #expect(scene.tracker.status(at: scene.now).journey.jamming?.level == .critical)
    let withheld = scene.tracker.journal.entries.count
    say(&scene, .critical, at: 120, 130, 140)
    #expect(scene.tracker.journal.entries.count == withheld, "once")
    say(&scene, .none, at: 150, 160)
    #expect(alarms(scene).isEmpty && scene.tracker.status(at: scene.now).journey.jamming == nil)
    for second in 165...185 { scene.fix(at: Double(second), 5000) }
    say(&scene, .critical, at: 190, 200)
    #expect(alarms(scene) == ["@200 jamming critical"])
  }

  @Test func aReceiverWithoutAFixSaysWhy() {
    var scene = scene()
    say(&scene, .critical, at: 100, 110)
    var reading = Reading()
    reading.mode = 1
    scene.post(.reading(reading), at: 111)
    #expect(scene.lastReason == "jamming")
    say(&scene, .none, at: 120, 130)
    scene.post(.reading(reading), at: 131)
    #expect(scene.lastReason == "noFix")
  }
}
