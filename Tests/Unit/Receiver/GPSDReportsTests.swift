import Glibc
import Model
import Testing
import Timebase

@testable import Receiver

/// Real lines of gpsd 3.22, and what can be wrong with them.
@Suite struct GPSDReportsTests {
  static let tpv =
    #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-11-21T12:35:07.250Z","ept":0.005,"#
    + #""lat":48.856614200,"lon":2.352221900,"altHAE":82.1000,"altMSL":35.2000,"alt":35.2000,"epx":3.3,"#
    + #""epy":4.1,"epv":5.5,"track":52.1000,"magtrack":53.4,"magvar":1.3,"speed":13.89,"climb":0.1,"#
    + #""eps":0.82,"epc":11.0,"geoidSep":46.9,"eph":6.27,"sep":9.5}"#
  static let sky =
    #"{"class":"SKY","device":"/dev/ttyACM0","xdop":0.66,"ydop":0.71,"vdop":1.3,"tdop":0.9,"hdop":0.97,"#
    + #""gdop":2.1,"pdop":1.6,"satellites":[{"PRN":2,"el":63.0,"az":10.0,"ss":44.0,"used":true},"#
    + #"{"PRN":5,"el":41.0,"az":80.0,"ss":41.0,"used":true},{"PRN":7,"el":3.0,"az":8.0,"ss":9.0,"used":false}]}"#

  private let reports = GPSDReports(device: "")

  @discardableResult
  private func take(_ text: String, at seconds: Double = 0) -> Reading? {
    Self.take(reports, Array(text.utf8), at: .zero + .seconds(seconds))
  }

  static func take(_ reports: GPSDReports, _ bytes: [UInt8], at now: Instant) -> Reading? {
    let line = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    defer { line.deallocate() }
    for (position, byte) in bytes.enumerated() { line[position] = CChar(bitPattern: byte) }
    line[bytes.count] = 0
    return reports.take(line, bytes.count, at: now)
  }

  /// What nobody asks for is taken out before libgps sees it: it cannot spoil the rest.
  @Test func aWrongMemberThatIsNotAskedForHarmsNothing() {
    let reading = take(Self.tpv)
    #expect(reading != nil)
    #expect(take(changed(#""climb":0.1"#, #""climb":"up""#)) == reading)
    #expect(take(changed(#""climb":0.1"#, #""unheardOf":"a,}b""#)) == reading)
  }

  private func changed(_ old: String, _ new: String) -> String {
    guard let range = Self.tpv.firstRange(of: old) else { return "" }
    return Self.tpv.replacingCharacters(range, new)
  }

  @Test func everyFieldOfAPositionArrives() throws {
    let reading = try #require(take(Self.tpv))
    var expected = Reading()
    expected.mode = 3
    expected.time = WallTime(seconds: 1_795_264_507.25)
    (expected.latitude, expected.longitude, expected.altitude) = (48.8566142, 2.3522219, 35.2)
    (expected.eph, expected.epx, expected.epy, expected.epv) = (6.27, 3.3, 4.1, 5.5)
    (expected.speed, expected.eps, expected.track) = (13.89, 0.82, 52.1)
    #expect(reading == expected)
  }

  // behaviour: From a receiver's report to a fix
  @Test func modeDecidesAndStatusDoesNot() throws {
    #expect(try #require(take(changed(#""mode":3"#, #""mode":3,"status":0"#))).mode == 3)
  }

  @Test func aPositionWithoutTimeHasNoTime() throws {
    #expect(try #require(take(changed(#""time":"2026-11-21T12:35:07.250Z","#, ""))).time == nil)
  }

  @Test(arguments: [
    "2026-11-21", "2026-11-21T12:35Z", "yesterday", "2026-11-21T12:35:07", "2026-11-21T12:35:07.9e300Z",
  ])
  func halfATimeIsNoTime(_ time: String) throws {
    #expect(try #require(take(changed("2026-11-21T12:35:07.250Z", time))).time == nil)
  }

