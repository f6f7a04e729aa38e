import Model
import Testing
import Timebase

@testable import Storage

/// Boards are updated with years of records on them: every byte lies where it has always lain.
struct StoreRecordFormTests {
  private typealias Disk = DiskBytes

  private static func fix(_ number: Int) -> Fix {
    Fix(
      time: WallTime(seconds: 1_700_000_000 + Double(number)),
      coordinate: Coordinate(latitude: 52.5, longitude: 13.4)!, accuracy: 4.5, altitude: 33, course: 271.5)
  }

  private static func point(_ number: Int) -> TrackPoint {
    var point = TrackPoint(fix(number))
    point.accuracy = 0
    return point
  }

  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  private static func message(_ payload: [UInt8], qos: Int = 2, isRetained: Bool = true, isEvent: Bool = true)
    -> StoredForm
  {
    let flags = UInt8(qos) + (isRetained ? 4 : 0) + (isEvent ? 8 : 0)
    let message = Message(
      sequence: 0x0102_0304_0506, topic: "a/\u{fc}", payload: payload, qos: qos, isRetained: isRetained,
      isEvent: isEvent, time: -5)
    return StoredForm(
      .insert(message), 1,
      [6, 5, 4, 3, 2, 1, 0, 0], Disk.i64(-5), [flags], Disk.text("a/\u{fc}"), payload)
  }

  private static let messages: [StoredForm] =
    [message([]), message([0, 255])]
    + [0, 1, 2].flatMap { qos in
      [true, false].flatMap { isRetained in
        [true, false].map { message([65], qos: qos, isRetained: isRetained, isEvent: $0) }
      }
    }

  /// Nothing of what came later: the record ends with whether it is shared.
  private static let plainRegion = Region(
    rid: "r1", name: "Home|in|out", coordinate: Coordinate(latitude: 52.5, longitude: 13.4)!, radius: -7.5,
    beacon: BeaconIdentity(uuid: uuid, major: 7), created: 1_600_000_000, isShared: true)
  private static func plainRegionFields(presence: UInt8, major: UInt16 = 7) -> [UInt8] {
    let place = Disk.real(52.5) + Disk.real(13.4) + Disk.real(-7.5)
    let beacon = Disk.some(Disk.text(uuid), Disk.u16(major), Disk.u16(0))
    let parts: [[UInt8]] = [
      Disk.text("r1"), Disk.u8(presence), Disk.text("Home|in|out"), place, beacon, Disk.i64(1_600_000_000),
      [1],
    ]
    return Array(parts.joined())
  }

  private static func region(
    _ presence: Presence, _ code: UInt8, behind: [UInt8]..., change: (inout Region) -> Void
  ) -> StoredForm {
    var region = plainRegion
    change(&region)
    return StoredForm(.region(region, presence), 3, plainRegionFields(presence: code), Array(behind.joined()))
  }

  private static let since = WallTime(seconds: 1_700_000_010.25)
  private static let corners = [(48.0, 11.0), (48, 11.5), (48.5, 11)]

  /// Any beacon of one owner.
  private static let ownersRegion: StoredForm = {
    var region = plainRegion
    region.beacon = BeaconIdentity(uuid: uuid)
    return StoredForm(.region(region, .inside), 3, plainRegionFields(presence: 2, major: 0))
  }()

  private static let regions: [StoredForm] = [
    region(.unknown, 0, behind: []) { _ in }, ownersRegion,
    region(.outside, 1, behind: Disk.u32(30)) { $0.speedLimit = 30 },
    region(.inside, 2, behind: Disk.u32(0), [1]) { $0.isPrivate = true },
    region(.inside, 2, behind: Disk.u32(0), [3], Disk.u32(86_400)) { $0.dwell = 86_400 },
    region(.dwelling(since: since), 3, behind: Disk.u32(0), [4], Disk.real(since.seconds)) { _ in },
    region(
      .inside, 2,
      behind: Disk.u32(0), [2], Disk.u32(3), corners.flatMap { Disk.real($0.0) + Disk.real($0.1) }
    ) { $0.polygon = try? Polygon(corners.compactMap { Coordinate(latitude: $0.0, longitude: $0.1) }) },
    region(
      .dwelling(since: since), 3,
      behind: Disk.u32(500), [1], [3], Disk.u32(1), [4], Disk.real(since.seconds)
    ) { ($0.speedLimit, $0.isPrivate, $0.dwell) = (500, true, 1) },
  ]

  private static let sleep: Sleep = {
    var sleep = Sleep(since: WallTime(seconds: 1_700_000_000), span: 21_600, isBatteryLow: true)
    (sleep.missed, sleep.lastMissed) = (2, .noFix)
    return sleep
  }()

  private static let volume: DataVolume = {
    var volume = DataVolume()
    (volume.day, volume.today, volume.month, volume.undated) = (CalendarDay(number: 20_000), 3, 70_000, 5)
    return volume
  }()

