import Core
import Testing
import Timebase

@testable import homewardd

/// What is counted, and what is worth a line.
struct TrafficTests {
  private let start = Instant.zero

  @Test func everyBadMessageIsCountedAndOneInTenSecondsSaid() {
    var traffic = Traffic()
    let lines = (0..<200).compactMap { traffic.warning("bad \($0)", at: start + .milliseconds($0 * 100)) }
    #expect(traffic.malformed == 200 && traffic.lastMalformed == "bad 199")
    #expect(
      lines == [
        "message from the broker is malformed: bad 0", "message from the broker is malformed: bad 100",
      ])
  }

  @Test func aMatterIsSaidOnceInItsGap() {
    var limiter = LineLimiter()
    let asked: [(matter: String, minutes: Int)] = [("disk", 0), ("disk", 9), ("network", 9), ("disk", 10)]
    let said = asked.map {
      limiter.isTime(for: $0.matter, at: start + .minutes($0.minutes), gap: .minutes(10))
    }
    #expect(said == [true, false, true, true])
  }

  @Test func aRefusedCommandIsWorthALineAndAWithheldFixIsNone() {
    var limiter = LineLimiter()
    let reasons: [Reason] = [
      .commandRefused(action: "dump", .commandsOff), .commandRefused(action: "dump", .commandsOff),
      .commandRefused(action: "dump", .retained), .notNewer(time: 1, last: 2),
    ]
    #expect(reasons.map { limiter.isWorthALine($0, at: start) } == [true, false, true, false])
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
