import Model
import Testing
import Timebase

@testable import Storage

/// What a field may hold, exactly at each end and one beside it.
struct StoreRecordLimitTests {
  private func region(_ change: (inout Region) -> Void, _ presence: Presence = .inside) -> Snapshot
    .KnownRegion?
  {
    var region = Sample.region(1)
    change(&region)
    return StoreRecord.encoding(.region(region, presence), revision: 1).knownRegion
  }

  private func journey(_ change: (inout JourneyState) -> Void) -> JourneyState? {
    var state = JourneyState()
    change(&state)
    return StoreRecord.encoding(.journey(state), revision: 1).journey
  }

  private func point(_ change: (inout LocationReport) -> Void) -> LocationReport? {
    var report = Sample.location()
    change(&report)
    return StoreRecord.encoding(.history(report), revision: 1).historyPoint?.report
  }

  @Test func limitsOfSpeedAreOneTo500() {
    for (limit, kept) in [(0, nil), (1, 1), (500, 500), (501, nil)] as [(Int, Int?)] {
      let known = region { $0.speedLimit = limit }
      #expect(known?.region.speedLimit == kept && known?.presence == .inside)
    }
  }

  @Test func dwellsAreASecondToADay() {
    for (dwell, kept) in [(0, nil), (1, 1), (86_400, 86_400), (86_401, nil)] as [(Int, Int?)] {
      let known = region { $0.dwell = dwell }
      #expect(known != nil && known?.region.dwell == kept)
    }
  }

  @Test func timesEndBeforeTheYear5138() throws {
    let last = 1e11.nextDown
    for (seconds, isTime) in [(last, true), (1e11, false), (-last, true), (-1e11, false)] {
      var fix = Sample.fix()
      fix.time = WallTime(seconds: seconds)
      let back = StoreRecord.encoding(.position(fix), revision: 1).fix
      #expect(back == (isTime ? fix : nil))
    }
  }

  /// A time of making that is none costs itself alone, and one of a dwell leaves the region.
  @Test func timesThatMayBeMissingCostThemselves() {
    let report = point { $0.created = WallTime(seconds: 1e11) }
    #expect(report == Sample.location())
    let known = region({ $0.dwell = 60 }, .dwelling(since: WallTime(seconds: .nan)))
    #expect(known?.presence == .unknown && known?.region.dwell == 60)
  }

  @Test func metresAreNothingToAThousandMillionKilometres() {
    for (metres, kept) in [(0, 0), (1e12.nextDown, 1e12.nextDown), (1e12, nil), (-0.5, nil), (.nan, nil)]
      as [(Double, Double?)]
    {
      var place = TrackPoint(Sample.fix())
      place.accuracy = metres
      let state = journey {
        $0.odometer = metres
        $0.place = place
        $0.speeding = SpeedingState(start: TrackPoint(Sample.fix()), limit: 50, top: metres, region: nil)
      }
      #expect(state?.odometer == kept ?? 0 && state?.place?.accuracy == kept && state?.speeding?.top == kept)
    }
  }

  @Test func standingRequiresAPlace() {
    #expect(journey { $0.isStanding = true } == JourneyState())
    let place = TrackPoint(Sample.fix())
    #expect(journey { ($0.isStanding, $0.place) = (true, place) }?.isStanding == true)
    #expect(journey { ($0.isStanding, $0.place) = (false, place) }?.isStanding == false)
  }

  @Test func placesThatAreNoneCostTheirPartAlone() {
    var nowhere = TrackPoint(Sample.fix())
    nowhere.time = WallTime(seconds: .infinity)
    let place = TrackPoint(Sample.fix(1))
    let state = journey {
      ($0.odometer, $0.place, $0.fence) = (7, nowhere, place)
      $0.trip = TripState(start: nowhere, last: place, distance: 1)
      $0.speeding = SpeedingState(start: place, limit: 50, top: 20, region: nil)
    }
    #expect(state?.odometer == 7 && state?.place == nil && state?.fence == place && state?.trip == nil)
    #expect(state?.speeding?.start == place)
    let other = journey {
      $0.fence = nowhere
      $0.trip = TripState(start: place, last: nowhere, distance: 1)
      $0.speeding = SpeedingState(start: nowhere, limit: 50, top: 20, region: nil)
    }
    #expect(other == JourneyState())
  }