  private static let states: [StoredForm] = [
    StoredForm(.mode(ModeState(mode: .quiet, downgraded: true)), 5, [0xFF, 1, 0], Disk.none),
    StoredForm(
      .mode(ModeState(mode: .move, adapted: true, configured: .significant)), 5, [2, 0, 1], Disk.some([1])),
    StoredForm(
      .mode(ModeState(mode: .manual, isByRule: true)), 5, [0, 0, 0, 0, 1, 0, 0], Disk.text(""), [0]),
    StoredForm(
      .mode(
        ModeState(
          mode: .move, taken: RulesTaken(network: "a|0|1", time: "b", timeModes: "c", minute: -28_333_333))),
      5,
      [2, 0, 0, 0], [0], Disk.some(Disk.text("a|0|1")), Disk.some(Disk.text("b")), Disk.text("c"),
      Disk.some(Disk.i64(-28_333_333))),
    StoredForm(.position(fix(1)), 6, Disk.fix(1)), StoredForm(.reference(fix(2)), 7, Disk.fix(2)),
    StoredForm(.tag("T\u{fc}"), 10, Disk.some(Disk.text("T\u{fc}"))),
    StoredForm(.dropped(70_000), 11, Disk.i64(70_000)),
    StoredForm(.imported("eab3"), 13, Disk.some(Disk.text("eab3"))),
    StoredForm(.clientIDForm(.apart), 40, [0]),
    StoredForm(.clientIDForm(.joined(user: "j", device: "")), 40, [1], Disk.text("j"), Disk.text("")),
    StoredForm(.volume(DataVolume()), 72, Disk.none, Disk.i64(0), Disk.i64(0), Disk.i64(0)),
    StoredForm(
      .volume(volume), 72, Disk.some(Disk.u32(20_000)), Disk.i64(3), Disk.i64(70_000), Disk.i64(5)),
    StoredForm(
      .sleep(sleep), 80,
      Disk.some(Disk.some(Disk.real(1_700_000_000)), Disk.u32(21_600), [1], Disk.u32(2), [1])),
    StoredForm(.batterySteps(BatterySteps(board: .receiver, vehicle: .off)), 88, [1, 4]),
    StoredForm(.batterySteps(BatterySteps(board: nil, vehicle: .beacons)), 88, [0, 2]),
    StoredForm(.announced(["x/config", ""]), 56, Disk.u32(2), Disk.text("x/config"), Disk.text("")),
  ]

  private static let settings: [StoredForm] = [
    StoredForm(
      .remoteSettings(
        RemoteSettings([
          .init(name: "cmd", value: .flag(true), over: .flag(false)),
          .init(name: "ping", value: .number(-7), over: .real(2.5)),
          .init(name: "host", value: .text("b"), over: .text("")),
        ])),
      14,
      Disk.u32(3), Disk.text("cmd"), [0, 1], [0, 0], Disk.text("ping"), [1], Disk.i64(-7), [2],
      Disk.real(2.5), Disk.text("host"), [3], Disk.text("b"), [3], Disk.text("")),
    StoredForm(.remoteSettings(RemoteSettings()), 14, Disk.u32(0)),
    StoredForm(
      .commandsSeen([SeenCommand(digest: .max, time: -1), SeenCommand(digest: 1, time: 1_700_000_000)]), 15,
      Disk.u32(2), Disk.i64(-1), Disk.i64(-1), Disk.i64(1), Disk.i64(1_700_000_000)),
  ]

  private static let entered: [StoredForm] = {
    var region = plainRegion
    region.isPrivate = true
    var bare = plainRegion
    bare.beacon = nil
    let place = Disk.real(52.5) + Disk.real(13.4) + Disk.real(-7.5)
    let named = Disk.text("r1") + Disk.text("Home|in|out") + place
    let beacon = Disk.some(Disk.text(uuid), Disk.u16(7), Disk.u16(0))
    return [
      StoredForm(
        .entered([
          EnteredRegion(region: region, isChanged: true), EnteredRegion(region: bare, isChanged: false),
        ]),
        48,
        Disk.u32(2), [1], named, beacon, Disk.i64(1_600_000_000), [1], [0], named, Disk.none,
        Disk.i64(1_600_000_000), [0]), StoredForm(.entered([]), 48, Disk.u32(0)),
    ]
  }()

