import Model
import TestSupport
import Testing
import Timebase

@testable import Receiver

// behaviour: Jamming and spoofing
/// The packets in which a receiver tells of interference, as gpsd repeats them.
struct InterferencePacketTests {
  /// As gpsd 3.22 and 3.25 have repeated those of a receiver on a terminal.
  static let hardware =
    "b5620a093c00000000000000000000000000000000000000000000000c0000000000000000000000"
    + "0000000000000000000000c8000000000000000000000000000023bf"
  static let radio = "b5620a381c00000100000003020100000000000000005a00a00fb400010001000000249a"
  static let status = "b5620103100000000000030d001064000000e80300008379"

  static func line(_ kind: [UInt8], _ content: [UInt8]) -> String {
    UBX.frame(kind, content).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func radio(_ states: UInt8...) -> String {
    line(
      InterferencePacket.radio,
      [0, UInt8(states.count), 0, 0] + states.flatMap { [0, $0] + [UInt8](repeating: 0, count: 22) })
  }

  static func hardware(_ state: UInt8, length: Int = 60) -> String {
    var content = [UInt8](repeating: 0, count: length)
    content[22] = state << 2 | 3
    return line(InterferencePacket.hardware, content)
  }

  static func status(_ state: UInt8) -> String {
    var content = [UInt8](repeating: 0, count: 16)
    (content[4], content[5], content[7]) = (3, 0x0D, state << 3 | 0xC0)
    return line(InterferencePacket.status, content)
  }

  private func read(_ line: String) -> String? {
    Array(line.utf8).withUnsafeBytes { bytes in
      switch InterferencePacket(bytes) {
      case .jamming(let level): "jamming \(level)"
      case .spoofing(let level): "spoofing \(level)"
      case nil: nil
      }
    }
  }

  @Test func packetsAreReadAsGPSDRepeatsThem() {
    #expect(read(Self.hardware) == "jamming critical")
    #expect(read(Self.radio) == "jamming critical")
    #expect(read(Self.status) == "spoofing warning")
  }

  @Test(arguments: zip([UInt8](0...3), [Interference.Level.unknown, .none, .warning, .critical]))
  func eachStateHasItsLevel(_ state: UInt8, _ level: Interference.Level) {
    #expect(read(Self.hardware(state)) == "jamming \(level)")
    #expect(read(Self.hardware(state, length: 68)) == "jamming \(level)")
    #expect(read(Self.radio(state)) == "jamming \(level)")
    #expect(read(Self.status(state)) == "spoofing \(level)")
  }

  @Test func theWorstOfTheInputsCounts() {
    #expect(read(Self.radio(1, 3)) == "jamming critical" && read(Self.radio(2, 1)) == "jamming warning")
    #expect(read(Self.radio(0, 1)) == "jamming none")
  }

  @Test func aDamagedOrShortenedLineIsNoAnswer() {
    for whole in [Self.hardware, Self.radio, Self.status, Self.radio(1, 2)] {
      for length in 0..<whole.utf8.count { #expect(read(String(whole.prefix(length))) == nil) }
      for index in whole.indices where whole[index] != "9" {
        let damaged = whole.replacingCharacters(at: index, with: "9")
        #expect(read(damaged) == nil, "\(damaged)")
      }
      #expect(read(whole + "00") == nil && read("zz" + whole) == nil && read(whole.uppercased()) == nil)
    }
  }

  /// One whose sum is right and whose form is another.
  @Test func aPacketOfAnotherFormIsNoAnswer() {
    #expect(read(Self.radio()) == nil)
    let counted = [0, 2, 0, 0] + [UInt8](repeating: 1, count: 24)
    #expect(read(Self.line(InterferencePacket.radio, counted)) == nil)
    #expect(read(Self.line(InterferencePacket.radio, [])) == nil)
    #expect(read(Self.hardware(3, length: 28)) == nil)
    #expect(read(Self.line(InterferencePacket.status, [1, 2])) == nil)
    #expect(read(Self.line([0x01, 0x07], [UInt8](repeating: 255, count: 92))) == nil)
    #expect(read("$GPRMC,1,A,4830.00000,N,01106.00000,E,0.0,,211126,,,A*5C") == nil)
  }
}

extension String {
  fileprivate func replacingCharacters(at index: Index, with letter: Character) -> String {
    String(prefix(upTo: index)) + String(letter) + String(suffix(from: self.index(after: index)))
  }
}

// behaviour: Jamming and spoofing
/// When the receiver is asked, and when gpsd may cease to repeat it.
struct ReceiverMonitorTests {
  private let reports = GPSDReports(device: "", isMonitored: true)

  private func take(_ line: String, at second: Double) {
    _ = GPSDReportsTests.take(reports, Array(line.utf8), at: .zero + .seconds(second))
  }

  private func report(at second: Double) {
    take(#"{"class":"TPV","device":"/dev/a","mode":1}"#, at: second)
  }

  private func plugIn(_ path: String = "/dev/a", driver: String = "u-blox") {
    take(
      #"{"class":"DEVICE","path":"\#(path)","driver":"\#(driver)","activated":"2026-11-30T07:41:05.996Z"}"#,
      at: 0)
  }

  /// The second of a report with which it was asked, each.
  private func asked(in seconds: ClosedRange<Int>) -> [Int] {
    seconds.filter { second in
      report(at: Double(second))
      return reports.monitor?.takeQuestion() == true
    }
  }

  private func answer(_ jamming: UInt8, _ spoofing: UInt8 = 1, at second: Double) -> Interference? {
    take(InterferencePacketTests.status(spoofing), at: second)
    take(InterferencePacketTests.hardware(jamming), at: second)
    return reports.monitor?.takeNews()
  }

  @Test func itIsAskedOnceAMinuteWithAReport() {
    plugIn()
    #expect(asked(in: 0...2) == [0] && reports.wantsWords)
    #expect(answer(1, at: 2.5) == Interference(jamming: .none, spoofing: .none))
    #expect(!reports.wantsWords)
    #expect(asked(in: 3...70) == [63], "not before 60 s after the answer")
  }

  @Test func itIsAskedEveryTenSecondsWhereItIsDisturbed() {
    plugIn()
    #expect(asked(in: 0...0) == [0])
    #expect(answer(2, at: 0.5)?.jamming == .warning)
    #expect(asked(in: 1...11) == [11])
    #expect(answer(1, at: 11.5)?.jamming == Interference.Level.none)
    #expect(asked(in: 12...22) == [22], "whether that is the end")
    #expect(answer(1, at: 22.5)?.jamming == Interference.Level.none)
    #expect(asked(in: 23...90) == [83])
  }

  @Test func noAnswerInThreeSecondsIsNone() {
    plugIn()
    #expect(asked(in: 0...2) == [0] && reports.wantsWords)
    report(at: 3)
    #expect(!reports.wantsWords && reports.monitor?.isSilent == true)
    #expect(reports.monitor?.takeNews() == nil && reports.monitor?.latest == nil)
    #expect(answer(3, at: 3.5) == nil, "too late")
    #expect(reports.malformed == 0)
    #expect(asked(in: 4...63) == [63])
    #expect(answer(1, at: 63.1) != nil && reports.monitor?.isSilent == false)
  }

  /// A receiver that tells its status by itself has not answered the other question.
  @Test func halfAnAnswerIsTakenAndSaysNothingOfJamming() {
    plugIn()
    #expect(asked(in: 0...0) == [0])
    take(InterferencePacketTests.status(2), at: 1)
    #expect(reports.monitor?.takeNews() == nil && reports.wantsWords)
    report(at: 3)
    #expect(reports.monitor?.takeNews() == Interference(jamming: .unknown, spoofing: .warning))
    #expect(reports.monitor?.isSilent == true)
  }

  @Test func onlyAReceiverOfUBloxThatIsAloneIsAsked() {
    report(at: 0)
    #expect(reports.monitor?.takeQuestion() == false && !reports.wantsWords)
    plugIn(driver: "NMEA0183")
    #expect(asked(in: 1...30) == [])
    plugIn()
    #expect(asked(in: 31...40) == [40])
    #expect(answer(1, at: 41) != nil)
    plugIn("/dev/b")
    #expect(asked(in: 42...300) == [], "the answer could be that of the other one")
  }

  @Test func oneThatRestsIsForgotten() {
    plugIn()
    #expect(asked(in: 0...0) == [0])
    #expect(answer(3, at: 0.5)?.jamming == .critical)
    #expect(asked(in: 1...11) == [11])
    reports.rest()
    #expect(!reports.wantsWords && reports.monitor?.latest == nil)
    #expect(answer(3, at: 12) == nil)
    #expect(asked(in: 20...71) == [71])
  }

  @Test func withoutTheSettingNothingIsAsked() {
    let reports = GPSDReports(device: "")
    #expect(reports.monitor == nil)
    let line = Array(InterferencePacketTests.hardware.utf8)
    #expect(GPSDReportsTests.take(reports, line, at: .zero) == nil && reports.malformed == 1)
  }

  /// Both want to hear the receiver; gpsd goes on until neither does.
  @Test func aDoubtAndAQuestionShareTheRepeats() {
    plugIn()
    func stand(_ second: Double) {
      take(
        #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T12:00:0\#(Int(second)).000Z","#
          + #""ept":0.005,"lat":48.5,"lon":11.5,"speed":0.0,"eph":5.0}"#, at: second)
    }
    stand(0)
    #expect(reports.monitor?.takeQuestion() == true)
    stand(1)
    #expect(answer(1, at: 1.5) != nil)
    #expect(reports.wantsWords, "whether the place is only repeated is not known yet")
    take("$GPRMC,1,A,4830.00000,N,01130.00000,E,0.0,,211126,,,A*5C", at: 1.6)
    take("$GPRMC,1,A,4830.00000,N,01130.00000,E,0.0,,211126,,,A*5C", at: 1.7)
    stand(2)
    #expect(!reports.wantsWords)
  }
}

// behaviour: Jamming and spoofing
/// The same on the wire.
struct ReceiverMonitorConnectionTests {
  private let peer = GPSDPeer()
  private let scene: GPSDScene

  init() throws { scene = try GPSDScene(.init(host: "127.0.0.1", port: peer.port, isMonitored: true)) }

  private func greet(driver: String = "u-blox") {
    scene.gpsd.start()
    #expect(scene.runs { peer.accept() })
    peer.say(GPSDPeer.greeting)
    peer.say(
      #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","driver":"\#(driver)","#
        + #""activated":"2026-11-30T07:41:05.996Z"}]}"# + "\r\n")
    peer.say(#"{"class":"TPV","device":"/dev/a","mode":1}"# + "\r\n")
  }

  @Test func gpsdIsAskedForTheAnswersAndToCeaseAgain() {
    greet()
    let question =
      "\"raw\":1};\n?DEVICE={\"path\":\"/dev/a\",\"hexdata\":"
      + "\"b56201030000040db5620a38000042d0b5620a0900001343\"};\n"
    #expect(scene.runs { peer.commands.hasSuffix(question) }, "\(peer.commands)")
    peer.say(InterferencePacketTests.status(1) + "\r\n" + InterferencePacketTests.radio(1, 3) + "\r\n")
    #expect(scene.runs { peer.commands.hasSuffix("?WATCH={\"enable\":true,\"json\":true,\"raw\":0};\n") })
    #expect(scene.interference == [Interference(jamming: .critical, spoofing: .none)])
    let status = scene.gpsd.status
    #expect(
      status.interference?.jamming == .critical && !status.isMonitorSilent && status.malformedLines == 0)
    #expect(status.cause == "the receiver is jammed, and has no fix")
    scene.gpsd.setAwake(false)
    #expect(scene.gpsd.status.interference == nil)
  }

  @Test func anotherReceiverIsLeftAlone() {
    greet(driver: "NMEA0183")
    #expect(scene.runs { scene.readings.count == 1 })
    #expect(!peer.commands.contains("raw") && !peer.commands.contains("hexdata"))
  }
}