  // behaviour: From a receiver's report to a fix
  /// libgps takes 31 February for 3 March, and month 13 for January.
  @Test(arguments: [
    ("2026-02-31T12:35:07.250Z", true), ("2026-02-29T12:35:07.250Z", true),
    ("2028-02-29T12:35:07.250Z", false),
    ("2026-13-01T12:35:07.250Z", true), ("2026-00-01T12:35:07.250Z", true),
    ("2026-11-31T12:35:07.250Z", true),
    ("2026-11-00T12:35:07.250Z", true), ("2026-11-21T24:35:07.250Z", true),
    ("2026-11-21T12:60:07.250Z", true),
    ("2026-11-21T12:35:61Z", true), ("2026-12-31T23:59:60.000Z", false), ("2100-02-29T12:35:07Z", true),
  ])
  func aDayThatThereIsNotIsNamed(_ time: String, _ isImpossible: Bool) throws {
    for tpv in [
      changed("2026-11-21T12:35:07.250Z", time),
      changed("2026-11-21T12:35:07.250Z", time).replacing(",", with: ", "),
    ] {
      let reading = try #require(Self.take(GPSDReports(device: ""), Array(tpv.utf8), at: .zero))
      #expect(reading.isDateImpossible == isImpossible)
      #expect((reading.time == nil) == isImpossible)
    }
  }

