import Core
import Testing

@testable import homewardd

/// What is counted, and what is worth a line.
struct TrafficTests {
  @Test func everyBadMessageIsCountedAndTheNewestIsShown() {
    var traffic = Traffic()
    for number in 0..<200 { traffic.countMalformed("bad \(number)") }
    #expect(traffic.malformed == 200 && traffic.lastMalformed == "bad 199")
  }

  @Test func aRefusedCommandIsWorthALineAndAWithheldFixIsNone() throws {
    let scene = try DaemonScene()
    let reasons: [Reason] = [
      .commandRefused(action: "dump", .commandsOff), .commandRefused(action: "dump", .commandsOff),
      .commandRefused(action: "dump", .retained), .notNewer(time: 1, last: 2),
    ]
    for reason in reasons { scene.log.explain(reason) }
    #expect(scene.lines() == [reasons[0], reasons[2]].map { "warning: \($0.sentence)" })
  }

  @Test func theJournalHearsOfWithheldFixesOnlyWhenAskedTo() throws {
    let scene = try DaemonScene()
    scene.log.explain(.notNewer(time: 1, last: 2))
    #expect(scene.lines() == [])
    scene.log.adopt(.debug)
    scene.log.explain(.notNewer(time: 1, last: 2))
    #expect(scene.lines().count == 1)
  }
}
