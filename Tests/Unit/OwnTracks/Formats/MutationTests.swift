import Glibc
import Model
import OwnTracks
import Testing
import Timebase

/// Bytes from outside, bent at random: every decoder refuses or accepts, none traps.
struct MutationTests {
  private static let seeds = [
    #"{"_type":"configuration","host":"h","port":1883,"tls":false,"locatorInterval":"60","tid":null,"#
      + #""password":"p\u0000","waypoints":[{"_type":"waypoint","desc":"H:CA271EAE-5FA8-4E80-8F08-"#
      + #"2A302A95A959:1:CAFE","lat":48.5,"lon":"11","rad":-1,"tst":1700000000,"rid":"a1","share":1}]}"#,
    #"[{"_type":"waypoint","desc":"a|1|2","lat":-1000000,"lon":0,"tst":"1","#
      + #""major":65535,"inside":true}]"#,
    #"{"class":"TPV","mode":3,"time":"2023-12-31T23:59:60.25Z","#
      + #""lat":48.1e0,"lon":-1.1E1,"altMSL":5,"eph":1}"#,
    #"{"class":"SKY","hdop":1.5,"uSat":5,"satellites":[{"used":true},{"used":0}]}"#,
    "region add Home:CA271EAE-5FA8-4E80-8F08-2A302A95A959:1:2 "
      + "--at 48.1,11.5 --radius 1e2 --no-share --tst 5",
    #"region set A --name B|1|2 --lat 1 --lon -2.5 --share yes --major 7"#,
    "2023-11-14T22:13:20.123456789+05:30",
  ]

  /// SplitMix64: the same mutations on every run.
  private struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  private static let splinters = [
    "9999999999999999999", "1e308", "-0", "\\ud83d", "\\u0000", "[[[[", "\"", "null", "--", ":", "\u{FFFD}",
    "",
    "-1e-320", "{}", "0x", "|", "%u", "\n",
  ].map { Array($0.utf8) }

  private static func mutate(_ bytes: [UInt8], with dice: inout Dice) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &dice) {
      let place = Int.random(in: 0...bytes.count, using: &dice)
      let end = min(bytes.count, place + Int.random(in: 0...6, using: &dice))
      switch Int.random(in: 0..<4, using: &dice) {
      case 0: bytes.replaceSubrange(place..<end, with: splinters.randomElement(using: &dice) ?? [])
      case 1: bytes.removeSubrange(place..<end)
      case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
      default: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &dice) }
      }
    }
    return bytes
  }

  /// HOMEWARD_MUTANTS: so many; Tests/Instruments/Fuzz/many does billions of another kind.
  private static let rounds =
    getenv("HOMEWARD_MUTANTS").flatMap { Int(String(cString: $0)) } ?? 5000

  @Test func everyDecoderSurvives() {
    var dice = Dice(state: 20_261_121)
    var accepted = 0
    for round in 0..<Self.rounds {
      let mutant = Self.mutate(bytes(Self.seeds[round % Self.seeds.count]), with: &dice)
      accepted += decodeEverything(mutant) ? 1 : 0
    }
    #expect(accepted > Self.rounds / 100, "the mutations still reach the inside of the decoders")
  }

  private func decodeEverything(_ bytes: [UInt8]) -> Bool {
    let line = text(bytes)
    _ = ISO8601.time(line).map { ISO8601.text($0, decimals: 3) }
    _ = try? Request(words: line.split(separator: " ").map(String.init))
    guard let json = try? JSON.parse(bytes) else { return false }
    let configuration = ConfigurationFile.decode(bytes)
    _ = "\(configuration.problems)"
    for entry in Waypoints.decode(json, source: .timeline).entries { encode(entry) }
    return (try? JSON.parse(json.serialised())) != nil
  }

  private func encode(_ entry: WaypointEntry) {
    guard let coordinate = entry.coordinate else { return }
    let region = Region(
      rid: entry.rid ?? "", name: entry.name, coordinate: coordinate, radius: entry.radius,
      beacon: entry.beacon, created: entry.created ?? 0, isShared: entry.isShared)
    let encoder = encoder()
    #expect((try? JSON.parse(encoder.encode(.waypoint(region)).payload)) != nil)
    #expect((try? JSON.parse(encoder.encode(transition(region)).payload)) != nil)
  }
}