  // behaviour: From a receiver's report to a fix
  @Test(arguments: [#""mode":3"#, #" "mode":3"#]) func aSimulationSaysSo(_ opening: String) throws {
    for status in 7...8 {
      let line = changed(#""mode":3"#, "\(opening),\"status\":\(status)")
      let reading = try #require(Self.take(GPSDReports(device: ""), Array(line.utf8), at: .zero))
      #expect(reading.isSimulated == (status == 8))
    }
  }

  @Test(arguments: ["NaN", "nan", "1e400", "-1e400", "Infinity", "null"])
  func aLatitudeThatIsNoNumberIsAbsent(_ number: String) throws {
    #expect(try #require(take(changed("48.856614200", number))).latitude == nil)
  }

  @Test func aTextForANumberIsAbsent() throws {
    #expect(try #require(take(changed("48.856614200", "\"48.8\""))).latitude == nil)
  }

  @Test func anExponentOfFourDigitsIsRefused() {
    #expect(take(changed("48.856614200", "1e1000")) == nil)
    #expect(reports.malformed == 1)
  }

  @Test func aMemberThatIsNoneIsRefusedAndSoIsASecondClass() {
    #expect(take(#"{"class":"TPV",x}"#) == nil)
    #expect(take(#"{"class":"TPV","mode":3,"class":"TPV"}"#) == nil)
    #expect(reports.malformed == 2)
  }

  @Test func aLineCutShortIsRefused() {
    for length in 0..<Self.tpv.utf8.count { #expect(take(String(Self.tpv.prefix(length))) == nil) }
  }

  @Test func aModeThatDoesNotExistIsNoFix() throws {
    #expect(try #require(take(changed(#""mode":3"#, #""mode":77"#))).mode == 1)
  }

  @Test func havingNoFixIsSaidOnce() {
    let none = #"{"class":"TPV","device":"/dev/ttyACM0","mode":1}"#
    #expect(take(none)?.mode == 1)
    #expect(take(none) == nil)
    #expect(take(Self.tpv)?.mode == 3)
    #expect(take(none)?.mode == 1)
  }

  @Test func aReceiverThatIsUnpluggedMeansNoFixOnce() {
    take(Self.tpv)
    let gone = #"{"class":"DEVICE","path":"/dev/ttyACM0","activated":0}"#
    #expect(take(gone)?.mode == 0)
    #expect(take(gone) == nil)
  }

  @Test func theReceiverNextDoorBeingUnpluggedIsNoNews() {
    take(Self.tpv)
    #expect(take(#"{"class":"DEVICE","path":"/dev/ttyUSB7","activated":0}"#) == nil)
  }

  // behaviour: From a receiver's report to a fix
  @Test func skyGivesTheDilutionWhereAPositionHasNoErrors() throws {
    take(Self.sky)
    let bare = #"{"class":"TPV","device":"/dev/ttyACM0","mode":2,"lat":1.0,"lon":2.0}"#
    #expect(try #require(take(bare, at: 9)).hdop == 0.97)
    #expect(try #require(take(bare, at: 11)).hdop == nil)
  }

  static let gst =
    #"{"class":"GST","device":"/dev/ttyACM0","time":"2026-11-21T12:35:07.000Z","rms":0.900,"major":0.018,"#
    + #""minor":0.012,"orient":45.000,"lat":0.030,"lon":0.040,"alt":0.025}"#

  // behaviour: From a receiver's report to a fix
  /// gpsd's own error of an RTK receiver is 19 m, times the dilution.
  @Test func recentGSTErrorReplacesTPVError() throws {
    take(Self.gst)
    #expect(try #require(take(Self.tpv, at: 10)).eph == 0.1)
    #expect(try #require(take(Self.tpv, at: 10.1)).eph == 6.27)
    take(Self.gst.replacing("/dev/ttyACM0", with: "/dev/other"), at: 10.1)
    #expect(try #require(take(Self.tpv, at: 10.2)).eph == 6.27)
    #expect(reports.malformed == 0)
  }

  // behaviour: From a receiver's report to a fix
  @Test(arguments: [
    (#""lat":0.030,"#, ""), (#""lat":0.030"#, #""lat":-0.030"#), (#""lat":0.030"#, #""lat":nan"#),
    (#""lat":0.030"#, #""lat":1000000"#), (#""lat":0.030,"lon":0.040"#, #""lat":0,"lon":0"#),
    (#""lat":0.030"#, #""lat":{}"#),
  ])
  func invalidGSTErrorIsIgnored(_ old: String, _ new: String) throws {
    take(Self.gst.replacing(old, with: new))
    #expect(try #require(take(Self.tpv)).eph == 6.27)
  }

  @Test func satellitesAreCountedEveryThirtySeconds() {
    take(Self.sky)
    #expect(reports.satellites?.used == 2)
    #expect(reports.satellites?.seen == 3)
    take(Self.tpv)
    let fewer = Self.sky.replacing(#""used":true"#, with: #""used":false"#)
    take(fewer, at: 29)
    #expect(reports.satellites?.used == 2)
    take(fewer, at: 30)
    #expect(reports.satellites?.used == 0)
  }

  @Test func driverOfAReceiverIsKnownFromTheList() {
    take(
      #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0","driver":"u-blox","#
        + #""activated":"2026-11-21T12:00:00.000Z","flags":1,"native":1,"bps":9600,"parity":"N","stopbits":1,"#
        + #""cycle":1.00,"mincycle":0.02},{"class":"DEVICE","path":"/dev/pps0","activated":0}]}"#)
    #expect(reports.receivers.known.map(\.path) == ["/dev/ttyACM0", "/dev/pps0"])
    #expect(reports.receivers.known.map(\.driver) == ["u-blox", ""])
    #expect(reports.receivers.known.map(\.isActive) == [true, false])
  }

  @Test func versionIsReadFromGreeting() {
    take(#"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#)
    #expect(reports.version == "3.22")
  }

  @Test func gpsdErrorTextIsKept() {
    take(#"{"class":"ERROR","message":"No such device as /dev/x"}"#)
    #expect(reports.errorText == "No such device as /dev/x")
  }

  @Test func classesWithoutUseAreNeitherReadNorCounted() {
    take(#"{"class":"AIS","device":"x","type":5,"scaled":false}"#)
    take(#"{"class":"TOFF","device":"x","real_sec":1,"real_nsec":2}"#)
    #expect(reports.malformed == 0)
  }

  @Test(arguments: ["", "hello", "\u{1}\u{2}", "[]", "{}", #"{"klass":"TPV"}"#, "$GPRMC,,V,,,,,,,,,,N*53"])
  func foreignLinesAreCounted(_ line: String) {
    take(line)
    #expect(reports.malformed == 1)
  }

  /// Seeded, so a failure comes again.
  @Test func aMillionLinesOfRubbishDoNoHarm() {
    var random = Mutator(seed: 20_261_121)
    let seeds = [
      Self.tpv, Self.sky, #"{"class":"DEVICE","path":"/dev/ttyACM0","activated":0}"#,
      #"{"class":"VERSION","release":"3.22","proto_major":3}"#, #"{"class":"ERROR","message":"x"}"#,
      #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":0}]}"#,
    ].map { Array($0.utf8) }
    let lines = GPSDLines()
    var absurd = 0
    for round in 0..<Self.fuzzRounds {
      let mutant = random.mutate(seeds[round % seeds.count], with: seeds[(round / 7) % seeds.count]) + [10]
      mutant.withUnsafeBytes { lines.space.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
      lines.accept(mutant.count) { line, length in
        let reading = reports.take(line, length, at: .zero + .milliseconds(round))
        if let reading, !reading.isPossible { absurd += 1 }
      }
    }
    #expect(absurd == 0)
    #expect(reports.malformed > 0)
  }

  static let fuzzRounds = getenv("HOMEWARD_FUZZ").flatMap { Int(String(cString: $0)) } ?? 1_000_000
}

extension Reading {
  /// What an adapter may hand on at all: numbers are numbers, the mode is a mode.
  fileprivate var isPossible: Bool {
    let numbers = [latitude, longitude, altitude, eph, epx, epy, epv, speed, eps, track, hdop]
    return (0...3).contains(mode) && numbers.allSatisfy { $0?.isFinite ?? true }
  }
}

extension String {
  fileprivate func replacingCharacters(_ range: Range<Index>, _ new: String) -> String {
    String(self[..<range.lowerBound]) + new + String(self[range.upperBound...])
  }
}
