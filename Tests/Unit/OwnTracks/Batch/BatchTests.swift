import Glibc
import Model
import Testing

@testable import OwnTracks

// behaviour: Batches
/// Messages that are packed and come back byte for byte.
@Suite struct BatchTests {
  private static func comesBack(_ texts: [String], isRetained: Bool = true) throws {
    let payloads = texts.map { Array($0.utf8) }
    let packed = Batch.packed(payloads, isRetained: isRetained)
    let unpacked = try Batch.unpacked(packed)
    #expect(unpacked.payloads.map { String(decoding: $0, as: UTF8.self) } == texts)
    #expect(unpacked.isRetained == isRetained)
  }

  /// A drive at a second each, as the tracker writes it.
  private static func drive(_ count: Int) -> [String] {
    (0..<count).map { second in
      let bend = second > 20 ? (second - 20) * 3 : 0
      let lat = Double(48_153_994 + second * 97 - bend * second / 4) / 1e6
      let lon = Double(11_550_052 + second * 60 + bend * second / 3) / 1e6
      return #"{"_type":"location","acc":\#(5 + second % 3 / 2),"alt":\#(518 + second / 9),"batt":93,"bs":1,"#
        + #""cog":\#((22 + bend) % 360),"conn":"m","inregions":[],"inrids":[],"lat":\#(lat),"lon":\#(lon),"m":2,"#
        + #""tid":"T7","tst":\#(1_781_422_201 + second),"vac":7,"vel":\#(41 + second % 5)}"#
    }
  }

  /// On both sides of what a number of the format can hold.
  @Test(arguments: ["1152921504606.8", "1152921504606.846975", "1152921504606.846976", "1152921504606.9"])
  func aNumberAtTheLimitComesBack(_ number: String) throws {
    try Self.comesBack(["{\"a\":\(number)}", "{\"a\":-\(number)}", "{\"a\":1.5}"])
  }

  @Test func driveComesBackByteForByteInATwentiethOfItsSize() throws {
    let texts = Self.drive(60)
    try Self.comesBack(texts)
    let packed = Batch.packed(texts.map { Array($0.utf8) }, isRetained: true)
    let plain = texts.reduce(0) { $0 + $1.utf8.count }
    #expect(packed.count * 20 < plain)
  }