  @Test func numbersThatAreNoneAreNoRegions() {
    for radius in [Double.infinity, -.infinity] { #expect(region { $0.radius = radius } == nil) }
    var noted = Sample.region(1)
    noted.radius = .infinity
    let entered = [
      EnteredRegion(region: Sample.region(2), isChanged: true), .init(region: noted, isChanged: true),
    ]
    #expect(StoreRecord.encoding(.entered(entered), revision: 1).entered == nil)
  }

  // MARK: Numbers that are permanent

  /// The byte behind the head of a point is the trigger's, and the one behind it the mode's.
  @Test func everyTriggerHasItsNumber() throws {
    let triggers: [Trigger] = [
      .automatic, .user, .remote, .timer, .ping, .circular, .follow, .beacon, .tow, .overspeed,
      .ignition(isOn: true), .ignition(isOn: false), .power(isOn: false), .power(isOn: true),
      .harsh(.braking), .harsh(.acceleration), .harsh(.cornering), .lowBattery, .batteryWell, .sos,
    ]
    let head = DiskBytes.i64(0) + DiskBytes.fix(1) + DiskBytes.real(1_700_000_001) + DiskBytes.none
    // Neither battery nor network, pressure, regions, remark or tag.
    let tail: [UInt8] = [0, 0, 0] + DiskBytes.u32(0) + [0, 0]
    for (number, trigger) in triggers.enumerated() {
      let record = StoreRecord(.history, revision: 1) { $0.raw(head + [UInt8(number), 2] + tail) }
      let report = try #require(record.historyPoint?.report)
      #expect(report.trigger == trigger && report.mode == .move)
      #expect(StoreRecord.encoding(.history(report), revision: 1).bytes == record.bytes)
    }
    // One of a later version, and a mode of one.
    for (trigger, mode) in [(20, 2), (255, 2), (0, 3), (0, 0xFE)] as [(UInt8, UInt8)] {
      #expect(
        StoreRecord(.history, revision: 1) { $0.raw(head + [trigger, mode] + tail) }.historyPoint == nil)
    }
  }

  @Test func everyNetworkHasItsNumber() throws {
    let networks: [(Network, [UInt8])] = [
      (.unknown, [0]), (.none, [1]), (.wifi(ssid: nil, bssid: "b"), [2, 0, 1] + DiskBytes.text("b")),
      (.wifi(ssid: "s", bssid: nil), [2, 1] + DiskBytes.text("s") + [0]), (.mobile, [3]), (.wired, [4]),
    ]
    let head =
      DiskBytes.i64(0) + DiskBytes.fix(1) + DiskBytes.real(1_700_000_001) + DiskBytes.none + [3, 2, 0]
    let tail: [UInt8] = [0] + DiskBytes.u32(0) + [0, 0]
    for (network, bytes) in networks {
      let record = StoreRecord(.history, revision: 1) { $0.raw(head + bytes + tail) }
      let report = try #require(record.historyPoint?.report)
      #expect(report.network == network)
      #expect(StoreRecord.encoding(.history(report), revision: 1).bytes == record.bytes)
    }
    let later = StoreRecord(.history, revision: 1) { $0.raw(head + [5] + tail) }
    #expect(later.historyPoint?.report.network == .unknown)
  }

  @Test func batteriesComeBackInEveryState() {
    for state in [Battery.State.unknown, .unplugged, .charging, .full] {
      for level in [0, 1, 100] {
        let battery = Battery(level: level, state: state)
        #expect(point { $0.battery = battery }?.battery == battery)
      }
    }
    #expect(point { $0.battery = Battery(level: 101, state: .full) }?.battery?.level == 100)
  }

  /// Five bytes each, and two behind all of them.
  @Test func regionsWithoutNamesComeBack() {
    for count in [0, 1, 3, 40] {
      let inside = [LocationReport.InsideRegion](repeating: .init(name: nil, rid: ""), count: count)
      #expect(point { $0.inside = inside }?.inside == inside)
    }
  }

