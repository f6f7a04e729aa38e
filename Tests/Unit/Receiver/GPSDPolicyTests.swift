import Testing
import Timebase

@testable import Receiver

@Suite struct GPSDReceiversTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func two(wanted: String = "") -> (GPSDReceivers, Int?, Int?) {
    var receivers = GPSDReceivers(wanted: wanted)
    let first = receivers.number(of: "/dev/ttyACM0")
    let second = receivers.number(of: "/dev/ttyUSB0")
    return (receivers, first, second)
  }

  // behaviour: From a receiver's report to a fix
  @Test func firstWithAFixIsBelieved() {
    var (receivers, _, _) = two()
    _ = receivers.heard(0, hasFix: false, at: at(0))
    _ = receivers.heard(1, hasFix: true, at: at(1))
    #expect(receivers.chosen == 1)
  }

  @Test func twoThatReportInTurnNeverAlternate() {
    var (receivers, _, _) = two()
    var believed: [Bool] = []
    for second in 0..<3600 {
      believed.append(receivers.heard(0, hasFix: true, at: at(Double(second))))
      believed.append(receivers.heard(1, hasFix: true, at: at(Double(second) + 0.5)))
    }
    #expect(believed == (0..<3600).flatMap { _ in [true, false] })
  }

  // behaviour: From a receiver's report to a fix
  @Test(arguments: [(5.0, false), (5.1, true)])
  func anotherTakesOverAfterFiveSecondsWithoutAFix(_ gap: Double, _ takesOver: Bool) {
    var (receivers, _, _) = two()
    _ = receivers.heard(0, hasFix: true, at: at(10))
    _ = receivers.heard(0, hasFix: false, at: at(10 + gap))
    let counts = receivers.heard(1, hasFix: true, at: at(10 + gap))
    #expect(counts == takesOver)
  }

  @Test func aReceiverThatReportsRarelyIsGivenItsOwnPace() {
    var (receivers, _, _) = two()
    _ = receivers.heard(0, hasFix: true, at: at(0))
    _ = receivers.heard(0, hasFix: true, at: at(10))
    let counts = receivers.heard(1, hasFix: true, at: at(19))
    #expect(!counts)
  }

  @Test func aReceiverThatIsPulledOutIsLeftAtOnce() {
    var (receivers, _, _) = two()
    _ = receivers.heard(0, hasFix: true, at: at(10))
    let isLost = receivers.noteDevice(0, driver: "", isActive: false)
    #expect(isLost)
    let counts = receivers.heard(1, hasFix: true, at: at(10.1))
    #expect(counts)
  }

  @Test func aReceiverThatIsNotTheOneNamedIsNotOurs() {
    let (_, first, second) = two(wanted: "/dev/ttyUSB0")
    #expect(first == nil)
    #expect(second == 0)
  }

  @Test func ninthReceiverTakesThePlaceOfOneThatWasPulledOut() {
    var receivers = GPSDReceivers(wanted: "")
    for number in 0..<GPSDReceivers.limit { _ = receivers.number(of: "/dev/tty\(number)") }
    let refused = receivers.number(of: "/dev/ninth")
    #expect(refused == nil)
    _ = receivers.noteDevice(3, driver: "", isActive: false)
    let taken = receivers.number(of: "/dev/ninth")
    #expect(taken == 3)
  }
}

