import Model
import Testing
import Timebase

@testable import Storage

/// Records whose sum is right and whose fields are not: what a flaw of ours, or a hand, would leave.
struct StoreRecordTests {
  private func record(_ kind: StoreRecord.Kind, _ fields: (inout ByteWriter) -> Void) -> StoreRecord {
    StoreRecord(kind, revision: 1, fields: fields)
  }

  /// Room was made for all of them first: 64 GB.
  @Test func moreRangesThanBytesAreNone() {
    let record = record(.remove) { writer in
      writer.number(UInt32.max)
      writer.number(UInt64(1))
      writer.number(UInt64(5))
    }
    #expect(record.removedRanges == nil)
  }

  /// Each of four thousand million was looked at.
  @Test func moreRegionsThanBytesAreNoHistory() {
    var bytes = StoreRecord.encoding(.history(Sample.location()), revision: 1).bytes
    // Behind the regions' count: neither remark nor tag.
    bytes.replaceSubrange((bytes.count - 6)..<(bytes.count - 2), with: [0xFF, 0xFF, 0xFF, 0xFF])
    let record = record(.history) { $0.raw(Array(bytes[StoreRecord.headerSize...])) }
    #expect(record.historyPoint == nil)
  }

  @Test(arguments: [Double.nan, .infinity, 1e300, -1e300])
  func aPositionAtNoTimeIsNone(_ seconds: Double) {
    var fix = Sample.fix()
    fix.time = WallTime(seconds: seconds)
    #expect(StoreRecord.encoding(.position(fix), revision: 1).fix == nil)
  }

  @Test func aPositionOfNoAccuracyIsNone() {
    var fix = Sample.fix()
    fix.accuracy = .nan
    #expect(StoreRecord.encoding(.reference(fix), revision: 1).fix == nil)
  }

  @Test func nonFiniteAltitudeAndSpeedAreDropped() throws {
    var fix = Sample.fix()
    (fix.altitude, fix.speed) = (.nan, -.infinity)
    let back = try #require(StoreRecord.encoding(.position(fix), revision: 1).fix)
    #expect(back.altitude == nil && back.speed == nil && back.course == fix.course)
  }

  @Test func aHiddenPlaceStaysHidden() {
    var fix = Sample.fix()
    fix.isHidden = true
    for write in [StoreWrite.position(fix), .reference(fix)] {
      let record = StoreRecord.encoding(write, revision: 1)
      #expect(record.fix == fix && record.bytes.last == 1)
    }
    var told = Sample.location().fix
    #expect(PointStates(of: [.position(told)], by: .history(Sample.location())) == .position)
    told.isHidden = true
    #expect(PointStates(of: [.position(told)], by: .history(Sample.location())) == [])
  }

  @Test func aRegionOfNoRadiusIsNone() {
    let record = StoreRecord.encoding(.region(Sample.region(1, radius: .nan), .inside), revision: 1)
    #expect(record.knownRegion == nil)
  }

  @Test func aLocationAtNoTimeIsNone() {
    var report = Sample.location()
    report.time = WallTime(seconds: .nan)
    #expect(StoreRecord.encoding(.history(report), revision: 1).historyPoint == nil)
  }

  @Test func aBatteryIsFullAtMost() throws {
    var report = Sample.location()
    report.battery = Battery(level: 255, state: .full)
    let back = try #require(StoreRecord.encoding(.history(report), revision: 1).historyPoint)
    #expect(back.report.battery?.level == 100)
  }

  @Test func settingsOfEveryTypeComeBack() {
    let settings = RemoteSettings([
      .init(name: "cmd", value: .flag(true), over: .flag(false)),
      .init(name: "ping", value: .number(-7), over: .number(15)),
      .init(name: "pathLossExponent", value: .real(2.5), over: .real(2)),
      .init(name: "host", value: .text("b\u{e9}"), over: .text("")),
    ])
    #expect(StoreRecord.encoding(.remoteSettings(settings), revision: 1).remoteSettings == settings)
  }

  @Test func settingsOfAnUnknownTypeAreNone() {
    let record = record(.remoteSettings) { writer in
      writer.number(UInt32(1))
      writer.text("ping")
      writer.number(UInt8(9))
      writer.number(UInt8(9))
    }
    #expect(record.remoteSettings == nil)
  }

  @Test func commandsThatWereObeyedComeBack() {
    let seen = [SeenCommand(digest: .max, time: 5), SeenCommand(digest: 0, time: 1_700_000_000)]
    #expect(StoreRecord.encoding(.commandsSeen(seen), revision: 1).commandsSeen == seen)
    let short = record(.commandsSeen) { $0.number(UInt32(5)) }
    #expect(short.commandsSeen == nil)
  }

  // behaviour: What was announced
  @Test func enteredRegionsAreReadBack() {
    var plain = Sample.region(1)
    (plain.polygon, plain.speedLimit, plain.isShared) = (nil, nil, true)
    var noted = plain
    (noted.beacon, noted.isPrivate, noted.radius) = (nil, true, -1)
    let all = [EnteredRegion(region: plain, isChanged: true), EnteredRegion(region: noted, isChanged: false)]
    #expect(StoreRecord.encoding(.entered(all), revision: 1).entered == all)
    #expect(StoreRecord.encoding(.entered([]), revision: 1).entered == [])
    #expect(record(.entered) { $0.number(UInt32(5)) }.entered == nil)
  }

  // behaviour: Mode by network and by time
  /// An earlier version writes less, and stops reading there.
  @Test func modeSetByRulesIsReadBack() {
    let taken = RulesTaken(network: "a|0|1", time: nil, timeModes: "22:00-06:00|0|1", minute: 28_333_333)
    let state = ModeState(mode: .move, configured: .manual, isByRule: true, taken: taken)
    #expect(StoreRecord.encoding(.mode(state), revision: 1).modeState == state)
    let plain = ModeState(mode: .move, downgraded: false, adapted: true, configured: .manual)
    let earlier = record(.mode) { writer in
      writer.number(Int8(2))
      writer.flag(false)
      writer.flag(true)
      writer.optional(MonitoringMode.manual) { $0.number(Int8($1.rawValue)) }
    }
    #expect(earlier.modeState == plain)
    #expect(StoreRecord.encoding(.mode(plain), revision: 1).bytes == earlier.bytes)
  }

  // behaviour: Presence and Home Assistant
  @Test func announcedTopicsAreReadBack() {
    for topics in [[], ["homeassistant/sensor/homeward_1/speed/config", "\u{fc}"]] {
      #expect(StoreRecord.encoding(.announced(topics), revision: 1).announced == topics)
    }
    #expect(record(.announced) { $0.number(UInt32(5)) }.announced == nil)
  }

  @Test func aMessageOfNoQualityOfServiceIsNone() {
    var message = Sample.message(1)
    message.qos = 3
    #expect(StoreRecord.encoding(.insert(message), revision: 1).message == nil)
  }
}