  private static let points: [StoredForm] = {
    var report = LocationReport(
      fix: fix(3), time: WallTime(seconds: 1_700_000_004.5), created: WallTime(seconds: 1_700_000_005),
      trigger: .user, mode: .quiet)
    report.battery = Battery(level: 77, state: .charging)
    report.pressure = 101.3
    report.inside = [.init(name: nil, rid: ""), .init(name: "B", rid: "b")]
    (report.poi, report.tag) = ("caf\u{e9}", "t")
    let part = HistoryPart(numbers: 2...5, times: 7.5...(.infinity))
    let one = HistoryPart(numbers: 2...2, times: 7.5...7.5)
    return [
      StoredForm(
        .history(report), 8, Disk.i64(0), Disk.fix(3), Disk.real(1_700_000_004.5),
        Disk.some(Disk.real(1_700_000_005)), [1, 0xFF], Disk.some([77, 2]), [0], Disk.some(Disk.real(101.3)),
        Disk.u32(2), Disk.none, Disk.text(""), Disk.some(Disk.text("B")), Disk.text("b"),
        Disk.some(Disk.text("caf\u{e9}")), Disk.some(Disk.text("t"))),
      StoredForm(.pruneHistory(keep: 5, since: nil), 9, Disk.some(Disk.i64(5)), Disk.none),
      StoredForm(.pruneHistory(keep: nil, since: 7.5), 9, Disk.none, Disk.some(Disk.real(7.5))),
      StoredForm(.removePoints(part), 64, Disk.i64(2), Disk.i64(5), Disk.real(7.5), Disk.real(.infinity)),
      StoredForm(.removePoints(one), 64, Disk.i64(2), Disk.i64(2), Disk.real(7.5), Disk.real(7.5)),
    ]
  }()

  private static let journeys: [StoredForm] = {
    var standing = JourneyState()
    (standing.odometer, standing.place, standing.isStanding) = (0.5, point(1), true)
    var driving = JourneyState()
    (driving.odometer, driving.fence) = (123_456_789.25, point(2))
    driving.trip = TripState(start: point(3), last: point(4), distance: 0)
    driving.speeding = SpeedingState(start: point(5), limit: -50, top: 21.5, region: "S")
    return [
      StoredForm(.journey(standing), 32, Disk.real(0.5), Disk.some(Disk.point(1)), [1], [0, 0, 0]),
      StoredForm(
        .journey(driving), 32,
        Disk.real(123_456_789.25), Disk.none, [0], Disk.some(Disk.point(2)),
        Disk.some(Disk.point(3), Disk.point(4), Disk.real(0)),
        Disk.some(
          Disk.point(5), Disk.u32(UInt32(bitPattern: -50)), Disk.real(21.5), Disk.some(Disk.text("S")))),
    ]
  }()

  private static let removals: [StoredForm] = [
    StoredForm(
      .remove([2, 3, 4, 9, UInt64(1) << 40]), 2,
      Disk.u32(3), Disk.i64(2), Disk.i64(4), Disk.i64(9), Disk.i64(9), Disk.i64(1 << 40), Disk.i64(1 << 40)),
    StoredForm(.regionRemoved(rid: "r1"), 4, Disk.text("r1")),
  ]

  private static let forms =
    messages + removals + regions + states + settings + entered + points + journeys