  @Test func aModeOfALaterVersionIsNone() {
    for mode in [3, 0xFE] as [UInt8] {
      #expect(StoreRecord(.mode, revision: 1) { $0.raw([mode, 0, 0, 0]) }.modeState == nil)
      let configured = StoreRecord(.mode, revision: 1) { $0.raw([2, 0, 0, 1, mode]) }.modeState
      #expect(configured == ModeState(mode: .move))
    }
  }

  @Test func aPresenceOfALaterVersionIsFoundOutAnew() throws {
    let bytes = StoreRecord.encoding(.region(Sample.region(1), .inside), revision: 1).bytes
    var fields = Array(bytes[StoreRecord.headerSize...])
    // Behind the key and its length.
    fields[8] = 4
    let known = try #require(StoreRecord(.region, revision: 1) { $0.raw(fields) }.knownRegion)
    #expect(known.presence == .unknown && known.region == Sample.region(1))
    // A time without the presence that it belongs to is passed over.
    let since = DiskBytes.u32(0) + [4] + DiskBytes.real(1_700_000_000)
    #expect(StoreRecord(.region, revision: 1) { $0.raw(fields + since) }.knownRegion?.presence == .unknown)
  }

  // MARK: Rows of them

  @Test func neighboursAreRemovedAsOneRun() {
    let runs: [([UInt64], [ClosedRange<UInt64>])] = [
      ([], []), ([7], [7...7]), ([3, 1, 2], [1...3]), ([1, 3], [1...1, 3...3]), ([5, 5, 4, 5], [4...5]),
      ([8, 1, 2, 9, 4], [1...2, 4...4, 8...9]),
    ]
    for (sequences, ranges) in runs {
      #expect(StoreRecord.encoding(.remove(sequences), revision: 1).removedRanges == ranges)
    }
  }

  @Test func aRangeBeginsBehindItsFirstNumber() {
    func ranges(_ after: UInt64, _ through: UInt64) -> [ClosedRange<UInt64>]? {
      StoreRecord.encoding(.removeRange(after: after, through: through), revision: 1).removedRanges
    }
    #expect(ranges(4, 9) == [5...9] && ranges(4, 5) == [5...5])
    #expect(ranges(4, 4) == [] && ranges(5, 4) == [] && ranges(.max, .max) == [])
    #expect(ranges(.max - 1, .max) == [.max ... .max])
  }

  @Test func aRunTheWrongWayRoundIsItsFirstNumber() {
    let record = StoreRecord(.remove, revision: 1) {
      $0.raw(DiskBytes.u32(1) + DiskBytes.i64(9) + DiskBytes.i64(4))
    }
    #expect(record.removedRanges == [9...9])
  }

  @Test func aPartTheWrongWayRoundIsNone() {
    for (numbers, times) in [
      ((3, 2), (1.0, 2.0)), ((2, 3), (2, 1)), ((2, 3), (.nan, 1)), ((2, 3), (1, .nan)),
    ]
      as [((Int, Int), (Double, Double))]
    {
      let record = StoreRecord(.pointsRemoved, revision: 1) {
        $0.raw(DiskBytes.i64(numbers.0) + DiskBytes.i64(numbers.1))
        $0.raw(DiskBytes.real(times.0) + DiskBytes.real(times.1))
      }
      #expect(record.removedPart == nil)
    }
  }

  @Test func onePlaceThatIsNoneMakesAllThatWereEnteredUnknown() throws {
    let all = (1...2).map { EnteredRegion(region: Sample.region($0), isChanged: false) }
    let bytes = StoreRecord.encoding(.entered(all), revision: 1).bytes
    var fields = Array(bytes[StoreRecord.headerSize...])
    // Count, flag, key and name of the first, then its latitude.
    let latitude = 4 + 1 + (4 + 4) + (4 + "Place 1|in|out".utf8.count)
    fields.replaceSubrange(latitude..<(latitude + 8), with: DiskBytes.real(91))
    #expect(StoreRecord(.entered, revision: 1) { $0.raw(fields) }.entered == nil)
  }
}
