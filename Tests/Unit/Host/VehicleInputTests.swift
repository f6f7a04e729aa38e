import Glibc
import Loop
import Model
import OwnTracks
import TestSupport
import Testing
import Timebase

@testable import Host

/// The wires of the vehicle: the ignition's line, and the voltage of its battery.
@Suite final class VehicleInputTests {
  let scratch = Scratch()
  let loop: EventLoop
  var levels: [InputLine.Event] = []

  init() throws { loop = try EventLoop() }

  private func online(_ text: String) { scratch.put(text + "\n", at: "ac/online") }

  @Test func inputLineReportsInitialLevelAndChanges() throws {
    online("0")
    let source = try #require(PowerFailSource("supply:ac"))
    let line = InputLine(loop: loop, source: source, key: "ignitionInput", root: scratch.path) {
      [unowned self] in levels.append($0)
    }
    for text in ["0", "1", "1", "0"] {
      online(text)
      line.look()
    }
    #expect(levels == [.level(false), .level(true), .level(false)])
  }

  @Test func aChipThatIsNotThereNamesItsKey() throws {
    let source = try #require(PowerFailSource("gpio:1000:1"))
    let line = InputLine(loop: loop, source: source, key: "ignitionInput") { [unowned self] in
      levels.append($0)
    }
    line.close()
    guard case .trouble(let why) = levels.first else { return #expect(Bool(false), "nothing is said") }
    #expect(why.contains("/dev/gpiochip1000, line 1: No such file") && why.contains("see ignitionInput"))
  }

  /// As a pipe whose other end is closed, an unplugged chip is ready for reading for good.
  @Test func aChipThatIsGoneIsNamedOnceAndLetGo() throws {
    let source = try #require(PowerFailSource("gpio:1000:1"))
    let line = InputLine(loop: loop, source: source, key: "ignitionInput") { [unowned self] in
      levels.append($0)
    }
    defer { line.close() }
    levels = []
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    close(ends[1])
    line.begin(watching: ends[0])
    loop.runOnce(within: .milliseconds(10))
    guard levels.count == 1, case .trouble(let why) = levels.first else { return #expect(levels.isEmpty) }
    #expect(why.hasPrefix("/dev/gpiochip1000, line 1: ") && why.contains("the chip is gone"))
    #expect(fcntl(ends[0], F_GETFD) == -1, "it is closed")
  }

  @Test(arguments: [("12.4\n", 12.4), ("12.4 V", 12.4), (" 24V ", 24), ("0", 0)])
  func volts(_ text: String, _ volts: Double) { #expect(VoltageText.parse(Array(text.utf8)) == volts) }

  @Test(arguments: ["", "V", "12,4", "12.4 A", "-1", "1e9", "nan", "12.4 12.5", "\u{0}"])
  func noVolts(_ text: String) { #expect(VoltageText.parse(Array(text.utf8)) == nil) }

  @Test(arguments: ["auto", "max17040", "ina219:1:0x40:reversed", "file:volts", "12"])
  func noSource(_ text: String) { #expect(VoltageSource(text) == nil) }

  @Test func voltageGaugeReadsFileAndReportsFaultOnce() throws {
    let worker = try Worker(loop: loop, name: "gauge")
    defer { worker.finish() }
    var events: [VoltageGauge.Event] = []
    let source = try #require(VoltageSource("file:\(scratch.path)/volts"))
    let gauge = VoltageGauge(loop: loop, worker: worker, source: source) { events.append($0) }
    defer { gauge.close() }
    func read(_ text: String) {
      scratch.put(text, at: "volts")
      let before = events.count
      gauge.look()
      while events.count == before { loop.runOnce(within: .seconds(1)) }
    }
    for text in ["12.5", "x", "y", "11.5"] { read(text) }
    let trouble = VoltageGauge.Event.trouble(
      "\(scratch.path)/volts: it says \"x\", expected volts such as 12.4")
    #expect(
      events == [.measured(12.5), trouble, .measured(nil), .measured(nil), .well, .measured(11.5)])
  }

  // behaviour: Check-ins of a parked board
  @Test func aProgramThatRootDoesNotRunWakesNothing() {
    let program = scratch.path + "/wake"
    let alarm = WakeAlarm(clocks: scratch.path + "/none", program: program)
    #expect(!alarm.isThere && alarm.fault == nil)
    scratch.put("#!/bin/sh\n", at: "wake")
    #expect(!alarm.isThere && alarm.fault == "may not be run")
    chmod(program, 0o755)
    // A test that is not root's has made it its own.
    #expect(alarm.isThere == (getuid() == 0))
    chmod(program, 0o775)
    #expect(!alarm.isThere && alarm.fault == "is not root's, or others may write it")
    scratch.put(" ", at: "rtc/rtc0/wakealarm")
    #expect(WakeAlarm(clocks: scratch.path + "/rtc", program: program).isThere)
  }

  @Test func theRequestIsTakenAwayAndTheBoardSwitchedOff() throws {
    scratch.put("", at: "said")
    #expect(HaltRequest.write("because 11.2 V `id`", to: scratch.path + "/halt") == nil)
    let here = #filePath.replacing("Tests/Unit/Host/VehicleInputTests.swift", with: "board/homeward-halt")
    #expect(
      system("sh '\(here)' '\(scratch.path)/halt' 'echo off' > '\(scratch.path)/said' 2>&1") == 0)
    #expect(access(scratch.path + "/halt", F_OK) != 0)
    let said = Sysfs.text(scratch.path + "/said")
    #expect(said == "homeward-halt: switches the board off, because 11.2 V id\noff")
  }
}
