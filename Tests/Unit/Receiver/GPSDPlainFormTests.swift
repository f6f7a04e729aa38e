import CGPS
import Glibc
import Model
import Testing
import Timebase

@testable import Receiver

/// Position reports in gpsd's own form do not pass through libgps. It is the measure all the same: a space
/// behind a comma, which means nothing, makes a line one that libgps has to read.
struct GPSDPlainFormTests {
  private static let opening = #"{"class":"TPV","#

  /// Nil: both say the same of the line, as precisely as libgps reads numbers.
  static func difference(_ line: [UInt8]) -> String? {
    let opening = Array(Self.opening.utf8)
    guard line.starts(with: opening) else { return nil }
    let slow = opening + [32] + line[opening.count...]
    let plain = GPSDReportsTests.take(GPSDReports(device: ""), line, at: .zero)
    let measured = GPSDReportsTests.take(GPSDReports(device: ""), slow, at: .zero)
    guard let plain, let measured else {
      return plain == measured ? nil : "one of both is refused: \(String(decoding: line, as: UTF8.self))"
    }
    let pairs = zip(numbers(plain), numbers(measured))
    let isSame = pairs.allSatisfy { one, other in
      guard let one, let other else { return one == other }
      return (one - other).magnitude <= max(1e-9, other.magnitude * 1e-12)
    }
    return isSame ? nil : "\(plain) is not \(measured) of \(String(decoding: line, as: UTF8.self))"
  }

  private static func numbers(_ reading: Reading) -> [Double?] {
    [
      Double(reading.mode), reading.time?.seconds, reading.latitude, reading.longitude, reading.altitude,
      reading.eph, reading.epx, reading.epy, reading.epv, reading.speed, reading.eps, reading.track,
      reading.isReckoned ? 1 : 0,
    ]
  }

  /// Whether libgps is spared it.
  static func isPlain(_ line: [UInt8]) -> Bool {
    var line = (line + [0]).map { CChar(bitPattern: $0) }
    var report = hw_gps_report()
    hw_gps_clear(&report)
    return hw_plain_position(&line, line.count - 1, &report)
  }

  /// Were no line read in one pass, all else here would agree the more, and each fix cost a tenth more.
  @Test func theUsualLineIsSparedLibgps() {
    #expect(Self.isPlain(Array(GPSDReportsTests.tpv.utf8)))
    #expect(!Self.isPlain(Array((Self.opening + #" "mode":3}"#).utf8)))
  }

  @Test func theUsualLineIsReadAlike() {
    #expect(Self.difference(Array(GPSDReportsTests.tpv.utf8)) == nil)
  }

  @Test(arguments: [
    #""mode":2"#, #""mode":4"#, #""mode":-1"#, #""mode":3.5"#, #""mode":3,"mode":1"#, #""lat":1"#,
    #""mode":3,"time":"1999-12-31T23:59:59.999Z""#, #""mode":3,"time":"2024-02-29T00:00:00Z""#,
    #""mode":3,"time":"2026-03-01T00:00:00.5Z""#, #""mode":3,"time":"2038-01-19T03:14:08.000Z""#,
    #""mode":3,"time":"1971-01-01T00:00:00Z""#, #""mode":3,"time":"2026-13-01T00:00:00Z""#,
    #""mode":3,"time":"2026-04-31T00:00:00Z""#, #""mode":3,"time":"2026-01-01T24:00:00Z""#,
    #""mode":3,"time":"2026-01-01T00:00:60.000Z""#, #""mode":3,"time":"2026-01-01T00:00:00""#,
    #""mode":3,"time":"2026-01-01T00:00:00.123456789Z""#,
    #""mode":3,"time":"2026-01-01T00:00:00.1234567890Z""#,
    #""mode":3,"lat":-0.000000001,"lon":-179.999999999"#, #""mode":3,"lat":90,"lon":180.0"#,
    #""mode":3,"lat":1e1,"lon":1.5E-1"#, #""mode":3,"lat":48.,"lon":.5"#, #""mode":3,"lat":+48,"lon":2"#,
    #""mode":3,"lat":nan,"lon":null"#, #""mode":3,"lat":48.123456789012345678,"lon":2"#,
    #""mode":3,"lat":48,"lat":49,"lon":2"#, #""mode":3,"lat":"48","lon":2"#, #""mode":3,"eph":-0"#,
    #""device":"","mode":3"#, #""device":"/dev/a\"b","mode":3"#, #""device":"a","device":"b","mode":3"#,
    #""device":3,"mode":3"#, #""mode":"3""#, #""mode":3,"class":"SKY""#, #""mode":3,"sub":{"lat":1}"#,
    #""mode":3,"list":[1,2],"lat":1"#, #""mode":3,"Lat":1,"latitude":2,"la":3"#, #""mode":3,"":1"#,
    #""mode":3,"#,
    "\"mode\":3,\"tag\":\"a\tb\"", #""mode":3,"tag":"a,\"lat\":9"#,
  ])
  func unusualTPVIsParsedLikeLibgps(_ members: String) {
    #expect(Self.difference(Array((Self.opening + members + "}").utf8)) == nil)
  }

  // behaviour: From a receiver's report to a fix
  @Test(arguments: [
    (#""status":5,"mode":3"#, true), (#""mode":3,"status":5"#, true), (#""mode":3,"status":6"#, false),
    (#""mode":3"#, false), (#""mode":3,"status":"5""#, false), (#""mode":3,"status":55"#, false),
    (#""mode":3,"status":-5"#, false), (#""mode":3,"status":null"#, false),
  ])
  func deadReckoningIsReadInBothForms(_ members: String, _ isReckoned: Bool) {
    for opening in [Self.opening, Self.opening + " "] {
      let place = #","time":"2026-03-01T00:00:00.000Z","lat":48.1,"lon":11.2,"eph":5.0}"#
      let line = Array((opening + members + place).utf8)
      #expect(GPSDReportsTests.take(GPSDReports(device: ""), line, at: .zero)?.isReckoned == isReckoned)
    }
  }

  @Test func noDamageMakesADifference() {
    var mutator = Mutator(seed: 7)
    let lines = [GPSDReportsTests.tpv, GPSDReportsTests.sky].map { Array($0.utf8) }
    for _ in 0..<20_000 {
      let line = mutator.mutate(lines[0], with: lines[1])
      // A zero byte ends nothing here: the length says where a line ends.
      if let difference = Self.difference(line) {
        Issue.record("\(difference)")
        return
      }
    }
  }
  /// Its calendar is a table of its own: the C library's would read the zone file and cost 20 times as much.
  @Test func everyDayIsThatOfTheCLibrary() {
    var parts = tm()
    (parts.tm_year, parts.tm_mday) = (72, 1)
    for midnight in stride(from: Int(timegm(&parts)), to: 4_102_444_800, by: 86_400) {
      var time = time_t(midnight)
      gmtime_r(&time, &parts)
      func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let day = "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
      var line = Array((Self.opening + #""mode":1,"time":"\#(day)T00:00:00Z"}"#).utf8CString)
      var report = hw_gps_report()
      hw_gps_clear(&report)
      let isPlain = hw_plain_position(&line, line.count - 1, &report)
      // That day is left to libgps.
      if parts.tm_mon == 1, parts.tm_mday == 29, !isPlain { continue }
      guard isPlain, report.time == Double(midnight) else {
        Issue.record("\(day) is \(report.time), not \(midnight)")
        return
      }
    }
  }
}
