import Model
import Testing

/// What a receiver says of its fix itself.
struct ReceiverWordsTests {
  private func words(_ lines: [String]) -> ReceiverWords {
    var words = ReceiverWords()
    for line in lines { words.take(Array(line.utf8)) }
    return words
  }

  private static let place = "4800.00000,N,01100.00000,E"

  /// `%`: a place.
  private static let void: [String] = [
    "$GPRMC,100000.00,V,%,0.0,,300624,,,N*5C",
    "$GPRMC,100000.00,V,%,0.0,,300624,,*5C",
    "$GPRMC,100000.00,A,%,0.0,,300624,,,N*5C",
    "$GNGGA,100000.00,%,0,04,1.0,100.0,M,47.0,M,,*5C",
    "$GPGSA,A,1,01,02,,,,,,,,,,,2.2,1.0,2.0*5C",
    "$GPGLL,%,100000.00,V,N*5C",
    "$GPGLL,%,100000.00,V*5C",
    "$GPGLL,%,100000.00,A,N*5C",
    "$GPVTG,90.0,T,,M,0.0,N,0.0,K,N*5C",
    "$GNGNS,100000.00,%,NNNN,04,1.0,100.0,47.0,,*5C",
    "$PUBX,00,100000.00,%,100.0,NF,5,6,0,0,0,,1,1,1,4,0,0*5C",
  ]
  private static let valid: [String] = [
    "$GPRMC,100000.00,A,%,0.0,,300624,,,A,V*5C",
    "$GPRMC,100000.00,A,%,0.0,,300624,,*5C",
    "$GNGGA,100000.00,%,1,04,1.0,100.0,M,47.0,M,,*5C",
    "$GNGGA,100000.00,%,6,00,9.9,100.0,M,47.0,M,,*5C",
    "$GPGSA,A,3,01,02,,,,,,,,,,,2.2,1.0,2.0*5C",
    "$GPGLL,%,100000.00,A,D*5C",
    "$GPVTG,90.0,T,,M,0.0,N,0.0,K,A*5C",
    "$GNGNS,100000.00,%,NA,04,1.0,100.0,47.0,,*5C",
    "$PUBX,00,100000.00,%,100.0,G3,5,6,0,0,0,,1,1,1,4,0,0*5C",
  ]

  private func isVoid(_ line: String) -> Bool {
    let line = line.split(separator: "%", omittingEmptySubsequences: false)
      .joined(separator: Self.place)
    #expect(!words([line]).isEmpty)
    return words([line]).saysVoid
  }

