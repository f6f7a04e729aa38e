import Model
import Testing
import Timebase

@testable import OwnTracks

/// Numbers at their limits, keys that are left out, and what the owner adds.
struct MessageLimitTests {
  /// A tenth of a metre is six decimals; a seventh would be noise that everybody pays for.
  private let place = Coordinate(latitude: 48.1234567, longitude: -11.7654321)!

  private var mark: TrackPoint {
    TrackPoint(time: WallTime(seconds: start - 60), coordinate: place, accuracy: 4.2)
  }

  private func written(_ report: Report, _ encoder: Encoder = encoder()) -> String {
    text(encoder.encode(report).payload)
  }

  private var fix: Fix { Fix(time: WallTime(seconds: start), coordinate: place, accuracy: 5) }

  // MARK: Journeys

  @Test func placesOfJourneysHaveSixDecimals() {
    var last = mark
    last.time = WallTime(seconds: start)
    let trip = TripState(start: mark, last: last, distance: 2e9)
    #expect(
      written(.trip(TripReport(event: .stop(.parked), trip: trip, created: nil, odometer: 0))) == """
        {"_type":"trip","acc":5,"cause":"parked","distance":0,"duration":60,"event":"stop",\
        "from":{"lat":48.123457,"lon":-11.765432,"tst":1699999940},"id":"6553f0c4","lat":48.123457,\
        "lon":-11.765432,"odometer":0.0,"tid":"D","tst":1700000000}
        """)
    #expect(
      written(.trip(TripReport(event: .start, trip: trip, created: nil))) == """
        {"_type":"trip","acc":5,"event":"start","id":"6553f0c4","lat":48.123457,"lon":-11.765432,"tid":"D",\
        "tst":1699999940}
        """)
    let tow = AlarmReport(
      kind: .tow(from: mark, metres: .infinity), fix: fix, created: WallTime(seconds: start + 9))
    #expect(
      written(.alarm(tow)) == """
        {"_type":"alarm","acc":5,"alarm":"tow","created_at":1700000009,"distance":0,"event":"begin",\
        "from":{"lat":48.123457,"lon":-11.765432,"tst":1699999940},"lat":48.123457,"lon":-11.765432,\
        "tid":"D","tst":1700000000}
        """)
  }

  @Test func theEndOfAnOverspeedNamesItsRegion() {
    let state = SpeedingState(start: mark, limit: 50, top: 25, region: "School")
    #expect(
      written(.alarm(AlarmReport(kind: .spedNoMore(state), fix: fix, created: nil))) == """
        {"_type":"alarm","acc":5,"alarm":"overspeed","desc":"School","distance":0,"duration":60,"event":"end",\
        "from":{"lat":48.123457,"lon":-11.765432,"tst":1699999940},"lat":48.123457,"limit":50,\
        "lon":-11.765432,"tid":"D","top":90,"tst":1700000000}
        """)
  }

  @Test func journeyStatusOmitsUnsetFields() {
    var (status, record) = (JourneyStatus(), StatusRecord())
    record.take(status)
    #expect(record.answer == [:])
    status.odometer = 1_234_567
    status.trip = TripState(
      start: mark, last: TrackPoint(time: WallTime(seconds: start), coordinate: place, accuracy: 5),
      distance: 99.6)
    status.speeding = SpeedingState(start: mark, limit: 50, top: 25, region: nil)
    status.isGuarded = true
    (status.anchor, status.anchorAlarm) = (AnchorState(place: mark, isDragging: true), 60)
    var sos = SOSState()
    (sos.start, sos.times) = (mark, 3)
    status.sos = sos
    status.jamming = InterferenceState(
      kind: .jamming, level: .critical, start: mark, since: WallTime(seconds: start))
    status.spoofing = InterferenceState(kind: .spoofing, level: .warning, start: nil, since: nil)
    record.take(status)
    #expect(
      record.answer.description == """
        {"anchor":{"alarm":60,"dragging":true,"lat":48.123457,"lon":-11.765432,"since":1699999940},\
        "guarded":true,"jamming":{"since":1700000000,"state":"critical"},"odometer":1234.6,\
        "sos":{"since":1699999940,"times":3},"speeding":{"limit":50},"spoofing":{"state":"warning"},\
        "trip":{"distance":100,"duration":60,"id":"6553f0c4","since":1699999940}}
        """)
  }

  // MARK: Locations, transitions, beacons

  @Test func aPictureGoesWithItsName() throws {
    let json = try payload { $0.image = AttachedImage(data: "QUJD", name: "a.jpg") }
    #expect(json["image"] == "QUJD" && json["imagename"] == "a.jpg")
  }

  @Test func placesHaveSixDecimalsAndNoMinusZero() {
    let there = written(.location(location { $0.fix.coordinate = place }))
    #expect(there.contains(#""lat":48.123457,"lon":-11.765432,"#))
    let origin = Coordinate(latitude: -0.0000001, longitude: 0)!
    #expect(
      written(.location(location { $0.fix.coordinate = origin })).contains(#""lat":0.0,"lon":0.0,"#))
    let crossed = written(transition { $0.coordinate = place })
    #expect(crossed.contains(#""lat":48.123457,"lon":-11.765432,"#))
  }

  @Test func courseIsSentFromHalfAMetrePerSecond() throws {
    func course(_ degrees: Double, _ speed: Double?) throws -> JSON? {
      try payload { ($0.fix.course, $0.fix.speed) = (degrees, speed) }["cog"]
    }
    #expect(try course(90, 0.5) == 90 && course(90, 0.49) == nil && course(90, nil) == 90)
    #expect(try course(0.4, 1) == 0 && course(-1, 1) == nil && course(360, 1) == 0)
    #expect(try course(359.4, 1) == 359)
  }

  @Test func aSpeedIsNeverNegative() throws {
    #expect(try payload { $0.fix.speed = -1 }["vel"] == nil)
    #expect(try payload { $0.fix.speed = 0.1 }["vel"] == 0)
  }

  @Test func anErrorOfTheHeightIsTheNearestMetre() throws {
    #expect(try payload { $0.fix.verticalAccuracy = 1.6 }["vac"] == 2)
    #expect(try payload { $0.fix.verticalAccuracy = 0.5 }["vac"] == 1)
    #expect(try payload { $0.fix.verticalAccuracy = -0.1 }["vac"] == nil)
  }

  @Test func distancesBeyondAllReasonAreFarAway() throws {
    func acc(_ metres: Double) throws -> Int? {
      let beacon = BeaconNumber(uuid: BeaconUUID(high: 1, low: 2), major: 0, minor: 65_535)
      let report = BeaconReport(
        beacon: beacon, distance: metres, rssi: -65, time: WallTime(seconds: start), region: nil)
      return try payload(encoder().encode(.beacon(report)))["acc"]?.int
    }
    #expect(try acc(999_999_999) == 999_999_999 && acc(1e9) == 1_000_000 && acc(.infinity) == 1_000_000)
    let near = encoder { $0.beacons.accuracyDecimals = 1 }
    let beacon = BeaconNumber(uuid: BeaconUUID(high: 1, low: 2), major: 0, minor: 0)
    let report = BeaconReport(
      beacon: beacon, distance: 0.04, rssi: -65, time: WallTime(seconds: start), region: nil)
    #expect(try payload(near.encode(.beacon(report)))["acc"] == 0.1)
  }

  @Test func withoutATrackerIDThereIsNoKeyOfIt() throws {
    let nameless = encoder { $0.messages.topicBase = "/" }
    #expect(nameless.topics.trackerID.isEmpty)
    let beacon = BeaconNumber(uuid: BeaconUUID(high: 1, low: 2), major: 0, minor: 0)
    let reports: [Report] = [
      .location(location()), transition(), .card(FriendCard()),
      .trip(TripReport(event: .start, trip: TripState(start: mark, last: mark, distance: 0), created: nil)),
      .beacon(
        BeaconReport(beacon: beacon, distance: 1, rssi: -65, time: WallTime(seconds: start), region: nil)),
    ]
    for report in reports { #expect(try payload(nameless.encode(report))["tid"] == nil) }
  }

  // MARK: What the owner adds

  @Test(arguments: ["a", "~", "!", "rpm", "x.y", "lat2", String(repeating: "k", count: 64)])
  func aKeyOfTheOwnersIsAllowed(_ name: String) { #expect(ExtraValue.isAllowed(name)) }

  @Test(arguments: [
    "_a", ".a", " ", "a\u{7f}", "a\u{1f}b", String(repeating: "k", count: 65), "vel", "topic",
  ])
  func reservedOrInvalidExtraKeyIsRejected(_ name: String) { #expect(!ExtraValue.isAllowed(name)) }

  @Test func aValueHas1024BytesAtMost() {
    let longest = String(repeating: "A", count: 1024)
    #expect(ExtraValue.value(bytes(longest)) == .string(longest))
    #expect(ExtraValue.value(bytes(longest + "A")) == nil)
    #expect(ExtraValue.reason(for: bytes(longest)) == "nothing in it: left out")
    #expect(ExtraValue.reason(for: bytes(longest + "A")) == "more than 1024 bytes: left out")
    #expect(ExtraValue.fileLimit == 32)
  }

  @Test func anAddedObjectIsWrittenWithSortedKeys() {
    let encoder = encoder()
    encoder.additions.extras = [("rig", ["b": 1, "a": [true, nil, "x"]])]
    #expect(written(.location(location()), encoder).hasSuffix(#","rig":{"a":[true,null,"x"],"b":1}}"#))
  }

  @Test func theOwnersIgnitionAndMotionCount() throws {
    let encoder = encoder()
    encoder.additions.extras = [("ign", "on"), ("motion", 1)]
    let report = location { $0.vehicle = VehicleWords(ignition: true, volts: 12, isMoving: true) }
    let json = try payload(encoder.encode(.location(report)))
    #expect(json["ign"] == "on" && json["motion"] == 1 && json["uext"] == 12.0)
    #expect(Set(keys(json)).count == keys(json).count)
  }

  // MARK: Home Assistant's ids

  @Test func anIDHasEightDigitsOfItsOwn() {
    func node(_ base: String, board: String = "5f") -> Substring {
      let additions = Encoder.Additions()
      additions.board.number = board
      let settings = configured { $0.messages.topicBase = base }
      let encoder = Encoder(settings, hostName: "", additions: additions)
      return encoder.encode(.discovery(.init(.seen))).topic.split(separator: "/")[2]
    }
    // FNV-1a of what follows the number; the eighth digit is a 0 that must not be missing.
    #expect(node("v50") == "homeward_5f_093fdaa6" && node("v51") == "homeward_5f_0a3fdc39")
    #expect(node("v50", board: "5-\u{e4}f_9").hasPrefix("homeward_5f9_"))
  }

  @Test func anEntitysIDIsReadable() throws {
    func id(_ name: String) throws -> String? {
      let settings = configured { $0.identity.deviceId = "Van  7-b" }
      let encoder = Encoder(settings, hostName: "")
      let message = encoder.encode(.discovery(.init(.region(rid: "ab", name: name))))
      return try payload(message)["object_id"]?.text
    }
    #expect(try id("Main St. 5") == "van_7_b_main_st_5")
    #expect(try id("\u{e4}\u{f6}\u{fc}") == "van_7_b_region_ab" && id("a") == "van_7_b_a")
  }
}
