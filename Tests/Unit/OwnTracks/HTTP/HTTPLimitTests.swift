import OwnTracks
import Testing
import Timebase

/// What goes over HTTP, at its limits.
struct HTTPLimitTests {
  private func request(_ payload: String) -> String {
    text(HTTPBody.request(bytes(payload), topic: "t"))
  }

  @Test(arguments: ["\t", "\n", "\r", " ", "\t\n\r "])
  func blanksBeforeTheLastBraceAreTakenOut(_ blanks: String) {
    #expect(request("{\"a\":1\(blanks)}") == #"{"a":1,"topic":"t"}"#)
    #expect(request("{\(blanks)}") == #"{"topic":"t"}"#)
  }

  @Test func onlyTheAddedTopicIsRemoved() {
    func payload(_ text: String) -> String {
      String(decoding: HTTPBody.payload(bytes(text), topic: "t"), as: UTF8.self)
    }
    #expect(payload(#""topic":"t"}"#) == #""topic":"t"}"#)
    #expect(payload(#"{"topic":"t"}"#) == "{}" && payload(#"{"topic":"u"}"#) == #"{"topic":"u"}"#)
    #expect(payload(#"{"a":1,"topic":"t"}"#) == #"{"a":1}"#)
  }

  private func topics(_ messages: JSON...) -> [String] {
    HTTPBody.topics(of: messages, commands: "o/u/d/cmd")
  }

  @Test func aFriendsTopicHas256BytesAndATrackerID8Characters() {
    let longest = String(repeating: "x", count: 256)
    #expect(topics(["_type": "location", "topic": .string(longest)]) == [longest])
    #expect(topics(["_type": "location", "topic": .string(longest + "y")]) == ["owntracks/http/unknown"])
    #expect(topics(["_type": "card", "tid": "123456789"]) == ["owntracks/http/12345678"])
    #expect(topics(["_type": "card", "tid": "a/+#\0b"]) == ["owntracks/http/ab"])
  }

  @Test func commandTopicIsNotLearnedForATrackerID() {
    #expect(
      topics(["_type": "cmd", "tid": "a", "topic": "o/b/p"], ["_type": "card", "tid": "a"])
        == ["o/u/d/cmd", "owntracks/http/a"])
    #expect(topics(["_type": "card", "tid": "a", "topic": "o/b/p/info"]) == ["o/b/p"])
    // Nobody's id is no id that two have in common.
    #expect(
      topics(["_type": "location", "topic": "o/b/p"], ["_type": "card"]) == [
        "o/b/p", "owntracks/http/unknown",
      ])
  }

  @Test func headersAreFoundAndReplaced() {
    var headers = HTTPHeaders(#" A : 1 \nb:\n  \nC!~:x"#)
    #expect(headers?.all.map { "\($0.name)=\($0.value)" } == ["A=1", "b=", "C!~=x"])
    headers?.set("a", "2")
    #expect(headers?.all.map { "\($0.name)=\($0.value)" } == ["b=", "C!~=x", "a=2"])
    #expect(headers?.value("A") == "2" && headers?.value("D") == nil && headers?.value("B") == "")
    #expect(HTTPHeaders(#"A: b\"#)?.value("a") == #"b\"# && HTTPHeaders("")?.all == [])
    // A backslash does not take the meaning from the one behind it.
    #expect(HTTPHeaders(#"A: b\\nC: d"#)?.all.map(\.value) == [#"b\"#, "d"])
    #expect(HTTPHeaders("a(b: c") == nil && HTTPHeaders("Az09: c")?.all.count == 1)
  }

  // MARK: Pages

  @Test(arguments: [9, 10, 12, 13, 32] as [UInt8])
  func blanksInFrontOfAPageDoNotMatter(_ blank: UInt8) {
    #expect(WebPage.isOne(kind: "", body: [blank, blank] + bytes("<html>")))
    #expect(!WebPage.isOne(kind: "text/html", body: [blank] + bytes("{}")))
  }

  @Test func onlyBlanksAreBlanks() {
    for byte in [8, 11, 14, 33] as [UInt8] {
      #expect(!WebPage.isOne(kind: "", body: [byte] + bytes("<html>")))
    }
  }

  @Test func aPageSaysSoInItsFirst512Bytes() {
    func page(_ count: Int) -> [UInt8] {
      let head = "<?xml version=\"1.0\"?>"
      return bytes(head + String(repeating: " ", count: count - head.utf8.count - 5) + "<html xmlns=\"x\">")
    }
    #expect(WebPage.isOne(kind: "", body: page(512)) && !WebPage.isOne(kind: "", body: page(513)))
  }

  @Test(arguments: ["<b/>", "<a href=x>", "<form\t>", "<!doctype html5>", "<h1\n>", "<?xml?><!DOCTYPE html>"])
  func aTagEndsWithABlankAStrokeOrABracket(_ body: String) {
    #expect(WebPage.isOne(kind: "", body: bytes(body)))
  }

  @Test(arguments: ["<bx>", "<html5>", "<-- x", "html>", "<", "x<html>"])
  func otherTagsAreNone(_ body: String) { #expect(!WebPage.isOne(kind: "", body: bytes(body))) }

  @Test(arguments: [
    ("text/html ;x", true), ("text/htmlx", false), ("application/xhtml+xml;q", true), ("", false),
  ])
  func contentTypeIsMatchedUpToItsParameters(_ kind: String, _ isPage: Bool) {
    #expect(WebPage.isOne(kind: kind, body: bytes("<words>")) == isPage)
  }

  // MARK: Retry-After

  @Test func everyMonthHasItsDays() {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    for (index, month) in months.enumerated() {
      // The last second of the month before, and the first of this one.
      let before = months[(index + 11) % 12]
      let year = index == 0 ? 2014 : 2015
      let last = [31, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30][index]
      #expect(
        RetryAfter.span(
          "Wed, 01 \(month) 2015 00:00:01 GMT", answeredAt: "Tue, \(last) \(before) \(year) 23:59:59 GMT")
          == .seconds(2), "\(month)")
    }
  }

  @Test(arguments: [
    "Wed, 21 Oct 2015 07:28:30", "Wed, 21 Oct 2015 07:28:30 GMT ", "Wed,  21 Oct 2015 07:28:30 GMT",
    "21 Oct 2015 07:28:30 GMT", "Wed, 21 Oct 2015 07:28:30 UTC", "/", ":",
  ])
  func malformedRetryAfterGivesNoWait(_ text: String) {
    #expect(RetryAfter.span(text, answeredAt: "Wed, 21 Oct 2015 07:28:00 GMT") == .zero)
  }

  @Test func anHourIsTheLongestWait() {
    #expect(RetryAfter.longest == .seconds(3600))
    #expect(RetryAfter.span("9", answeredAt: "") == .seconds(9))
    #expect(RetryAfter.span("0", answeredAt: "x") == .zero)
  }
}