  // behaviour: A place that is only repeated
  @Test func everySentenceHasItsPlaceForIt() {
    for line in Self.void { #expect(isVoid(line), "\(line)") }
    for line in Self.valid { #expect(!isVoid(line), "\(line)") }
  }

  @Test(arguments: [
    "", "$", "$GP", "$GPRMC", "$GPRMC,,,,,,,,,,,,*5C", "$GPGGA,100000.00,,,,,,,,,,,,,*5C", "$GPGSV,1,1,00*79",
    "$GPVTG,90.0,T,,M,0.0,N,0.0,K*5C", "$GNGNS,100000.00", "$PUBX,03,1", "$PHWEND*00", "!AIVDM,1,1,,A,0,0*5C",
    "b562", "b5620107", "b562010754000000", "hello",
  ])
  func uninformativeLineIsIgnored(_ line: String) { #expect(words([line]).isEmpty) }

  /// One "void" is enough, whatever stands beside it.
  @Test func oneSentenceIsEnough() {
    let good = ["$GPRMC,1,A,\(Self.place),0.0,,300624,,,A", "$GPGGA,1,\(Self.place),1,04"]
    #expect(!words(good + ["$GPGLL,\(Self.place),1,A,A"]).saysVoid)
    #expect(words(good + ["$GPGLL,\(Self.place),1,V,N"]).saysVoid)
    #expect(words(good + ["$GPGSA,A,1"]).saysVoid)
  }

  /// A receiver without a satellite of GLONASS says so, and has a fix by the others.
  @Test func fixFromOneGNSSIsEnough() {
    #expect(!words(["$GPGSA,A,3,01", "$GLGSA,A,1"]).saysVoid)
    #expect(!words(["$GNGSA,A,1", "$GNGSA,A,3,70"]).saysVoid)
    #expect(words(["$GNGSA,A,1", "$GNGSA,A,1"]).saysVoid)
    #expect(!words(["$GPGGA,1,\(Self.place),1,04", "$GLGGA,1,\(Self.place),0,00"]).saysVoid)
    // What the moment before has said is no system of this one.
    let rmc = "$GPRMC,1,A,\(Self.place),0.0,,300624,,,A"
    #expect(words(["$GPGSA,A,3,01", rmc, "$GPGSA,A,1"]).saysVoid)
  }

  /// Many a receiver is GN with satellites of several systems, and GP without.
  @Test func aTalkerThatIsHeardNoMoreSaysNothing() {
    func rmc(_ talker: String, _ status: String) -> String {
      "$\(talker)RMC,1,\(status),\(Self.place),0,,300624,,,"
    }
    #expect(words([rmc("GN", "A"), rmc("GN", "A"), rmc("GP", "V"), rmc("GP", "V"), rmc("GP", "V")]).saysVoid)
    #expect(
      !words([rmc("GN", "V"), rmc("GN", "V"), rmc("GP", "A"), rmc("GP", "A"), rmc("GP", "A")]).saysVoid)
  }

  @Test func itHasSaidAllWhenItBeginsAnew() {
    let moment = ["$GPRMC,1,A,\(Self.place),0.0,,300624,,,A", "$GPGGA,1,\(Self.place),1,04", "$GPGSA,A,3,01"]
    #expect(!words(Array(moment[1...])).isWhole)
    #expect(!words(Array(moment[1...]) + [moment[0]]).isWhole)
    #expect(words(Array(moment[1...]) + [moment[0], moment[1]]).isWhole)
  }

  // behaviour: A place that is only repeated
  /// NAV-PVT of 92 bytes, NAV-SOL and NAV-STATUS: bit 0 of the flags.
  @Test(arguments: [("07", 92, 21), ("06", 52, 11), ("03", 16, 5)])
  func gnssFixOKOfAUBlox(_ identity: String, _ size: Int, _ flags: Int) {
    func packet(_ value: String) -> String {
      let length = (size < 16 ? "0" : "") + String(size, radix: 16) + "00"
      let bytes = (0..<size).map { $0 == flags ? value : "ff" }
      return "b56201" + identity + length + bytes.joined() + "abcd"
    }
    #expect(words([packet("00")]).saysVoid && words([packet("dc")]).saysVoid)
    #expect(!words([packet("01")]).saysVoid && !words([packet("dd")]).isEmpty)
    #expect(!words([packet("dd")]).saysVoid)
    // Cut off, and of another class.
    #expect(words([String(packet("00").prefix(12 + 2 * flags))]).isEmpty)
    #expect(words([packet("00").replacing("b56201", with: "b56202")]).isEmpty)
  }

  @Test func theDateIsThatOfTheLastRMC() throws {
    let said = words(["$GPRMC,1,A,\(Self.place),0.0,,300615,,,A", "$GPRMC,1,A,\(Self.place),0.0,,,,,A"])
    let day = try #require(said.day)
    #expect(day.year == 2015 && day.month == 6 && day.day == 30)
    let old = try #require(words(["$GPRMC,1,V,,,,,,,311299,,,N"]).day)
    #expect(old.year == 1999 && old.month == 12 && old.day == 31)
    #expect(words(["$GPRMC,1,V,,,,,,,3112,,,N"]).day == nil)
  }
}
