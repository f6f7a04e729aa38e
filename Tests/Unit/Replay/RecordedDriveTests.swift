import Answers
import Core
import Model
import OwnTracks
import Testing
import Timebase

@testable import Replay

// behaviour: Recordings
/// What the daemon writes down is what a replay reads.
struct RecordedDriveTests {
  private func moment(_ seconds: Double, wall: Double? = nil) -> Moment {
    Moment(instant: Instant.zero + .seconds(seconds), wall: wall.map { WallTime(seconds: $0) })
  }

  private func file(
    begins: Bool = true, goesOn: Bool = false, head: [String], _ body: [String], isCut: Bool = false
  ) -> [UInt8] {
    let lines =
      ["{\"recording\":{\"begins\":\(begins),\"goesOn\":\(goesOn),\"head\":\(head.count)}}"] + head + body
    return Array((lines.joined(separator: "\n") + (isCut ? "" : "\n")).utf8)
  }

  private func entries(_ drive: RecordedDrive) throws -> [TimelineEntry] {
    var recording = try Recording(drive.timeline, .timeline, file: "drive.jsonl", numberBase: .auto)
    var entries: [TimelineEntry] = []
    while let entry = try recording.next() { entries.append(entry) }
    return entries
  }

  private var reading: Reading {
    var reading = Reading()
    (reading.mode, reading.time, reading.latitude, reading.longitude) = (
      3, WallTime(seconds: 1_700_000_000.5), 48.1234567, -11.5
    )
    (reading.hdop, reading.speed, reading.track, reading.altitude) = (0.9, 12.5, 271.25, 518.5)
    reading.isReckoned = true
    return reading
  }

