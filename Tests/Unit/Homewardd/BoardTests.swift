import Core
import Glibc
import Host
import Model
import Radio
import Receiver
import TestSupport
import Testing
import Timebase

@testable import homewardd

// behaviour: No way out for long
/// What is wired to the board, and what the owner adds.
struct BoardTests {
  private let scene: DaemonScene
  private var halt: String { scene.directory.path + "/halt" }

  init() throws { scene = try DaemonScene() }

  private func switchOff(in directory: String) -> SwitchOff {
    SwitchOff(loop: scene.loop, directory: directory, log: scene.log)
  }

  @Test func switchingOffIsAskedForInAFile() {
    let switchOff = switchOff(in: scene.directory.path)
    switchOff.ask(.parked(seconds: 600))
    #expect(scene.text("halt") == "\(HaltCause.parked(seconds: 600))\n")
    switchOff.ask(nil)
    #expect(scene.text("halt") == "")
  }

  @Test func leftoverHaltRequestIsWithdrawn() {
    scene.directory.put("old\n", at: "halt")
    _ = switchOff(in: scene.directory.path)
    #expect(scene.text("halt") == "")
  }

  @Test func whereItCannotBeAskedForTheJournalSaysSo() {
    switchOff(in: scene.directory.path + "/none").ask(.batteryLow(volts: 11))
    let said = scene.lines()
    #expect(said.count == 2 && said[1].contains("/none/halt: No such file"))
  }

  private func outage(after seconds: Int) -> OutageRequest {
    let outage = OutageRequest(loop: scene.loop, directory: scene.directory.path, log: scene.log)
    outage.configure(seconds: seconds)
    return outage
  }

  @Test func theOwnersProgramIsAskedForOnceAnOutageAndNotAgainSoon() throws {
    let outage = outage(after: 1)
    let begun = scene.loop.now.instant
    outage.notice(isOut: true)
    scene.loop.turn(for: .milliseconds(500))
    outage.notice(isOut: true)
    // Where the machine took a whole second for that it may have been asked for.
    #expect(scene.text("outage") == "" || scene.loop.now.instant - begun >= .seconds(1))
    scene.loop.turn(until: { !scene.text("outage").isEmpty })
    let seconds = scene.text("outage").dropLast()
    #expect(try #require(Int(seconds)) >= 1)
    #expect(scene.lines().last?.contains("server unreachable for \(seconds) s") == true)
    // What root's side does.
    unlink(scene.directory.path + "/outage")
    for isOut in [true, false, true] {
      outage.notice(isOut: isOut)
      scene.loop.turn(for: .milliseconds(1200))
    }
    #expect(scene.text("outage") == "")
  }

  @Test func aShortGapAsksForNothing() {
    let outage = outage(after: 1)
    // As short as can be, whatever else the machine does: the loop's clock stands still meanwhile.
    outage.notice(isOut: true)
    outage.notice(isOut: false)
    scene.loop.turn(for: .milliseconds(1200))
    #expect(scene.text("outage") == "")
    // Nor does the next one begin where that one did.
    outage.notice(isOut: true)
    scene.loop.runOnce(within: .zero)
    outage.notice(isOut: false)
    #expect(scene.text("outage") == "")
  }

  @Test func withoutOutageSettingOldRequestIsWithdrawn() {
    scene.directory.put("old\n", at: "outage")
    let outage = outage(after: 0)
    outage.notice(isOut: true)
    scene.loop.turn(for: .milliseconds(300))
    #expect(scene.text("outage") == "" && scene.lines().isEmpty)
  }

