import Model
import OwnTracks
import Testing

@testable import Replay

struct GPSDReportTests {
  private func reading(_ text: String, hdop: Double? = nil) throws -> Reading {
    GPSDReport.reading(fromTPV: try JSON.parse(text), hdop: hdop)
  }

  @Test func modernReport() throws {
    let reading = try reading(
      """
      {"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2023-11-14T22:13:20.000Z","ept":0.005,
       "lat":48.1,"lon":11.5,"altHAE":560.1,"altMSL":512.5,"alt":560.1,"epx":3.1,"epy":4.2,"epv":7.5,
       "track":271.4,"speed":8.33,"eps":0.4,"eph":5.5}
      """, hdop: 1.2)
    var expected = Reading()
    expected.mode = 3
    expected.time = .init(seconds: 1_700_000_000)
    (expected.latitude, expected.longitude, expected.altitude) = (48.1, 11.5, 512.5)
    (expected.epx, expected.epy, expected.epv, expected.eph) = (3.1, 4.2, 7.5, 5.5)
    (expected.track, expected.speed, expected.eps, expected.hdop) = (271.4, 8.33, 0.4, 1.2)
    #expect(reading == expected)
  }

  @Test func oldAltitude() throws { #expect(try reading(#"{"alt":512}"#).altitude == 512) }

  @Test func heightAboveTheEllipsoidIsNotOurs() throws {
    #expect(try reading(#"{"altHAE":560}"#).altitude == nil)
  }

  @Test func oldUnixTime() throws {
    #expect(try reading(#"{"time":1700000000.5}"#).time?.seconds == 1_700_000_000.5)
  }

  @Test func wrongKindsAreNothing() throws {
    let reading = try reading(
      #"{"mode":"3","time":true,"lat":"48","lon":null,"eph":[1],"speed":{},"track":"x","altMSL":false}"#)
    #expect(reading == Reading())
  }

  @Test func noObjectIsNothing() throws { #expect(try reading("[1,2]") == Reading()) }

  @Test func skyCountsMarkedSatellites() throws {
    let json = try JSON.parse(
      #"{"class":"SKY","hdop":1.1,"satellites":[{"PRN":1,"used":true},{"PRN":2,"used":false},{"used":true}]}"#
    )
    #expect(GPSDReport.sky(json).satellitesUsed == 2)
    #expect(GPSDReport.sky(json).hdop == 1.1)
  }

  @Test func skyOfNewerGpsd() throws {
    let sky = GPSDReport.sky(try JSON.parse(#"{"class":"SKY","nSat":12,"uSat":7,"hdop":0}"#))
    #expect(sky.satellitesUsed == 7)
    #expect(sky.hdop == nil)
  }

  @Test func deadReckoningIsNoFix() throws {
    for (status, isReckoned) in [(5, true), (4, false), (6, false)] {
      let report = try JSON.parse(#"{"class":"TPV","status":\#(status)}"#)
      #expect(GPSDReport.reading(fromTPV: report, hdop: nil).isReckoned == isReckoned)
    }
    #expect(try !GPSDReport.reading(fromTPV: JSON.parse("{}"), hdop: nil).isReckoned)
  }

  @Test func statusVoidAndTimeOfTPVAreRead() throws {
    func reading(_ members: String) throws -> Reading {
      GPSDReport.reading(fromTPV: try JSON.parse("{\"class\":\"TPV\",\(members)}"), hdop: nil)
    }
    #expect(try reading(#""mode":3,"status":8"#).isSimulated && !reading(#""mode":3,"status":5"#).isSimulated)
    #expect(try reading(#""mode":1,"void":true"#).isVoid && !reading(#""mode":3,"void":true"#).isVoid)
    let impossible = try reading(#""mode":3,"time":"2026-02-31T08:00:00.000Z""#)
    #expect(impossible.time == nil && impossible.isDateImpossible)
    let unreadable = try reading(#""mode":3,"time":"soon""#)
    #expect(unreadable.time == nil && !unreadable.isDateImpossible)
    #expect(try reading(#""mode":3,"time":"2026-07-01T10:00:00+0200""#).time?.seconds == 1_782_892_800)
  }
}