// behaviour: When gpsd is away or silent
@Suite struct GPSDSilenceTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  /// Goes from deadline to deadline, as the timer does, and writes down what was asked for.
  private func ladder(until end: Double) -> (watches: [Double], reconnections: [Double], wedged: [Double]) {
    var silence = GPSDSilence(at: .zero)
    var told: (watches: [Double], reconnections: [Double], wedged: [Double]) = ([], [], [])
    while silence.next < at(end) {
      let now = silence.next
      if silence.becameWedged(at: now) { told.wedged.append((now - .zero).seconds) }
      switch silence.step(at: now) {
      case .wait: Issue.record("woken for nothing")
      case .watchAgain: told.watches.append((now - .zero).seconds)
      case .reconnect:
        told.reconnections.append((now - .zero).seconds)
        silence.reconnected(at: now)
      }
    }
    return told
  }

  @Test func watchesAgainEveryTenSecondsOfTheFirstMinute() {
    #expect(ladder(until: 59).watches == [10, 20, 30, 40, 50])
    #expect(ladder(until: 301).watches == [10, 20, 30, 40, 50])
  }

  @Test func theNextSilenceBeginsAtTheTop() {
    var silence = GPSDSilence(at: .zero)
    let first = silence.step(at: at(60))
    silence.reconnected(at: at(60))
    #expect(first == .reconnect && silence.next == at(120))
    silence.reported(at: at(70))
    #expect(silence.next == at(80))
    let second = silence.step(at: at(80))
    #expect(second == .watchAgain && silence.next == at(90))
  }

  /// It had another cause than the silence: the ladder stands where it stood.
  @Test func aGPSDThatEndsItselfIsStillWatchedEveryTenSeconds() {
    var silence = GPSDSilence(at: .zero)
    silence.reconnected(at: at(5))
    #expect(silence.next == at(15))
  }

  @Test func reconnectsEverySixtySeconds() { #expect(ladder(until: 181).reconnections == [60, 120, 180]) }

  @Test func isWedgedAfterFifteenMinutesAndSaysSoOnce() { #expect(ladder(until: 7200).wedged == [900]) }

  @Test func aReportPutsEveryStepOff() {
    var silence = GPSDSilence(at: .zero)
    silence.reported(at: at(9))
    let step = silence.step(at: at(10))
    #expect(step == .wait)
    #expect(silence.next == at(19))
  }
}

@Suite struct GPSDLinesTests {
  private func cut(_ pieces: [[UInt8]]) -> (lines: [String], overlong: Int) {
    let lines = GPSDLines()
    var found: [String] = []
    for piece in pieces {
      var rest = piece[...]
      while !rest.isEmpty {
        let count = min(rest.count, lines.free)
        rest.prefix(count).withUnsafeBytes { lines.space.copyMemory(from: $0.baseAddress!, byteCount: count) }
        rest = rest.dropFirst(count)
        lines.accept(count) { line, length in
          #expect(line[length] == 0)
          found.append(String(cString: line))
        }
      }
    }
    return (found, lines.overlong)
  }

  @Test func aSplitAtAnyByteMakesTheSameLines() {
    let text = Array("{\"one\":1}\r\n\n{\"two\":2}\n{\"three\":3}\r\n".utf8)
    for split in 0...text.count {
      let found = cut([Array(text[..<split]), Array(text[split...])])
      #expect(found.lines == ["{\"one\":1}", "{\"two\":2}", "{\"three\":3}"])
    }
  }

  @Test func aLineThatIsTooLongIsDroppedWholeAndCounted() {
    let long = [UInt8](repeating: 65, count: 3 * GPSDLines.capacity + 17)
    let found = cut([Array("before\n".utf8), long, Array("tail\nafter\n".utf8)])
    #expect(found.lines == ["before", "after"])
    #expect(found.overlong == 1)
  }

  @Test func theLongestLineAllowedArrives() {
    let long = [UInt8](repeating: 65, count: GPSDLines.capacity - 1)
    #expect(cut([long + [10]]).lines.first?.utf8.count == GPSDLines.capacity - 1)
  }

  @Test func aNewConnectionDoesNotContinueTheOldOnesLine() {
    let lines = GPSDLines()
    lines.space.copyMemory(from: "half", byteCount: 4)
    lines.accept(4) { _, _ in Issue.record("not a line") }
    lines.reset()
    var found: [String] = []
    lines.space.copyMemory(from: "whole\n", byteCount: 6)
    lines.accept(6) { line, _ in found.append(String(cString: line)) }
    #expect(found == ["whole"])
  }
}
