import Glibc
import Loop
import Model
import OwnTracks
import TestSupport
import Testing
import Timebase

@testable import Host

@Suite final class BatteryGaugeTests {
  let scratch = Scratch()
  let loop: EventLoop
  let worker: Worker
  var events: [BatteryGauge.Event] = []
  var gauge: BatteryGauge?

  init() throws {
    loop = try EventLoop()
    worker = try Worker(loop: loop, name: "test")
  }

  deinit { worker.finish() }

  private func begin(_ source: String, timeout: Span = .seconds(generous)) throws {
    let source = try #require(BatterySource(source))
    let table = try #require(VoltageTable("3:0 4:100"))
    gauge = BatteryGauge(loop: loop, worker: worker, source: source, table: table, timeout: timeout) {
      [unowned self] in events.append($0)
    }
  }

  private func program(_ text: String) -> String {
    scratch.put("#!/bin/sh\n" + text, at: "program")
    chmod("\(scratch.path)/program", 0o700)
    return "command:\(scratch.path)/program"
  }

  private var battery: [Battery?] {
    events.compactMap { if case .batteryChanged(let battery) = $0 { .some(battery) } else { nil } }
  }

  private var troubles: [String] {
    events.compactMap { if case .trouble(let why) = $0 { why } else { nil } }
  }

  @Test func aFileIsReadAtOnceAndAgainInAMinute() throws {
    scratch.put("57 Discharging\n", at: "battery")
    try begin("file:\(scratch.path)/battery")
    loop.turn { !events.isEmpty }
    #expect(events == [.batteryChanged(Battery(level: 57, state: .unplugged))])
    scratch.put("58 Charging\n", at: "battery")
    gauge?.look()
    loop.turn { events.count > 1 }
    #expect(battery.last == Battery(level: 58, state: .charging))
  }

  // behaviour: What the board tells
  @Test func malformedFileIsReportedOnceAndBatteryIsUnknown() throws {
    scratch.put("57 Melting\n", at: "battery")
    try begin("file:\(scratch.path)/battery")
    loop.turn { events.count >= 2 }
    for _ in 0..<3 {
      gauge?.look()
      loop.turn(for: .milliseconds(50))
    }
    #expect(troubles.count == 1 && battery == [nil])
    #expect(troubles.first?.contains("\(scratch.path)/battery: 57 Melting, expected a level") == true)
    scratch.put("57 Full\n", at: "battery")
    gauge?.look()
    loop.turn { battery.count > 1 }
    #expect(events.contains(.well) && gauge?.cause == nil)
  }

  @Test func aFileThatIsNotThereIsNamed() throws {
    try begin("file:\(scratch.path)/none")
    loop.turn { !troubles.isEmpty }
    #expect(troubles.first?.contains("\(scratch.path)/none: cannot be read: No such file") == true)
  }

  @Test func pipeWithoutWriterDoesNotBlock() throws {
    mkfifo("\(scratch.path)/pipe", 0o600)
    try begin("file:\(scratch.path)/pipe")
    loop.turn { !troubles.isEmpty }
    #expect(battery == [nil])
  }

  @Test func programOutputIsReadAsBattery() throws {
    try begin(program(#"printf '{"level":%s,"status":"Charging"}' "$1""#) + " 42")
    loop.turn { !events.isEmpty }
    #expect(battery == [Battery(level: 42, state: .charging)])
  }

  @Test(arguments: ["exit 3", "echo rubbish", "yes | head -c 100000"])
  func failingProgramIsReportedAndBatteryIsUnknown(_ text: String) throws {
    try begin(program(text))
    loop.turn { !troubles.isEmpty }
    #expect(battery == [nil])
    #expect(troubles.first?.hasPrefix("\(scratch.path)/program") == true)
  }

  @Test func aProgramThatIsNotThereIsNamed() throws {
    try begin("command:\(scratch.path)/none")
    loop.turn { !troubles.isEmpty }
    #expect(troubles.first?.contains("cannot be started: No such file") == true)
  }

  // behaviour: What the board tells
  /// Also one that has closed its output, and what it has started itself.
  @Test(arguments: [
    "sleep 1000 & echo $! > $0.child; wait", "echo 50; exec >&-; echo $$ > $0.child; sleep 1000",
  ])
  func aProgramThatHangsIsKilledAndCounted(_ text: String) throws {
    try begin(program(text), timeout: .milliseconds(400))
    loop.turn { !troubles.isEmpty }
    #expect(gauge?.hung == 1 && battery == [nil])
    let child = try #require(Sysfs.number("\(scratch.path)/program.child"))
    loop.turn { kill(pid_t(child), 0) != 0 || isZombie(Int(child)) }
    scratch.put("#!/bin/sh\necho 51\n", at: "program")
    loop.turn(for: .milliseconds(200))
    gauge?.look()
    loop.turn { battery.last == Battery(level: 51, state: .unknown) }
  }

  private func isZombie(_ process: Int) -> Bool {
    Sysfs.text("/proc/\(process)/stat")?.contains(") Z") ?? true
  }

  @Test func aLevelThatFallsSaysThatTheBatteryIsUsed() throws {
    try begin("file:\(scratch.path)/none")
    let readings = [57.0, 57.05, 56.7, 56.75, 57.1].map { FuelGauge.Reading(percent: $0) }
    let states = readings.map { reading -> Battery.State? in
      gauge?.take(reading)
      return gauge?.battery?.state
    }
    #expect(states == [.unknown, .unknown, .unplugged, .unplugged, .charging])
  }
}
