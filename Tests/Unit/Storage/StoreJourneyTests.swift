import Model
import TestSupport
import Testing
import Timebase

@testable import Storage

/// Odometer, trip, parking place and speed limits on the disk.
struct StoreJourneyTests {
  private static let mark = TrackPoint(Sample.fix(3))

  private static let full: JourneyState = {
    var state = JourneyState()
    state.odometer = 123_456_789.25
    state.place = mark
    state.isStanding = true
    state.fence = TrackPoint(Sample.fix(4))
    state.trip = TripState(start: mark, last: TrackPoint(Sample.fix(60)), distance: 812.5)
    state.speeding = SpeedingState(start: mark, limit: 50, top: 21.5, region: "School")
    return state
  }()

  @Test func aJourneyComesBack() throws {
    let directory = StoreDirectory()
    let store = try StoreFile(directory: directory.path)
    try store.apply([.journey(Self.full)])
    store.close()
    #expect(try StoreFile(directory: directory.path).snapshot().journey == Self.full)
  }

  // behaviour: SOS
  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
  func aCallForHelpComesBackBesideWhateverElse(_ hasAnchor: Bool, _ hasHours: Bool) throws {
    let directory = StoreDirectory()
    let store = try StoreFile(directory: directory.path)
    for start in [nil, Self.mark] {
      var state = Self.full
      if hasAnchor { state.anchor = AnchorState(place: Self.mark, isDragging: false) }
      if hasHours { state.engineSeconds = 7.5 }
      var sos = SOSState()
      (sos.start, sos.times) = (start, 61)
      state.sos = sos
      try store.apply([.journey(state)])
      #expect(try store.snapshot().journey == state)
    }
  }

  @Test func emptyJourneyIsReadBack() throws {
    let directory = StoreDirectory()
    let store = try StoreFile(directory: directory.path)
    #expect(try store.snapshot().journey == JourneyState(), "none was written")
    for state in [Self.full, JourneyState()] {
      try store.apply([.journey(state)])
      #expect(try store.snapshot().journey == state)
    }
    store.close()
    #expect(try StoreFile(directory: directory.path).snapshot().journey == JourneyState())
  }

  /// What a power cut may not take: it is synced.
  @Test func aJourneyOutlivesThePowerCut() throws {
    let directory = StoreDirectory()
    let store = try StoreFile(directory: directory.path)
    try store.apply([.journey(Self.full)])
    let copy = directory.copy()
    #expect(try StoreFile(directory: copy.path).snapshot().journey == Self.full)
  }

  /// The newest one, wherever older copies lie.
  @Test func aJourneyIsSavedFromADamagedStore() throws {
    let directory = StoreDirectory()
    let store = try StoreFile(directory: directory.path)
    for number in 1...3 {
      var state = Self.full
      state.odometer = Double(number)
      try store.apply([.journey(state), .insert(Sample.message(UInt64(number)))])
      try store.checkpoint()
    }
    store.close()
    var bytes = readFile(directory.tables)
    for index in 0..<100 { bytes[index] = 0xAA }
    writeFile(bytes, to: directory.tables)
    let repaired = try StoreFile(directory: directory.path)
    #expect(!repaired.takeNotices().isEmpty)
    #expect(try repaired.snapshot().journey.odometer == 3)
  }

  @Test(arguments: [Double.nan, -1, 1e300])
  func anOdometerThatIsNoneIsZero(_ metres: Double) throws {
    var state = Self.full
    state.odometer = metres
    let back = try #require(StoreRecord.encoding(.journey(state), revision: 1).journey)
    #expect(back.odometer == 0 && back.trip == state.trip)
  }

  @Test func aTripOfNoLengthIsNone() throws {
    var state = Self.full
    state.trip?.distance = .nan
    let back = try #require(StoreRecord.encoding(.journey(state), revision: 1).journey)
    #expect(back.trip == nil && back.speeding == state.speeding)
  }

  @Test func halfAJourneyIsNone() {
    let bytes = StoreRecord.encoding(.journey(Self.full), revision: 1).bytes
    let half = StoreRecord(.journey, revision: 1) {
      $0.raw(Array(bytes[StoreRecord.headerSize..<(bytes.count - 1)]))
    }
    #expect(half.journey == nil)
  }

