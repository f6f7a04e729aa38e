import Loop
import Model
import OwnTracks
import TestSupport
import Testing
import Timebase

@testable import Host

@Suite final class PowerFailInputTests {
  let scratch = Scratch()
  let loop: EventLoop
  var events: [PowerFailInput.Event] = []

  init() throws { loop = try EventLoop() }

  private func begin(_ source: PowerFailSource) -> PowerFailInput {
    PowerFailInput(loop: loop, source: source, root: scratch.path) { [unowned self] in events.append($0) }
  }

  private func online(_ text: String) { scratch.put(text + "\n", at: "ups/online") }

  @Test(arguments: [
    ("supply:ups", PowerFailSource.supply("ups")),
    ("gpio:0:17", .gpio(chip: 0, line: 17, isActiveLow: false)),
    ("gpio:4:3:low", .gpio(chip: 4, line: 3, isActiveLow: true)),
  ])
  func aSourceIsUnderstood(_ text: String, _ source: PowerFailSource) {
    #expect(PowerFailSource(text) == source)
  }

  @Test(arguments: [
    "", "supply:", "supply:../x", "supply:.", "supply:a:b", "gpio:0", "gpio:0:-1", "gpio:0:1:high", "on",
  ])
  func invalidSourceIsRejected(_ text: String) {
    #expect(PowerFailSource(text) == nil)
  }

  @Test func aSupplyThatGoesOffLineIsAnEdge() {
    online("1")
    let input = begin(.supply("ups"))
    online("0")
    input.line?.look()
    input.line?.look()
    online("1")
    input.line?.look()
    #expect(events == [.failing, .back])
  }

  // behaviour: What the board tells
  @Test func onBatteryFromTheBeginningIsNone() {
    online("0")
    let input = begin(.supply("ups"))
    input.line?.look()
    #expect(events == [])
  }

  @Test func aSupplyThatComesAndGoesCountsOnce() {
    online("1")
    let input = begin(.supply("ups"))
    for text in ["0", "1", "0", "1"] {
      online(text)
      input.line?.look()
    }
    #expect(events == [.failing, .back])
  }

  /// The power comes back for a moment, and goes for good.
  @Test func theOneThatLastsCountsAfterTheGap() {
    online("1")
    let input = PowerFailInput(
      loop: loop, source: .supply("ups"), root: scratch.path, gap: .milliseconds(300)
    ) { [unowned self] in events.append($0) }
    defer { input.close() }
    for text in ["0", "1", "0"] {
      online(text)
      input.line?.look()
    }
    #expect(events == [.failing, .back])
    loop.runOnce(within: .seconds(60))
    #expect(events == [.failing, .back, .failing])
    for text in ["1", "0", "1"] {
      online(text)
      input.line?.look()
    }
    loop.runOnce(within: .seconds(60))
    #expect(events == [.failing, .back, .failing, .back])
  }

  @Test func missingSupplyAndChipAreNamed() {
    _ = begin(.supply("none"))
    _ = begin(.gpio(chip: 1000, line: 1, isActiveLow: false))
    let texts = events.map { if case .trouble(let why) = $0 { why } else { "" } }
    #expect(texts.count == 2)
    #expect(texts.first?.contains("none/online: there is no such power supply") == true)
    #expect(texts.last?.contains("/dev/gpiochip1000, line 1: No such file") == true)
  }
}