  @Test func everyEventComesBackAsItWas() throws {
    var writer = TimelineWriter()
    let uuid = try #require(BeaconUUID("CA271EAE-5FA8-4E80-8F08-2A302A95A959"))
    let sighting = Sighting(
      beacon: BeaconNumber(uuid: uuid, major: 1, minor: 65_535), power: -59, rssi: nil,
      address: 0xA0B0_C0D0_E0F0)
    let network = Network.wifi(ssid: "café", bssid: "a0:b0:c0:d0:e0:f0", megahertz: 2412)
    let events: [Event] = [
      .reading(reading), .sighted(sighting), .networkChanged(network), .pressureMeasured(101.325),
      .batteryChanged(Battery(level: 57, state: .full)), .batteryChanged(nil),
      .scannerChanged(ScannerState(isHearing: true, sharesAntenna: true)),
      .brokerConnected(receiveMaximum: 20), .brokerLost(), .ignition(true), .ignition(nil),
      .vehicleVolts(12.4), .sosLine(true), .interference(.init(jamming: .critical, spoofing: .none)),
    ]
    let head = writer.head(mode: ModeState(mode: .move), regions: [], at: moment(100))
    let body = events.flatMap { writer.lines(of: $0, at: moment(101.25)) }
    let drives = RecordedDrive.drives(in: [file(head: head, body)])
    let entries = try entries(try #require(drives.first)).filter { $0.at == .seconds(1.25) }
    #expect(drives.first?.positions == 1 && drives.first?.seconds == 1.25)
    #expect(drives.first?.begin == 1_700_000_000.5)
    try #require(entries.count == events.count + 1)
    guard case .reading(let read) = entries[0].what, case .sighting(let heard) = entries[1].what,
      case .network(let joined) = entries[2].what, case .pressure(let pressure) = entries[3].what,
      case .battery(let battery) = entries[4].what, case .battery(nil) = entries[5].what,
      case .scanner(let state) = entries[6].what, case .broker(let up) = entries[7].what,
      case .broker(let down) = entries[8].what, case .ignition(true) = entries[9].what,
      case .ignition(nil) = entries[10].what, case .vehicleVolts(12.4) = entries[11].what,
      case .sos(true) = entries[12].what, case .interference(let said) = entries[13].what,
      case .end = entries[14].what
    else { return #expect(Bool(false), "other kinds than were written") }
    #expect(read == reading && heard == sighting && joined == network && pressure == 101.325)
    #expect(battery == Battery(level: 57, state: .full) && state.sharesAntenna && state.isHearing)
    #expect(up.isUp && !down.isUp && said == Interference(jamming: .critical, spoofing: .none))
  }

  /// Why a position was none is in it as well.
  @Test func voidUndatedAndSimulatedReadingsRoundTrip() throws {
    var (void, impossible, simulated) = (Reading(), reading, reading)
    (void.mode, void.isVoid) = (1, true)
    (impossible.time, impossible.isDateImpossible) = (nil, true)
    (simulated.isReckoned, simulated.isSimulated) = (false, true)
    var writer = TimelineWriter()
    let body = [void, impossible, simulated].flatMap { writer.lines(of: .reading($0), at: moment(1)) }
    let drive = try #require(RecordedDrive.drives(in: [file(head: [], body)]).first)
    let read = try entries(drive).compactMap { if case .reading(let one) = $0.what { one } else { nil } }
    #expect(read == [void, impossible, simulated])
  }

  @Test func theSameAgainIsNoLine() {
    var writer = TimelineWriter()
    _ = writer.head(mode: ModeState(mode: .move), regions: [], at: moment(1, wall: 1_700_000_001))
    #expect(writer.lines(of: .networkChanged(.mobile), at: moment(2, wall: 1_700_000_002.01)).count == 1)
    #expect(writer.lines(of: .networkChanged(.mobile), at: moment(3, wall: 1_700_000_003)).isEmpty)
    #expect(writer.lines(of: .acknowledged([1]), at: moment(3)).isEmpty)
    // The clock was set.
    let lines = writer.lines(of: .networkChanged(.wired), at: moment(4, wall: 1_700_000_005))
    #expect(lines.count == 2 && lines.first?.contains("\"clock\":1700000005") == true)
  }

  @Test func regionsBeginWhereTheBoardWasToThem() throws {
    var writer = TimelineWriter()
    let region = Region(
      rid: "abc", name: "Home", coordinate: try #require(Coordinate(latitude: 48, longitude: 11)),
      radius: 100,
      beacon: nil, created: 1, isShared: false)
    let known = [Snapshot.KnownRegion(region: region, presence: .inside)]
    let head = writer.head(
      mode: ModeState(mode: .move, downgraded: false, adapted: false), regions: known, at: moment(5))
    let drive = try #require(RecordedDrive.drives(in: [file(head: head, [])]).first)
    guard case .stored(let state)? = try entries(drive).first?.what else {
      return #expect(Bool(false), "it does not begin with the state")
    }
    #expect(state.regions == known && state.mode?.mode == .move)
  }

  @Test func filesOfOneDriveAreJoinedAndAnotherStartBeginsAnew() throws {
    let head = [#"{"at":10.000000,"state":{"mode":2}}"#, #"{"at":10.000000,"broker":"down"}"#]
    let more = [#"{"at":30.000000,"state":{"mode":2}}"#, #"{"at":30.000000,"broker":"up"}"#]
    let files = [
      file(head: head, [#"{"at":20.500000,"broker":"up"}"#]),
      file(begins: false, goesOn: true, head: more, [#"{"at":31.000000,"barometer":100}"#]),
      file(head: [#"{"at":40.000000,"state":{"mode":1}}"#], [#"{"at":50.000000,"barometer":101}"#]),
      // The disk was full for a while.
      file(
        begins: false, head: [#"{"at":52.000000,"state":{}}"#, #"{"at":52.000000,"broker":"up"}"#],
        [#"{"stopped":true}"#]),
      file(head: [#"{"at":60.000000,"state":{"mode":1}}"#], [#"{"at":61.000000,"barometer":102}"#]),
      // The board was off.
      file(head: head, [#"{"at":12.000000,"barometer":103}"#, #"{"at":13.0000"#], isCut: true),
    ]
    let drives = RecordedDrive.drives(in: files)
    let lines = drives.map {
      String(decoding: $0.timeline, as: UTF8.self).split(separator: "\n").map(String.init)
    }
    #expect(
      lines == [
        [
          #"{"at":0.000000,"state":{"mode":2}}"#, #"{"at":0.000000,"broker":"down"}"#,
          #"{"at":10.500000,"broker":"up"}"#, #"{"at":21.000000,"barometer":100}"#,
          #"{"at":30.000000,"broker":"down"}"#, #"{"at":30.000000,"restart":"kill"}"#,
          #"{"at":40.000000,"barometer":101}"#, #"{"at":42.000000,"broker":"up"}"#,
          #"{"at":50.000000,"broker":"down"}"#,
          #"{"at":50.000000,"restart":true}"#, #"{"at":51.000000,"barometer":102}"#,
          #"{"at":51.000000,"end":true}"#,
        ],
        [
          #"{"at":0.000000,"state":{"mode":2}}"#, #"{"at":0.000000,"broker":"down"}"#,
          #"{"at":2.000000,"barometer":103}"#, #"{"at":2.000000,"end":true}"#,
        ],
      ])
  }

  @Test func invalidRecordingsAreSkipped() {
    let files = ["", "\n", "{\"recording\":{\"begins\":true,\"head\":-1}}\n", "[]\n[]\n"].map {
      Array($0.utf8)
    }
    #expect(RecordedDrive.drives(in: files).isEmpty)
  }
}