  @Test func aSpeedLimitComesBack() {
    var region = Sample.region(1)
    region.speedLimit = 30
    let record = StoreRecord.encoding(.region(region, .inside), revision: 1)
    #expect(record.knownRegion == Snapshot.KnownRegion(region: region, presence: .inside))
  }

  /// Records of before there were limits end there, and regions without one are written as ever.
  @Test func aRegionWithoutALimitIsWrittenAsEver() {
    var region = Sample.region(1)
    let before = StoreRecord.encoding(.region(region, .inside), revision: 1)
    #expect(before.knownRegion?.region.speedLimit == nil)
    region.speedLimit = 30
    #expect(StoreRecord.encoding(.region(region, .inside), revision: 1).bytes.count == before.bytes.count + 4)
  }

  @Test func edgesComeBack() throws {
    var region = Sample.region(1)
    let corners = [(48.1234567, 11.7), (48.2, -179.9999999), (48.3, 179)].map {
      Coordinate(latitude: $0.0, longitude: $0.1)!
    }
    #expect(throws: Polygon.Refusal.tooLarge) { try Polygon(corners) }
    region.polygon = try Polygon([corners[1], corners[2], Coordinate(latitude: 47, longitude: 179.5)!])
    for limit in [nil, 30] {
      region.speedLimit = limit
      let record = StoreRecord.encoding(.region(region, .inside), revision: 1)
      #expect(record.knownRegion == Snapshot.KnownRegion(region: region, presence: .inside))
    }
  }

  // behaviour: Private regions
  @Test(arguments: [nil, 30])
  func aPrivateRegionComesBack(_ limit: Int?) {
    var region = Sample.region(1)
    (region.isPrivate, region.speedLimit) = (true, limit)
    let record = StoreRecord.encoding(.region(region, .inside), revision: 1)
    #expect(record.knownRegion == Snapshot.KnownRegion(region: region, presence: .inside))
  }

  // behaviour: Dwell
  @Test func aDwellAndSinceWhenItLastsComeBack() throws {
    var region = Sample.region(1)
    let corners = [(48, 11), (48, 11.1), (48.1, 11)].map { Coordinate(latitude: $0.0, longitude: $0.1)! }
    let edges = try Polygon(corners)
    for (dwell, limit, polygon) in [(60, nil, nil), (nil, 30, nil), (86_400, 30, edges)]
      as [(Int?, Int?, Polygon?)]
    {
      (region.dwell, region.speedLimit, region.polygon) = (dwell, limit, polygon)
      for presence in [Presence.outside, .dwelling(since: WallTime(seconds: 1_700_000_010.25))] {
        let record = StoreRecord.encoding(.region(region, presence), revision: 1)
        #expect(record.knownRegion == Snapshot.KnownRegion(region: region, presence: presence))
      }
    }
  }

  // behaviour: Dwell
  /// A version without dwells reads no further than to the first mark that it does not know: it loses nothing else.
  @Test func dwellIsAppendedAfterOlderFields() {
    var region = Sample.region(1)
    (region.isPrivate, region.speedLimit) = (true, 30)
    let before = StoreRecord.encoding(.region(region, .outside), revision: 1).bytes
    region.dwell = 60
    let after = StoreRecord.encoding(.region(region, .outside), revision: 1).bytes
    let body = StoreRecord.headerSize
    #expect(after.count == before.count + 5 && after[body..<before.count] == before[body...])
  }

  @Test(arguments: [0, -60, 86_401])
  func aDwellThatIsNoneIsNone(_ dwell: Int) {
    var region = Sample.region(1)
    region.dwell = dwell
    let record = StoreRecord.encoding(.region(region, .inside), revision: 1)
    #expect(record.knownRegion?.region == Sample.region(1))
  }

  @Test func aLimitThatIsNoneIsNone() {
    var region = Sample.region(1)
    region.speedLimit = -30
    let record = StoreRecord.encoding(.region(region, .inside), revision: 1)
    #expect(record.knownRegion?.region == Sample.region(1))
  }
}
