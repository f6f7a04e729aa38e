import Model
import TestSupport
import Testing
import Timebase

@testable import Receiver

// behaviour: A place that is only repeated
/// A place that is only repeated, and one that is held: gpsd says the same of both, the receiver does not.
struct GPSDDoubtTests {
  private let reports = GPSDReports(device: "")

  /// One report, at this second of the recording and of the clock.
  @discardableResult
  private func tell(
    _ second: Int, east: Int = 0, speed: Double? = 0, device: String = "a", mode: Int = 3
  ) -> Reading? {
    let time = "2026-11-21T12:\(10 + second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60).000Z"
    let rest =
      mode < 2
      ? ""
      : ",\"lat\":48.5,\"lon\":11.\(100_000 + east),\"eph\":5.0" + (speed.map { ",\"speed\":\($0)" } ?? "")
    let line =
      "{\"class\":\"TPV\",\"device\":\"\(device)\",\"mode\":\(mode),\"time\":\"\(time)\",\"ept\":0.005\(rest)}"
    return GPSDReportsTests.take(reports, Array(line.utf8), at: .zero + .seconds(second))
  }

  private func hear(_ lines: String...) {
    for line in lines { #expect(GPSDReportsTests.take(reports, Array(line.utf8), at: .zero) == nil) }
  }

  private let rmc = "$GPRMC,1,A,4830.00000,N,01106.00000,E,0.0,,211126,,,A*5C"
  private let voidRMC = "$GPRMC,1,V,4830.00000,N,01106.00000,E,0.0,,211126,,,N*5C"

  /// It drives, and stands on one spot to the last digit.
  private func stop(at second: Int, speed: Double? = 0) {
    for before in 0..<second { #expect(tell(before, east: before, speed: 4) != nil) }
    #expect(!reports.wantsWords)
    #expect(tell(second, east: second - 1, speed: speed) == nil)
    #expect(reports.wantsWords)
  }

  @Test func validRMCReleasesAllHeldReports() {
    stop(at: 5)
    #expect(reports.takeHeld().isEmpty)
    hear(rmc)
    #expect(tell(6, east: 4) == nil)
    hear(rmc)
    #expect(tell(7, east: 4)?.time?.seconds == 1_795_263_007)
    #expect(reports.takeHeld().map { ($0.time?.seconds ?? 0) - 1_795_263_000 } == [5, 6])
    #expect(reports.takeHeld().isEmpty && !reports.wantsWords && !reports.isVoid)
    #expect(reports.mode == 3 && reports.malformed == 0)
  }

  @Test func voidRMCYieldsOneReadingWithoutFix() throws {
    stop(at: 5)
    hear(voidRMC)
    let reading = try #require(tell(6, east: 4))
    #expect(reading.mode == 1 && reading.isVoid && reading.latitude == nil)
    #expect(reports.takeHeld().isEmpty && reports.mode == 1 && reports.isVoid)
    for second in 7..<200 { #expect(tell(second, east: 4) == nil) }
    #expect(reports.wantsWords)
    // Out of the tunnel.
    #expect(tell(200, east: 500, speed: 12)?.mode == 3)
    #expect(reports.mode == 3 && !reports.isVoid && !reports.wantsWords)
    // And into the next one.
    #expect(tell(201, east: 500) == nil)
    hear(voidRMC)
    #expect(tell(202, east: 500)?.isVoid == true)
  }

  /// Whose packets nobody reads is believed as far as gpsd's reports go.
  @Test(arguments: [(Double?.some(0), true), (nil, false)])
  func withoutRMCReportedSpeedDecides(_ speed: Double?, _ isBelieved: Bool) {
    stop(at: 5, speed: speed)
    #expect(tell(6, east: 4, speed: speed) == nil && tell(7, east: 4, speed: speed) == nil)
    let reading = tell(8, east: 4, speed: speed)
    #expect(reading?.mode == (isBelieved ? 3 : 1) && reading?.isVoid == !isBelieved)
    #expect(reports.takeHeld().count == (isBelieved ? 3 : 0))
    #expect((tell(9, east: 4, speed: speed) != nil) == isBelieved)
  }

  /// It falls silent: what waited is told, or is none, as if it had gone on.
  @Test(arguments: [
    (Double?.some(0), "", true), (nil, "", false), (0, "A", true), (nil, "A", true), (0, "V", false),
  ])
  func heldReportIsDecidedAfterThreeSecondsOfSilence(speed: Double?, word: String, isBelieved: Bool) {
    stop(at: 5, speed: speed)
    if !word.isEmpty { hear(word == "A" ? rmc : voidRMC) }
    #expect(reports.decidesAt == .zero + .seconds(8))
    #expect(reports.patienceIsOver(at: .zero + .seconds(7.9)) == nil && reports.takeHeld().isEmpty)
    let reading = reports.patienceIsOver(at: .zero + .seconds(8))
    #expect(reading?.isVoid == (isBelieved ? nil : true) && reports.isVoid == !isBelieved)
    #expect(reports.takeHeld().count == (isBelieved ? 1 : 0))
    #expect(reports.decidesAt == nil && reports.wantsWords == !isBelieved)
    #expect(reports.patienceIsOver(at: .zero + .seconds(9)) == nil)
  }

  /// That costs no time where reports come fast.
  @Test func threeReportsWithoutRMCSufficeOnceRawIsOn() {
    stop(at: 5)
    hear(#"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":1}"#)
    for count in 1...2 { #expect(tell(5, east: 4) == nil, "\(count)") }
    #expect(tell(5, east: 4) != nil)
    #expect(reports.takeHeld().count == 3)
  }

  /// One word costs the reading of all sentences for a second or two.
  @Test func validRMCCountsForFiveMinutes() {
    stop(at: 5)
    hear(rmc, rmc)
    #expect(tell(6, east: 4) != nil)
    for second in 7..<306 { #expect(tell(second, east: 4) != nil) }
    #expect(!reports.wantsWords)
    #expect(tell(306, east: 4) == nil && reports.wantsWords)
  }

  /// Noise in the last digit is no drive to another tunnel; a drive is.
  @Test func validRMCExpiresWhenDrivingOn() {
    stop(at: 5)
    hear(rmc, rmc)
    #expect(tell(6, east: 4) != nil)
    #expect(tell(7, east: 5, speed: 0.2) != nil && tell(8, east: 5) != nil)
    #expect(tell(9, east: 50, speed: 12) != nil && tell(10, east: 50) == nil)
  }

  /// A word for a place that is held says nothing of one without a speed.
  @Test func validRMCAtRestDoesNotCoverMissingSpeed() {
    stop(at: 5)
    hear(rmc, rmc)
    #expect(tell(6, east: 4) != nil && tell(7, east: 4, speed: nil) == nil)
    #expect(reports.wantsWords)
  }

  /// The receiver that starts in a garage, with the place that it had when it was switched off.
  @Test func aFirstPlaceWithoutASpeedIsDoubted() {
    #expect(tell(0, speed: nil) == nil && reports.wantsWords)
    hear(voidRMC)
    #expect(tell(1, speed: nil)?.isVoid == true)
  }

  /// gpsd works the speed out of the second one where a receiver has none.
  @Test func firstFixWithoutSpeedIsReleasedWithSecond() {
    #expect(tell(0, speed: nil) == nil)
    #expect(tell(1, east: 1, speed: 2) != nil)
    #expect(reports.takeHeld().count == 1 && !reports.wantsWords)
  }

  /// gpsd 3.25 has "no fix" for the same second behind it.
  @Test func aPlaceThatIsTakenBackIsNone() {
    stop(at: 5)
    #expect(tell(5, mode: 1)?.isVoid == false)
    #expect(!reports.wantsWords && reports.takeHeld().isEmpty)
    #expect(tell(6, east: 4)?.isVoid == true)
    #expect(!reports.wantsWords)
    for second in 6..<60 { #expect(tell(second, mode: 1) == nil && tell(second + 1, east: 4) == nil) }
    #expect(tell(61, east: 500, speed: 12)?.mode == 3)
  }

  /// Whose words they are nobody could tell.
  @Test func withTwoReceiversNoRMCIsRequested() {
    for second in 0..<9 {
      #expect(tell(second, east: second, speed: 12) != nil)
      #expect(tell(second, east: min(second, 4), speed: second < 5 ? 12 : 0, device: "b") == nil)
      #expect(!reports.wantsWords)
    }
    #expect(tell(9, east: 8, speed: nil)?.isVoid == true && !reports.wantsWords)
  }

  /// The one that repeats has no fix, and the other takes over.
  @Test func anotherReceiverTakesOverFromOneThatRepeats() {
    for second in 0..<5 { #expect(tell(second, east: second, speed: 12) != nil) }
    tell(4, east: 4, speed: 12, device: "b")
    var told: [Int] = []
    for second in 5..<15 {
      if tell(second, east: 4, speed: nil)?.isVoid == true { told.append(-second) }
      if tell(second, east: second, speed: 12, device: "b") != nil { told.append(second) }
    }
    #expect(told == [-5, 10, 11, 12, 13, 14])
  }

  @Test func aRestIsNoAnswer() {
    stop(at: 5)
    reports.rest()
    #expect(reports.takeHeld().isEmpty && !reports.wantsWords)
  }

  /// What was under way when nobody wanted to know any more is no fault.
  @Test func lateRawLinesAreNotMalformed() {
    stop(at: 5)
    hear(rmc, rmc)
    #expect(tell(6, east: 4) != nil)
    hear(rmc, "$GPGGA,1,4830", "b562010754")
    #expect(reports.malformed == 0)
    hear(#"{"class"}"#)
    #expect(reports.malformed == 1)
  }
}

// behaviour: A place that is only repeated
/// The same on the wire.
struct GPSDDoubtConnectionTests {
  private let peer = GPSDPeer()
  private let scene: GPSDScene

  init() throws {
    scene = try GPSDScene(.init(host: "127.0.0.1", port: peer.port, device: "/dev/a"))
  }

  private func report(_ second: Int) {
    peer.say(
      #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T12:00:0\#(second).000Z","ept":0.005,"#
        + #""lat":48.5,"lon":11.5,"speed":0.0,"eph":5.0}"# + "\r\n")
  }

  @Test func gpsdIsAskedToRepeatItAndToCeaseAgain() {
    scene.gpsd.start()
    #expect(scene.runs { peer.accept() })
    peer.say(GPSDPeer.greeting)
    #expect(scene.runs { peer.commands == "?WATCH={\"enable\":true,\"json\":true,\"device\":\"/dev/a\"};\n" })
    report(1)
    report(2)
    #expect(
      scene.runs {
        peer.commands.hasSuffix("?WATCH={\"enable\":true,\"json\":true,\"raw\":1,\"device\":\"/dev/a\"};\n")
      })
    #expect(scene.readings.count == 1)
    let word = "$GPRMC,1,A,4830.00000,N,01130.00000,E,0.0,,211126,,,A*5C\r\n"
    peer.say(word + word)
    report(3)
    #expect(
      scene.runs {
        peer.commands.hasSuffix("?WATCH={\"enable\":true,\"json\":true,\"raw\":0,\"device\":\"/dev/a\"};\n")
      })
    #expect(scene.readings.map { ($0.time?.wholeSeconds ?? 0) % 10 } == [1, 2, 3])
    #expect(scene.gpsd.status.malformedLines == 0)
  }

  @Test func whyThereIsNoPositionIsSaid() {
    scene.gpsd.start()
    #expect(scene.runs { peer.accept() })
    peer.say(GPSDPeer.greeting)
    report(1)
    report(2)
    #expect(scene.runs { peer.commands.contains("raw") })
    peer.say("$GPGGA,1,4830.00000,N,01130.00000,E,0,04,1.0,1.0,M,1.0,M,,*5C\r\n")
    report(3)
    #expect(scene.runs { scene.readings.last?.isVoid == true })
    #expect(scene.gpsd.status.cause == "the receiver has no fix, and repeats its last position")
    #expect(scene.gpsd.status.mode == 1)
  }
}
