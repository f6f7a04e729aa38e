import Model
import OwnTracks
import Testing
import Timebase

/// `trip`, `alarm`, the odometer in a location, the limit in a waypoint.
struct JourneyMessageTests {
  private static func mark(_ seconds: Double) -> TrackPoint {
    TrackPoint(
      time: WallTime(seconds: start + seconds), coordinate: Coordinate(latitude: 48, longitude: 11)!,
      accuracy: 4.2)
  }

  private static let trip = TripState(start: mark(0), last: mark(600), distance: 4321.6)

  private static func text(_ report: Report) -> String {
    String(decoding: encoder().encode(report).payload, as: UTF8.self)
  }

  private static func report(_ event: TripReport.Event, odometer: Double? = nil) -> Report {
    .trip(TripReport(event: event, trip: trip, created: WallTime(seconds: start + 900), odometer: odometer))
  }

  private static func alarm(_ kind: AlarmReport.Kind) -> Report {
    var fix = location().fix
    fix.speed = 20
    return .alarm(AlarmReport(kind: kind, fix: fix, created: fix.time))
  }

  @Test func theStartOfATrip() {
    #expect(
      Self.text(Self.report(.start)) == """
        {"_type":"trip","acc":5,"created_at":1700000900,"event":"start","id":"6553f100","lat":48.0,"lon":11.0,\
        "tid":"D","tst":1700000000}
        """)
  }

  @Test func theStopOfATrip() {
    #expect(
      Self.text(Self.report(.stop(.interrupted), odometer: 98_765)) == """
        {"_type":"trip","acc":5,"cause":"interrupted","created_at":1700000900,"distance":4322,"duration":600,\
        "event":"stop","from":{"lat":48.0,"lon":11.0,"tst":1700000000},"id":"6553f100","lat":48.0,"lon":11.0,\
        "odometer":98.8,"tid":"D","tst":1700000600}
        """)
  }

  // behaviour: Trips and alarms
  @Test func aTripIsAnEventAndNotRetained() {
    let message = encoder().encode(Self.report(.start))
    #expect(message.topic == "owntracks/u/d/trip" && message.isEvent && !message.isRetained)
  }

  @Test func aTow() {
    let kind = AlarmReport.Kind.tow(from: Self.mark(-900), metres: 104.7)
    #expect(
      Self.text(Self.alarm(kind)) == """
        {"_type":"alarm","acc":5,"alarm":"tow","distance":105,"event":"begin",\
        "from":{"lat":48.0,"lon":11.0,"tst":1699999100},"lat":48.0,"lon":11.0,"tid":"D","tst":1700000000,"vel":72}
        """)
  }

  @Test func theBeginningOfAnOverspeed() {
    let state = SpeedingState(start: Self.mark(-5), limit: 50, top: 20, region: "School")
    #expect(
      Self.text(Self.alarm(.speeding(state))) == """
        {"_type":"alarm","acc":5,"alarm":"overspeed","desc":"School","distance":0,\
        "event":"begin","from":{"lat":48.0,"lon":11.0,"tst":1699999995},"lat":48.0,"limit":50,\
        "lon":11.0,"tid":"D","tst":1700000000,"vel":72}
        """)
  }

  @Test func theEndOfAnOverspeed() {
    let state = SpeedingState(start: Self.mark(-65), limit: 50, top: 25, region: nil)
    #expect(
      Self.text(Self.alarm(.spedNoMore(state))) == """
        {"_type":"alarm","acc":5,"alarm":"overspeed","distance":0,"duration":65,"event":"end",\
        "from":{"lat":48.0,"lon":11.0,"tst":1699999935},"lat":48.0,"limit":50,"lon":11.0,"tid":"D","top":90,\
        "tst":1700000000,"vel":72}
        """)
  }

  @Test(arguments: HarshManoeuvre.Kind.allCases) func harshDriving(_ kind: HarshManoeuvre.Kind) {
    let manoeuvre = HarshManoeuvre(kind: kind, force: 0.4149, start: Self.mark(-1))
    #expect(
      Self.text(Self.alarm(.harsh(manoeuvre))) == """
        {"_type":"alarm","acc":5,"alarm":"\(kind.rawValue)","distance":0,"event":"begin",\
        "from":{"lat":48.0,"lon":11.0,"tst":1699999999},"g":0.41,"lat":48.0,"lon":11.0,"tid":"D","tst":1700000000,\
        "vel":72}
        """)
  }

  // behaviour: SOS
  @Test func aCallForHelp() {
    var state = SOSState()
    (state.start, state.times) = (Self.mark(-60), 2)
    func text(_ event: String) -> String {
      """
      {"_type":"alarm","acc":5,"alarm":"sos","count":2,"distance":0,"event":"\(event)",\
      "from":{"lat":48.0,"lon":11.0,"tst":1699999940},"lat":48.0,"lon":11.0,"tid":"D","tst":1700000000,"vel":72}
      """
    }
    #expect(Self.text(Self.alarm(.sos(state))) == text("repeat"))
    #expect(Self.text(Self.alarm(.helped(state))) == text("end"))
    state.times = 1
    #expect(Self.text(Self.alarm(.sos(state))).contains(#""count":1,"distance":0,"event":"begin""#))
  }

  @Test func aCallForHelpNeedsNeitherPlaceNorTime() {
    let begin = AlarmReport(kind: .sos(SOSState()), fix: nil, created: nil)
    #expect(
      Self.text(.alarm(begin)) == #"{"_type":"alarm","alarm":"sos","count":0,"event":"begin","tid":"D"}"#)
    let end = AlarmReport(kind: .helped(SOSState()), fix: nil, created: Self.mark(0).time)
    #expect(Self.text(.alarm(end)).hasSuffix(#""event":"end","tid":"D","tst":1700000000}"#))
  }

  // behaviour: Jamming and spoofing
  @Test func aReceiverThatIsDisturbed() {
    let state = InterferenceState(kind: .jamming, level: .critical, start: Self.mark(-60), since: nil)
    func text(_ event: String) -> String {
      """
      {"_type":"alarm","acc":5,"alarm":"jamming","distance":0,\(event),\
      "from":{"lat":48.0,"lon":11.0,"tst":1699999940},"lat":48.0,"lon":11.0,"state":"critical","tid":"D",\
      "tst":1700000000,"vel":72}
      """
    }
    #expect(Self.text(Self.alarm(.disturbed(state, isWorse: false))) == text(#""event":"begin""#))
    #expect(Self.text(Self.alarm(.disturbed(state, isWorse: true))) == text(#""event":"repeat""#))
    #expect(
      Self.text(Self.alarm(.undisturbed(state, seconds: 40.4))) == text(#""duration":40,"event":"end""#))
  }

  @Test func aReceiverThatIsSpoofedNeedsNoPlace() {
    let state = InterferenceState(kind: .spoofing, level: .warning, start: nil, since: nil)
    let begin = AlarmReport(kind: .disturbed(state, isWorse: false), fix: nil, created: Self.mark(0).time)
    #expect(
      Self.text(.alarm(begin)) == """
        {"_type":"alarm","alarm":"spoofing","event":"begin","state":"warning","tid":"D","tst":1700000000}
        """)
    let end = AlarmReport(kind: .undisturbed(state, seconds: 61), fix: nil, created: nil)
    #expect(
      Self.text(.alarm(end)) == """
        {"_type":"alarm","alarm":"spoofing","duration":61,"event":"end","state":"warning","tid":"D"}
        """)
  }

  // behaviour: Trips and alarms
  /// Who has one template for all of them finds what it names in each.
  @Test func alarmsShareTheirCommonKeys() throws {
    let state = SpeedingState(start: Self.mark(-65), limit: 50, top: 25, region: nil)
    for kind: AlarmReport.Kind in [
      .tow(from: Self.mark(-900), metres: 105), .speeding(state), .spedNoMore(state),
      .anchor(from: Self.mark(-900), metres: 60),
      .harsh(HarshManoeuvre(kind: .braking, force: 0.4, start: Self.mark(-1))), .sos(SOSState()),
      .disturbed(.init(kind: .jamming, level: .warning, start: nil, since: nil), isWorse: false),
    ] {
      let message = try JSON.parse(encoder().encode(Self.alarm(kind)).payload)
      for key in ["alarm", "event", "acc", "lat", "lon", "tst", "tid", "from", "distance"] {
        #expect(message[key] != nil, "\(key) of \(message)")
      }
    }
  }

  @Test func anAlarmIsAnEventAndNotRetained() {
    let message = encoder().encode(Self.alarm(.tow(from: Self.mark(0), metres: 100)))
    #expect(message.topic == "owntracks/u/d/alarm" && message.isEvent && !message.isRetained)
  }

  @Test func theOdometerIsInKilometres() throws {
    #expect(try payload { $0.odometer = 1_234_567 }["odometer"]?.double == 1234.6)
  }

  @Test func noOdometerNoKey() throws {
    #expect(try payload()["odometer"] == nil)
  }

  @Test func aLimitGoesWithTheWaypoint() throws {
    var region = home
    region.speedLimit = 30
    #expect(try payload(encoder().encode(.waypoint(region)))["speedLimit"]?.int == 30)
    #expect(try payload(encoder().encode(.waypoint(home)))["speedLimit"] == nil)
  }

  @Test func aLimitIsReadBack() throws {
    var region = home
    region.speedLimit = 30
    let decoded = Waypoints.decode(.array([Waypoints.object(region)]))
    #expect(decoded.entries.first?.speedLimit == 30)
  }

  @Test(arguments: ["-1", "501", "\"fast\"", "true"])
  func aLimitThatIsNoneIsRefused(_ limit: String) throws {
    let text =
      #"[{"_type":"waypoint","desc":"Home","lat":48,"lon":11,"rad":100,"tst":1,"speedLimit":\#(limit)}]"#
    let decoded = Waypoints.decode(try JSON.parse(Array(text.utf8)))
    #expect(decoded.entries.isEmpty && decoded.problems.first?.reason.contains("speedLimit") == true)
  }

  @Test func aLimitFromTheCommandLine() throws {
    let request = try tracked(["region", "set", "Town", "--speed-limit", "50"])
    guard case .regionSet("Town", let edit) = request else {
      Issue.record("\(request)")
      return
    }
    #expect(edit.speedLimit == 50)
    #expect(throws: ControlError.self) {
      try tracked(["region", "set", "Town", "--speed-limit", "501"])
    }
  }

  // behaviour: Private regions
  @Test func privacyGoesWithTheWaypointAndIsReadBack() throws {
    var region = home
    #expect(try payload(encoder().encode(.waypoint(region)))["private"] == nil)
    #expect(Waypoints.decode(.array([Waypoints.object(region)])).entries.first?.isPrivate == nil)
    region.isPrivate = true
    #expect(try payload(encoder().encode(.waypoint(region)))["private"]?.flag == true)
    #expect(Waypoints.decode(.array([Waypoints.object(region)])).entries.first?.isPrivate == true)
    let wrong = #"[{"_type":"waypoint","desc":"Home","lat":48,"lon":11,"rad":100,"tst":1,"private":"x"}]"#
    let decoded = Waypoints.decode(try JSON.parse(Array(wrong.utf8)))
    #expect(decoded.problems.first?.reason == "private is neither true nor false")
  }

  // behaviour: Private regions
  @Test func privacyFromTheCommandLine() throws {
    guard case .regionSet(_, let edit) = try tracked(["region", "set", "Home", "--private", "no"]),
      case .regionAdd(let entry, _) = try tracked(["region", "add", "Home", "--private", "yes"])
    else {
      Issue.record("other requests")
      return
    }
    #expect(edit.isPrivate == false && entry.isPrivate == true)
    #expect(throws: ControlError.self) { try tracked(["region", "set", "Home", "--private", "2"]) }
  }

  @Test func aDwellGoesWithTheWaypointAndIsReadBack() throws {
    var region = home
    #expect(try payload(encoder().encode(.waypoint(region)))["dwell"] == nil)
    region.dwell = 90
    #expect(try payload(encoder().encode(.waypoint(region)))["dwell"]?.int == 90)
    #expect(Waypoints.decode(.array([Waypoints.object(region)])).entries.first?.dwell == 90)
  }

  private func decoded(_ fields: String) throws -> Waypoints.Decoded {
    let text = #"[{"_type":"waypoint","desc":"Home","lat":48,"lon":11,"tst":1,\#(fields)}]"#
    return Waypoints.decode(try JSON.parse(Array(text.utf8)))
  }

  // behaviour: Dwell
  @Test(arguments: ["-1", "86401", "\"long\"", "true", "[60]", "1e300"])
  func aDwellThatIsNoneIsRefused(_ dwell: String) throws {
    let found = try decoded(#""rad":100,"dwell":\#(dwell)"#)
    #expect(found.entries.isEmpty)
    let problem = try #require(found.problems.first).description
    #expect(problem.hasPrefix("waypoints[0] \"Home\": dwell is "))
    #expect(problem.hasSuffix(", not a number of seconds from 0 to 86400"))
  }

  // behaviour: Dwell
  @Test func onlyCirclesAndAreasHaveADwell() throws {
    #expect(try decoded(#""rad":100,"dwell":"60""#).entries.first?.dwell == 60)
    #expect(try decoded(#""rad":0,"dwell":0"#).entries.first?.dwell == 0)
    #expect(try decoded(#""polygon":[[0,0],[1,0],[0,1]],"dwell":60"#).entries.first?.dwell == 60)
    for fields in [
      #""rad":0"#, #""rad":-1,"uuid":"CA271EAE-5FA8-4E80-8F08-2A302A95A959""#, #""rad":100,"desc":"+Car""#,
    ] {
      let found = try decoded(fields + #","dwell":60"#)
      #expect(
        found.problems.first?.reason.hasPrefix("a dwell is only for a circle") == true, "\(found)")
    }
  }

  @Test func aDwellFromTheCommandLine() throws {
    guard case .regionSet(_, let edit) = try tracked(["region", "set", "Home", "--dwell", "0"]),
      case .regionAdd(let entry, _) = try tracked(["region", "add", "Home", "--dwell", "86400"])
    else {
      Issue.record("other requests")
      return
    }
    #expect(edit.dwell == 0 && entry.dwell == 86_400)
    for bad in ["-1", "86401", "soon"] {
      #expect(throws: ControlError.self) { try tracked(["region", "set", "Home", "--dwell", bad]) }
    }
  }
}