  /// The format, byte for byte: where this changes, it is another version.
  @Test func formatIsThatOfVersion1() {
    let packed = Batch.packed(Self.drive(3).map { Array($0.utf8) }, isRetained: true)
    #expect(
      packed.map { String($0, radix: 16) }.joined(separator: " ")
        == "1 65 b2 7e 3b d9 95 a7 2b 6c 54 4b 18 ad 6e 41 23 73 f6 37 2b 54 3 e7 a3 3 c9 9b 3f b 48 4f 3d be 8 d4 93 b4 93 4f 25 9d fd 49 55"
    )
  }

  /// They come back, in batches as long as they may be. A sum of the bytes: there are too many to be written down.
  private static func sum(_ texts: [String]) throws -> UInt64 {
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    for start in stride(from: 0, to: texts.count, by: BatchLimits.most) {
      let part = Array(texts[start..<min(start + BatchLimits.most, texts.count)])
      try comesBack(part)
      for byte in Batch.packed(part.map { Array($0.utf8) }, isRetained: true) {
        sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3
      }
    }
    return sum
  }

  /// Board and server may be years apart: what they guess, by whole numbers and by tables, is part of the format, too.
  @Test func guessesOfVersion1StayAsTheyWere() throws {
    // Once around, a degree in ten minutes: each is where speed and course have carried it.
    var (north, east, texts) = (0.0, 0.0, [String]())
    for course in 0...360 {
      texts.append(
        #"{"_type":"location","cog":\#(course % 360),"lat":\#((north * 1e6).rounded() / 1e6),"#
          + #""lon":\#((east * 1e6).rounded() / 1e6),"tst":\#(course * 600),"vel":500}"#)
      let way = 500 * 600 * 2.4953e-6
      north += way * cos((Double(course) + 0.5) * .pi / 180)
      east += way * sin((Double(course) + 0.5) * .pi / 180) / cos(north * .pi / 180)
    }
    // The fastest and the longest that are guessed by, and more.
    var time = texts.count * 600
    for (speed, seconds) in [(2000, 3600), (2001, 3600), (2001, 3600), (2000, 3600), (2000, 3601), (2000, 1)]
    {
      time += seconds
      texts.append(#"{"cog":7,"lat":1.0,"lon":1.0,"tst":\#(time),"vel":\#(speed)}"#)
    }
    let sum = try Self.sum(texts)
    #expect(sum == 4_806_944_000_662_447_143)
  }

  @Test func lessonsOfVersion1StayAsTheyWere() throws {
    let drive = Self.drive(40)
    var (texts, random) = ([String](), SeededNumbers(seed: 9))
    for (index, text) in drive.enumerated() {
      texts.append(text)
      if index % 3 == 0 { texts.append(#"{"_type":"card","name":"Van, {\#(index % 2)","own":\#(index)}"#) }
      texts.append(#"{"n":\#(random.next() >> 22),"tst":\#(index)}"#)
      if index % 5 == 0 {
        texts.append(text.replacing(#""bs":1,"#, with: #""SSID":"net \#(index % 4)","p":1013.2\#(index),"#))
      }
    }
    let sum = try Self.sum(texts)
    #expect(sum == 18_435_876_799_772_265_545)
  }

  @Test(arguments: [
    "", "{}", "{", "}", "{}{}", "[1,2]", "{,}", "{,,}", #"{"a":}"#, #"{"a"}"#, #"{"a":1,"a":1,"a":2}"#,
    #"{"lat":48,"lon":11.0}"#, #"{"lat":-0.000001,"lon":-180.0}"#, #"{"lat":1.10,"lon":01.5}"#,
    #"{"lat":-0,"lon":-0.0,"x":-}"#, #"{"tst":1e9,"vel":+3,"cog":360,"acc":-5}"#,
    #"{"cog":-1,"cog":359,"cog":0}"#,
    #"{"tst":999999999999999999999,"alt":99999999999999999,"m":2147483648}"#,
    #"{"lat":12345678901234.123456}"#,
    #"{"lat":1.1234567,"p":1013.2501,"odometer":1234567.85,"odometer":0.0}"#,
    #"{"a":{"b":[1,{"c":",}"}]},"d":"x,\"y"}"#,
    #"{"a":"\\","b":1}"#, #"{"a\"":1,"b:c":2}"#,
    "{\"SSID\":\"caf\u{e9} \u{1F690}\",\"a\":\"\u{0}\u{1}\u{7f}\"}",
    #"{"a":1}}"#, #"{"a":]]],"b":2}"#, #" {"a":1} "#, #"{"a" : 1, "b":2}"#,
  ]) func anyBytesComeBack(text: String) throws {
    try Self.comesBack([text])
    try Self.comesBack([text, text, #"{"_type":"location","tst":5}"#, text], isRetained: false)
  }

  @Test func oddBytesComeBack() throws {
    let payload: [UInt8] = [0x7B] + (0...255).map { UInt8($0) } + [0x7D]
    #expect(
      try Batch.unpacked(Batch.packed([payload, [], payload], isRetained: false)).payloads == [
        payload, [], payload,
      ])
  }

  @Test func moreKeysThanThereIsRoomForComeBack() throws {
    let texts = (0..<200).map { #"{"key\#($0)":\#($0),"other\#($0)":"x"}"# }
    try Self.comesBack(texts)
    let many = "{" + (0..<110).map { #""k\#($0)":1"# }.joined(separator: ",") + "}"
    try Self.comesBack([many, many])
  }

  @Test func moreTextsThanAreRememberedComeBack() throws {
    try Self.comesBack((0..<60).map { #"{"SSID":"net \#($0 * 7 % 25)","conn":"w"}"# })
  }

  /// Members taken, changed, repeated and left out at random.
  @Test func mixedMessagesComeBack() throws {
    var random = SeededNumbers(seed: 7)
    let drive = Self.drive(40)
    for _ in 0..<300 {
      var texts: [String] = []
      for _ in 0..<Int(random.next() % 12) {
        var members = drive[Int(random.next() % 40)].dropFirst().dropLast().split(separator: ",").map(
          String.init)
        for _ in 0..<Int(random.next() % 4) {
          let place = Int(random.next() % UInt64(members.count))
          switch random.next() % 4 {
          case 0: members.remove(at: place)
          case 1: members.swapAt(place, 0)
          case 2: members[place] += "\(random.next() % 100)"
          default:
            members.insert(#""k\#(random.next() % 9)":\#(Int64(bitPattern: random.next()))"#, at: place)
          }
          if members.isEmpty { members = ["\"_type\":1"] }
        }
        texts.append("{" + members.joined(separator: ",") + "}")
      }
      try Self.comesBack(texts, isRetained: random.next() % 2 == 0)
    }
  }

  @Test func fullBatchOfTheLongestComesBack() throws {
    let longest = #"{"a":""# + String(repeating: "xy", count: BatchLimits.longest / 2 - 4) + #""}"#
    #expect(longest.utf8.count == BatchLimits.longest)
    try Self.comesBack(Array(repeating: longest, count: BatchLimits.most))
  }

  // MARK: What cannot be read

  @Test func anotherVersionIsNamed() {
    #expect(throws: BatchError.version(2)) { try Batch.unpacked([2, 0, 0, 7]) }
    #expect(throws: BatchError.version(nil)) { try Batch.unpacked([]) }
    #expect(throws: BatchError.version(UInt8(ascii: "{"))) { try Batch.unpacked(Array("{}".utf8)) }
    #expect("\(BatchError.version(2))" == "a batch of version 2, this program reads version 1")
  }

  /// The last byte may end the last number in more than one way.
  @Test func noBitThatTurnsGivesOtherMessages() {
    let payloads = Self.drive(8).map { Array($0.utf8) }
    let packed = Batch.packed(payloads, isRetained: true)
    var unseen = 0
    for index in 1..<packed.count {
      for bit in 0..<8 {
        var damaged = packed
        damaged[index] ^= 1 << UInt8(bit)
        guard let read = try? Batch.unpacked(damaged) else { continue }
        unseen += 1
        #expect(read.payloads == payloads)
        #expect(read.isRetained)
      }
    }
    #expect(unseen < 8)
  }

  @Test func noBatchThatIsCutShortGivesOtherMessages() {
    let payloads = Self.drive(8).map { Array($0.utf8) }
    let packed = Batch.packed(payloads, isRetained: true)
    var unseen = 0
    for count in 1..<packed.count {
      guard let read = try? Batch.unpacked(Array(packed[..<count])) else { continue }
      unseen += 1
      #expect(read.payloads == payloads)
    }
    #expect(unseen < 2)
  }

  @Test func noiseEnds() {
    var random = SeededNumbers(seed: 3)
    for _ in 0..<400 {
      let noise =
        [Batch.version] + (0..<Int(random.next() % 300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      #expect(throws: BatchError.damaged) { try Batch.unpacked(noise) }
    }
  }

  /// The same numbers each time (SplitMix64).
  private struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var number = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
      return number ^ (number >> 31)
    }
  }
}
