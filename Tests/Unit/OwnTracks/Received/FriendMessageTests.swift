import Model
import Testing
import Timebase

@testable import OwnTracks

/// Other people's messages: what is believed of them, and where they are cut.
struct FriendMessageTests {
  private func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
    configured {
      $0.friends.isOn = true
      change(&$0)
    }
  }

  private func read(
    _ text: String, on topic: String = "owntracks/j/p", _ configuration: Configuration? = nil
  ) -> Incoming {
    let configuration = configuration ?? self.configuration()
    return Incoming.read(
      topic: topic, payload: bytes(text), isRetained: false, topics: Topics(configuration, hostName: ""),
      configuration: configuration)
  }

  private func location(_ keys: String) -> FriendLocation? {
    guard
      case .friend("owntracks/j/p", .location(let location)) = read(
        #"{"_type":"location","lat":1,"lon":2,"tst":1700000000\#(keys)}"#)
    else { return nil }
    return location
  }

  private func card(_ text: String) -> FriendCard? {
    guard case .friend("owntracks/j/p", .card(let card)) = read(text, on: "owntracks/j/p/info") else {
      return nil
    }
    return card
  }

  private func complaint(_ text: String) -> String? {
    guard case .malformed(let line) = read(text) else { return nil }
    return line
  }

  @Test func everyKeyOfALocationIsKept() {
    var expected = FriendLocation(
      time: WallTime(seconds: start), coordinate: Coordinate(latitude: 1, longitude: 2)!)
    #expect(location("") == expected)
    (expected.accuracy, expected.altitude, expected.speed) = (7.5, 500.5, 33)
    (expected.course, expected.battery, expected.trigger, expected.tid) = (271, 57, "p", "JP")
    #expect(
      location(
        #","acc":7.5,"alt":500.5,"vel":32.6,"cog":"271","batt":57,"t":"p","tid":"JP","inrids":["a"]"#)
        == expected)
  }

  @Test func nullIsNotSaid() {
    let keys = ["acc", "alt", "vel", "batt", "tid", "t", "conn", "inregions", "inrids"]
    #expect(location(keys.map { #","\#($0)":null"# }.joined()) == location(""))
  }

  @Test(arguments: [
    (#""vac":"x""#, "vac is no number"), (#""created_at":true"#, "created_at is no number"),
    (#""tid":5"#, "tid is no text"), (#""BSSID":[]"#, "BSSID is no text"),
    (#""inregions":"a""#, "inregions is no list of texts"),
    (#""inrids":["a",5]"#, "inrids is no list of texts"),
  ])
  func aKeyOfAnotherKindCostsTheMessage(_ key: String, _ words: String) {
    #expect(
      complaint(#"{"_type":"location","lat":1,"lon":2,"tst":1,"# + key + "}") == "owntracks/j/p: " + words)
  }

  @Test(arguments: [
    (#""lat":0,"lon":0,"tst":1"#, "lat 0.0, lon 0.0 is no place"),
    (#""lat":91,"lon":0,"tst":1"#, "lat 91.0, lon 0.0 is no place"),
    (#""lat":1,"tst":1"#, "lat or lon is missing or no number"),
    (#""lat":1,"lon":2"#, "tst is missing or no time"),
    (#""lat":1,"lon":2,"tst":-1"#, "tst is missing or no time"),
    (#""lat":1,"lon":2,"tst":100000000000"#, "tst is missing or no time"),
  ])
  func invalidPlaceOrTimeIsReported(_ keys: String, _ words: String) {
    #expect(complaint(#"{"_type":"location","# + keys + "}") == "owntracks/j/p: " + words)
  }

  @Test func onTheEquatorAndInGreenwichOneMayBe() {
    for keys in [#""lat":0,"lon":2"#, #""lat":1,"lon":0"#] {
      guard case .friend = read(#"{"_type":"location","tst":0,\#(keys)}"#) else {
        Issue.record("refused: \(keys)")
        continue
      }
    }
  }

  @Test func numbersBeyondAllReasonAreNotSaid() {
    #expect(location(#","vel":999999999,"cog":-999999999"#)?.speed == 999_999_999)
    #expect(location(#","cog":-999999999"#)?.course == -999_999_999)
    for number in ["1000000000", "-1000000000", "1e300"] {
      let found = location(#","vel":\#(number),"batt":\#(number)"#)
      #expect(found != nil && found?.speed == nil && found?.battery == nil)
    }
  }

  @Test func textsAreCutBetweenTwoCharacters() {
    func tid(_ text: String) -> String? { location(#","tid":"\#(text)""#)?.tid }
    let limit = String(repeating: "x", count: 32)
    #expect(tid(limit) == limit && tid(limit + "y") == limit && tid("") == nil)
    let wide = String(repeating: "\u{e4}", count: 16)
    #expect(tid(wide) == wide && tid("x" + wide) == "x" + wide.dropLast())
    // The longest is our own board's.
    #expect(location(#","t":"GTSOS""#)?.trigger == "GTSOS" && location(#","t":"GTSOS9""#)?.trigger == "GTSOS")
    #expect(location(#","t":"pp\#u{1F69A}""#)?.trigger == "pp")
  }

  // MARK: Cards

  @Test func aCardIsANameAndAFaceOrOneOfThem() {
    #expect(
      card(#"{"_type":"card","name":"Jane","face":"QUJD"}"#) == FriendCard(name: "Jane", face: "QUJD"))
    #expect(card(#"{"_type":"card","name":null,"face":null}"#) == FriendCard())
    for key in [#""name":5"#, #""face":[]"#] {
      guard case .malformed(let line) = read(#"{"_type":"card",\#(key)}"#, on: "owntracks/j/p/info") else {
        Issue.record("taken: \(key)")
        continue
      }
      #expect(line.hasSuffix("is no text"))
    }
  }

  @Test func aNameHas256BytesAndAFace32KilobytesAtMost() {
    let name = String(repeating: "n", count: 256)
    #expect(card(#"{"_type":"card","name":"\#(name)m"}"#)?.name == name)
    let face = String(repeating: "A", count: 32_768)
    #expect(card(#"{"_type":"card","face":"\#(face)"}"#)?.face == face)
    #expect(card(#"{"_type":"card","face":"\#(face)A"}"#) == FriendCard())
  }

  /// What is cut out must be the value of that key, whatever else the message holds.
  @Test(arguments: [
    (#"{"face":"AB\"CD\\","name":"x"}"#, #"{"face":null,"name":"x"}"#),
    ("{\"face\"\t\r\n :\r\n\t \"AB\"}", "{\"face\"\t\r\n :\r\n\t null}"),
    (#"{"name":"face","a":["face"],"face":"AB"}"#, #"{"name":"face","a":["face"],"face":null}"#),
    (#"{"name":"\"face\":\"x\"","face":""}"#, #"{"name":"\"face\":\"x\"","face":null}"#),
    (#"{"face":5,"b":"face"}"#, #"{"face":5,"b":"face"}"#), (#"{"faces":"AB"}"#, #"{"faces":"AB"}"#),
    (#"{"face":"AB"#, #"{"face":null"#), (#"{"face""#, #"{"face""#), (#"{"face":"#, #"{"face":"#),
    (#"{"face":"AB\"#, #"{"face":null"#), ("", ""), ("\"", "\""),
  ])
  func aFaceIsCutOutBeforeAnythingIsRead(_ payload: String, _ left: String) {
    #expect(text(FriendMessage.withoutFace(bytes(payload))) == left)
  }

  // MARK: Transitions, and whose they are

  @Test func friendTransitionGivesOneNotice() {
    func notice(_ keys: String) -> String? {
      let text = #"{"_type":"transition","tst":1700000000,"event":"enter"\#(keys)}"#
      guard case .notice(let line) = read(text, on: "owntracks/j/p/event") else { return nil }
      return line
    }
    #expect(notice(#","tid":"JP","desc":"Home\n""#) == #"JP enters Home\n @ 2023-11-14T22:13:20Z"#)
    #expect(notice(#","t":"c""#) == "somebody enters a region @ 2023-11-14T22:13:20Z")
    #expect(notice(#","t":"b""#) == nil)
    #expect(
      complaint(#"{"_type":"transition","tst":1,"event":"stay"}"#)
        == "owntracks/j/p: event is neither enter nor leave")
    guard
      case .notice("JP leaves X @ 1970-01-01T00:00:01Z") = read(
        #"{"_type":"transition","tst":1,"event":"leave","tid":"JP","desc":"X"}"#)
    else {
      Issue.record("no notice")
      return
    }
  }

  @Test func emptyMessageRemovesAFriend() {
    guard case .friend("owntracks/j/p", .gone) = read(""), case .nothing = read("", on: "owntracks/j/p/info"),
      case .nothing = read("", on: "owntracks/u/d"), case .nothing = read("", configured { _ in })
    else {
      Issue.record("not gone")
      return
    }
  }

  @Test func onlyTheCardOfOwnMessagesIsTaken() {
    guard
      case .friend("owntracks/u/d", .card) = read(#"{"_type":"card","name":"J"}"#, on: "owntracks/u/d/info"),
      case .nothing = read(#"{"_type":"card","name":"J"}"#, on: "owntracks/u/d/event"),
      case .nothing = read(#"{"_type":"location","lat":1,"lon":2,"tst":1}"#, on: "owntracks/u/d/info")
    else {
      Issue.record("our own card is not taken, or more than that")
      return
    }
    let http = configuration { $0.transport = .http }
    guard case .friend("owntracks/u/d", .card) = read(#"{"_type":"card"}"#, on: "owntracks/u/d", http) else {
      Issue.record("not over HTTP")
      return
    }
  }

  @Test func friendsHaveAsManyLevelsAsWeHave() {
    let topics = Topics(configured(), hostName: "")
    #expect(topics.friend(of: "owntracks/j/p") == "owntracks/j/p")
    #expect(topics.friend(of: "owntracks/j/p/event/x") == "owntracks/j/p")
    #expect(topics.friend(of: "owntracks//p") == "owntracks//p")
    #expect(topics.friend(of: "owntracks/j") == nil && topics.friend(of: "owntracks/u/d/info") == nil)
  }

  @Test func malformedMessageIsNamedAndOtherTypesIgnored() {
    #expect(complaint("[1]") == "owntracks/j/p: no _type; expected a JSON object with one")
    #expect(complaint("{")?.hasPrefix("owntracks/j/p: line 1, column") == true)
    guard case .nothing = read(#"{"_type":"steps"}"#) else {
      Issue.record("steps are somebody else's")
      return
    }
  }

  @Test func aCardHas48KilobytesWithoutItsFace() {
    func text(_ count: Int) -> String {
      let frame = #"{"_type":"card","face":"QUJD","x":""}"#
      return String(frame.dropLast(2)) + String(repeating: "A", count: count - frame.utf8.count) + "\"}"
    }
    #expect(card(text(49_152)) == FriendCard(face: "QUJD"))
    // A longer one is read without it: null is two bytes less.
    #expect(card(text(49_154)) == FriendCard())
    guard case .malformed = read(text(49_155), on: "owntracks/j/p/info") else {
      Issue.record("read")
      return
    }
  }
}