  @Test func everyByteLiesWhereItHasAlwaysLain() throws {
    for form in Self.forms {
      let record = StoreRecord.encoding(form.write, revision: 0x0304_0506)
      #expect(
        record.bytes == DiskBytes.record(kind: form.kind, revision: 0x0304_0506, fields: form.fields),
        "\(form.write)")
      let back = try #require(StoreRecord(checking: record.bytes), "\(form.write)")
      #expect(back.revision == 0x0304_0506 && back.kind == record.kind)
      #expect(form.reading(back) == form.write)
    }
  }

  /// What a later version knows in addition stands behind all that this one reads.
  @Test func fieldsAppendedByLaterVersionsAreIgnored() throws {
    for form in Self.forms {
      switch form.write {
      // These have their ends for themselves: a payload lasts to the end, and what is behind has a mark.
      case .insert, .region, .mode: continue
      default: break
      }
      let record = try #require(form.record(form.fields + [0xEE]))
      #expect(form.reading(record) == form.write)
    }
    let region = try #require(Self.regions.last)
    let later = try #require(region.record(region.fields + [9, 1, 3]))
    #expect(region.reading(later) == region.write)
    let mode = Self.states[3]
    #expect(mode.record(mode.fields + [0xEE]).flatMap { mode.reading($0) } == mode.write)
  }

  @Test func truncatedFieldsAreRejected() throws {
    for form in Self.forms {
      switch form.write {
      // Those end at marks or where an earlier version did, and a payload anywhere; the others are one value or none.
      case .region, .mode, .insert, .tag, .imported, .dropped, .pruneHistory: continue
      default: break
      }
      let ends = try (0..<form.fields.count).filter { count in
        form.reading(try #require(form.record(Array(form.fields.prefix(count))))) != nil
      }
      #expect(ends == [], "\(form.write)")
    }
  }

  /// Behind what earlier versions end with: cut off there, it is one of theirs.
  @Test func aCallForHelpStandsBehindItsMark() throws {
    var (state, sos) = (JourneyState(), SOSState())
    (sos.start, sos.times) = (Self.point(6), 7)
    state.sos = sos
    let form = StoredForm(
      .journey(state), 32, Disk.real(0), Disk.none, [0], [0, 0, 0], [3], Disk.some(Disk.point(6)), Disk.u32(7)
    )
    #expect(
      StoreRecord.encoding(form.write, revision: 1).bytes
        == DiskBytes.record(kind: 32, revision: 1, fields: form.fields))
    for count in 0...form.fields.count {
      let record = try #require(form.record(Array(form.fields.prefix(count))))
      let wanted: StoreWrite? =
        count == 13 ? .journey(JourneyState()) : count == form.fields.count ? form.write : nil
      #expect(form.reading(record) == wanted, "\(count) bytes")
    }
  }

  @Test func hiddenPlacesOfAJourneyStandBehindTheirMark() throws {
    func hidden(_ number: Int) -> TrackPoint {
      var point = Self.point(number)
      point.isHidden = true
      return point
    }
    let changes: [(UInt8, (inout JourneyState) -> Void)] = [
      (1, { $0.place = hidden(1) }), (2, { $0.fence = hidden(2) }),
      (4, { $0.trip = TripState(start: hidden(3), last: Self.point(4), distance: 1) }),
      (8, { $0.trip = TripState(start: Self.point(3), last: hidden(4), distance: 1) }),
      (16, { $0.speeding = SpeedingState(start: hidden(5), limit: 50, top: 20, region: nil) }),
      (32, { $0.anchor = AnchorState(place: hidden(6), isDragging: false) }),
      (
        64,
        {
          $0.speeding = SpeedingState(start: Self.point(5), limit: 50, top: 20, region: nil)
          $0.speeding?.isUntold = true
        }
      ),
    ]
    for (bit, change) in changes {
      var state = JourneyState()
      change(&state)
      let record = StoreRecord.encoding(.journey(state), revision: 1)
      #expect(Array(record.bytes.suffix(2)) == [4, bit] && record.journey == state)
    }
  }

  /// Each end is one that a version before has written.
  @Test func aRegionMayEndWhereEarlierVersionsEnd() throws {
    let full = try #require(Self.regions.last)
    let plain = Self.plainRegionFields(presence: 3).count
    var ends: [Int: StoreWrite] = [:]
    for count in 0...full.fields.count {
      let record = try #require(full.record(Array(full.fields.prefix(count))))
      if let known = record.knownRegion { ends[count] = .region(known.region, known.presence) }
    }
    var region = Self.plainRegion
    var expected: [Int: StoreWrite] = [plain: .region(region, .unknown)]
    region.speedLimit = 500
    expected[plain + 4] = .region(region, .unknown)
    region.isPrivate = true
    expected[plain + 5] = .region(region, .unknown)
    region.dwell = 1
    expected[plain + 10] = .region(region, .unknown)
    expected[plain + 19] = .region(region, .dwelling(since: Self.since))
    #expect(ends == expected)
  }

  @Test func aModeMayEndWhereEarlierVersionsEnd() throws {
    let full = Self.states[3]
    let ends = try (0...full.fields.count).filter { count in
      try #require(full.record(Array(full.fields.prefix(count)))).modeState != nil
    }
    #expect(ends == [4, full.fields.count])
  }

  @Test func aMessageMayEndBehindItsTopic() throws {
    let bare = Self.message([]).fields
    let full = Self.message([1, 2, 3])
    for count in 0...full.fields.count {
      let message = full.record(Array(full.fields.prefix(count)))?.message
      #expect(message?.payload == (count < bare.count ? nil : Array([1, 2, 3].prefix(count - bare.count))))
    }
  }

  /// The same fields under another kind are something else.
  @Test func fieldsUnderAnotherKindAreRejected() throws {
    let kinds = (0...UInt8.max).compactMap(StoreRecord.Kind.init)
    #expect(kinds.count == 23)
    for form in Self.forms {
      for kind in kinds {
        let record = try #require(form.record(form.fields, as: kind))
        let isRead =
          switch form.write {
          case .position, .reference: [6, 7].contains(kind.rawValue)
          case .tag, .imported: [10, 13].contains(kind.rawValue)
          // A region begins with its key, and so do others.
          case .regionRemoved: [3, 4].contains(kind.rawValue)
          default: kind.rawValue == form.kind
          }
        #expect((form.reading(record) != nil) == isRead, "\(form.write) as \(kind)")
        #expect((record.messageHead != nil) == (kind == .message && record.bytes.count >= 37))
      }
    }
  }

  @Test func aRegionIsFoundByItsKey() throws {
    for form in Self.regions { #expect(form.record(form.fields)?.rid == "r1") }
  }
}
