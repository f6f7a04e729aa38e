import OwnTracks
import Testing

@testable import homeward

// behaviour: Fleets
/// What a board's last words say of it, and what its silence does.
struct FleetStandingTests {
  private func word(_ linux: String, at time: Int? = 1000, topic: String = "owntracks/a/b/status") throws
    -> FleetWord
  {
    let date = time.map { #","tst":\#($0)"# } ?? ""
    let line = #"{"topic":"\#(topic)","_type":"status","linux":{\#(linux)}\#(date)}"#
    return try #require(try FleetWord(line: Array(line.utf8)))
  }

  private func state(_ linux: String, at now: Int, told time: Int? = 1000) throws -> FleetStanding.State {
    FleetStanding(topic: "t", try word(linux, at: time), at: now).state
  }

  private let hourly = #""online":true,"interval":3600,"version":"1""#

  @Test func ageDecides() throws {
    #expect(try state(hourly, at: 1000 + 3600 + 900 + 10) == .online)
    #expect(try state(hourly, at: 1000 + 3600 + 900 + 11) == .overdue)
    #expect(FleetStanding(topic: "t", try word(hourly), at: 100_000).overdueSince == 4600)
    // A board whose clock is ahead.
    #expect(try state(hourly, at: 0) == .online)
  }

  @Test func withoutIntervalOrDateThereIsNoAge() throws {
    #expect(try state(#""online":true"#, at: 1_000_000) == .online)
    #expect(try state(hourly, at: 1_000_000, told: nil) == .online)
    #expect(try word(hourly, at: 0).time == nil)
  }

  @Test func boardThatHasTakenItsLeaveIsNotMissing() throws {
    let gone = #""online":false,"version":"1","reason":"#
    #expect(try state(gone + #""stopped""#, at: 1_000_000) == .stopped)
    #expect(try state(gone + #""parked""#, at: 1_000_000) == .asleep)
    #expect(try state(gone + #""batteryLow""#, at: 1_000_000) == .asleep)
    let parked = gone + #""parked","nextCheckIn":22600"#
    #expect(try state(parked, at: 26_200) == .asleep && state(parked, at: 26_201) == .overdue)
    #expect(FleetStanding(topic: "t", try word(parked), at: 26_201).overdueSince == 22_600)
    // Of a version that gave no reason; and then the broker's word alone.
    #expect(try state(#""online":false,"queueLength":0"#, at: 0) == .stopped)
    #expect(try state(#""online":false"#, at: 0) == .vanished)
    let missing = FleetStanding.State.allCases.filter(\.isMissing)
    #expect(missing == [.overdue, .vanished])
  }

  @Test func theLastLineOfATopicCountsAndTheFolderIsListed() throws {
    let topic = "f/b/status"
    let words = [
      try word(#""online":true"#, topic: topic),
      try word(#""online":false,"reason":"stopped""#, topic: topic),
    ]
    let boards = FleetStanding.all(words, known: ["f/b", "f/a"], at: 0)
    #expect(boards.map(\.topic) == ["f/a", "f/b"] && boards.map(\.state) == [.never, .stopped])
    #expect(FleetStanding.summary(boards) == "2 boards: 1 stopped, 1 never heard")
  }

  @Test func callForHelpComesFirst() throws {
    let words = [
      try word(hourly + #","sos":3"#, topic: "f/a/status"), try word(hourly, topic: "f/b/status"),
      try word(#""online":false,"reason":"stopped","sos":1"#, topic: "f/c/status"),
    ]
    let boards = FleetStanding.all(words, known: [], at: 1000)
    #expect(boards.map { $0.row[1] } == ["SOS, online", "online", "SOS, stopped"])
    #expect(boards.map(\.callsForHelp) == [true, false, true])
    #expect(FleetStanding.summary(boards) == "3 boards: 2 online, 1 stopped; SOS from 2")
  }

  @Test func payloadIsTakenAsObjectOrText() throws {
    let linux = #"{"online":true,"battery":{"level":80},"update":{"result":"back","version":"2"}}"#
    let inner = #"{"_type":"status","linux":\#(linux)}"#
    let quoted = inner.replacing("\"", with: "\\\"")
    for payload in [inner, "\"" + quoted + "\""] {
      let line = #"{"topic":"a/b/status","qos":0,"payload":\#(payload)}"#
      let word = try #require(try FleetWord(line: Array(line.utf8)))
      #expect(word.topic == "a/b" && word.battery == 80 && word.update?.result == "back")
    }
  }

  @Test func linesThatAreNoStatusAreNamedOrPassedBy() throws {
    func fault(_ line: String) -> String? {
      do {
        _ = try FleetWord(line: Array(line.utf8))
        return nil
      } catch {
        return error.text
      }
    }
    #expect(fault("{")?.hasPrefix("no JSON") == true)
    #expect(fault("{}") == "no topic")
    #expect(fault(#"{"topic":"a/b/status","payload":"x"}"#) == "a payload that is no JSON")
    #expect(fault(#"{"topic":"a/b/status","_type":"encrypted"}"#)?.hasPrefix("encrypted") == true)
    #expect(fault(#"{"topic":"a/b/status","_type":"location"}"#) == "no status of a board")
    let location = try FleetWord(line: Array(#"{"topic":"a/b","_type":"location"}"#.utf8))
    #expect(location == nil)
  }

  /// The page that shows a fleet is held to the same lines (Tests/Programs/fleet/test-fleet-page.py).
  @Test func theCasesThatTheFleetsPageIsHeldToHold() throws {
    let path = #filePath.replacing("FleetStandingTests.swift", with: "standing.jsonl")
    let cases = try FileText.read(path, atMost: 1 << 20).split(separator: UInt8(ascii: "\n"))
    #expect(cases.count > 30)
    for text in cases {
      let example = try JSON.parse(Array(text), values: 1000)
      let name = Comment(rawValue: String(decoding: text, as: UTF8.self))
      let line = Array((example["line"]?.text ?? "").utf8)
      let now = example["now"]?.int ?? 0
      do {
        let word = try FleetWord(line: line)
        let answer = word.map { FleetStanding(topic: $0.topic, $0, at: now).answer }
        #expect((answer ?? .null).description == example["answer"]?.description, name)
      } catch {
        let fault = error.text.split(separator: " (").first.map(String.init)
        #expect(fault == example["fault"]?.text, name)
      }
    }
  }
}