  @Test func aWireThatIsGoneSaysNothingMore() throws {
    let inputs = BoardInputs(
      loop: scene.loop, worker: scene.worker, disk: scene.worker, host: scene.host, directory: "/tmp",
      log: scene.log)
    let none = scene.settings.configuration
    try inputs.start(none)
    // The board's own supply may have been read by now.
    #expect(scene.host.waiting.filter { $0 != "other" } == ["ignition none", "volts none", "pressure"])
    var wired = none
    wired.power.vehicleBattery.text = "file:" + scene.directory.path + "/volts"
    inputs.adopt(wired, after: none)
    #expect(scene.host.waiting.filter { $0 != "other" } == ["ignition none", "volts none", "pressure"])
    inputs.adopt(none, after: wired)
    #expect(
      scene.host.waiting.filter { $0 != "other" } == [
        "ignition none", "volts none", "pressure", "volts none",
      ])
  }

  /// What was read rarely because the receiver rested is read at once where that ends, whatever has changed with it.
  @Test func gaugesKeepTheirPaceOverOtherSettings() throws {
    let inputs = BoardInputs(
      loop: scene.loop, worker: scene.worker, disk: scene.worker, host: scene.host, directory: "/tmp",
      log: scene.log)
    var settings = scene.settings.configuration
    settings.power.vehicleBattery.text = "file:" + scene.directory.path + "/volts"
    scene.directory.put("12.5\n", at: "volts")
    try inputs.start(settings)
    func areRead(_ count: Int) -> Bool { scene.host.waiting.filter { $0 == "volts 12.5" }.count >= count }
    scene.loop.turn { areRead(1) }
    // Without that the second comes by itself after 20 s, and the third after five minutes.
    for count in 2...4 {
      inputs.pace(isRare: true)
      var other = settings
      other.receiver.dutyCycle = count
      inputs.adopt(other, after: settings)
      inputs.pace(isRare: false)
      scene.loop.turn { areRead(count) }
    }
    #expect(areRead(4))
  }

  @Test func theAirIsMeasuredOnceInTenSeconds() {
    let inputs = BoardInputs(
      loop: scene.loop, worker: scene.worker, disk: scene.worker, host: scene.host, directory: "/tmp",
      log: scene.log)
    for _ in 0..<5 { inputs.measurePressure() }
    #expect(scene.host.waiting == ["pressure"])
  }

  /// A busy machine may take as long for one that answers.
  @Test func aBarometerThatHangsIsAskedOnceAnHour() {
    #expect(BoardInputs.pause(afterReadingFor: .seconds(1), isFound: false) == .minutes(60))
    for (taken, isFound) in [(Span.seconds(1), true), (.milliseconds(500), false), (.milliseconds(2), false)]
    {
      #expect(BoardInputs.pause(afterReadingFor: taken, isFound: isFound) == .seconds(10))
    }
  }

  @Test func theOwnersProgramRunsForEventsAndNotForFixes() {
    let extensions = scene.extensions
    var configuration = scene.settings.configuration
    configuration.programs.onEvent = scene.program("hook")
    configuration.programs.onEventTimeout = 5
    extensions.configure(.init(configuration))
    let payload = Message(
      topic: "t", payload: [1], qos: 1, isRetained: false, isEvent: true, time: 0)
    extensions.published(.friendForgotten(topic: "t"), as: payload)
    extensions.noticed([2])
    scene.loop.turn { scene.text("hook.log") == "notice\n" }
    #expect(extensions.status?.run == 1)
    extensions.configure(.init(Configuration()))
    #expect(extensions.status == nil)
  }

  @Test func factsAreThoseOfTheAdapters() {
    var receiver = PositionSourceStatus(name: "gpsd")
    receiver.isReached = true
    receiver.mode = 3
    receiver.satellitesUsed = 9
    var radio = BeaconScanner.Status()
    radio.adapter = "hci0"
    radio.isHearing = true
    let facts = BoardFacts(
      hostName: "board", uptime: .zero + .seconds(90), hasBarometer: false, health: BoardHealth(),
      receiver: receiver, radio: radio,
      papers: BoardPapers(loop: scene.loop, worker: scene.worker, directory: "/tmp") {})
    #expect(facts.hostName == "board" && facts.uptime == 90 && facts.version == Release.version)
    #expect(facts.isSourceReached && facts.fixMode == 3 && facts.satellites == 9 && !facts.hasBarometer)
    // It hears, and at no duty it scans nothing.
    #expect(facts.hasBluetooth && facts.isBluetoothPowered && !facts.isScanning)
  }
}
