import Model
import OwnTracks
import Testing

// behaviour: HTTP
struct HTTPTests {
  @Test(arguments: [
    ("https://host/path", "https://host"), ("http://host", "http://host"),
    ("HTTPS://Host:8443?q", "https://Host:8443"),
    ("https://u:p@host:1/x", "https://host:1"), ("https://u:p@w@host/@x", "https://host"),
    ("https://[::1]:8080/", "https://[::1]:8080"), ("http://10.0.0.1/#a", "http://10.0.0.1"),
  ])
  func originOmitsPathAndCredentials(_ text: String, _ origin: String) {
    #expect(HTTPAddress(text)?.origin == origin)
  }

  @Test(arguments: [
    "", "host/path", "ftp://host/", "https://", "https:///path", "https://host:port/path", "https://host:0",
    "https://host:", "https://[::1", "https://a b/", "https://a/\n", "https://ä/", "https://u:p@/",
    "https://host/" + String(repeating: "x", count: 2000),
  ])
  func invalidURLIsRejected(_ text: String) {
    #expect(HTTPAddress(text) == nil)
  }

  @Test func credentialsStandBeforeTheHost() {
    #expect(HTTPAddress("https://u:p@host/")?.hasCredentials == true)
    #expect(HTTPAddress("https://host/u:p@x")?.hasCredentials == false)
  }

  @Test func headersAreSeparatedByBackslashAndN() {
    let headers = HTTPHeaders(#"X-A: 1\nX-B:2"#)?.all.map { "\($0.name)=\($0.value)" }
    #expect(headers == ["X-A=1", "X-B=2"])
  }

  @Test func aValueMayHoldColonsAndBackslashes() {
    let headers = HTTPHeaders(#"A: b:c\d \n\n B : "#)?.all.map { "\($0.name)=\($0.value)" }
    #expect(headers == [#"A=b:c\d"#, "B="])
  }

  @Test(arguments: ["no colon", ": value", "a b: c", "a: b\nc: d", "a: b\r", "ä: b", "a: \u{7F}"])
  func aHeaderThatIsNoneIsRefused(_ text: String) {
    #expect(HTTPHeaders(text) == nil)
  }

  @Test func headerNamesAreCaseInsensitive() {
    var headers = HTTPHeaders()
    headers.set("Content-Type", "a")
    headers.set("content-type", "b")
    #expect(headers.all.map(\.value) == ["b"])
    #expect(headers.value("CONTENT-TYPE") == "b")
  }

  private func request(_ text: String) -> String {
    String(decoding: HTTPBody.request(Array(text.utf8), topic: "a/\"b"), as: UTF8.self)
  }

  @Test func theTopicGoesInsideOfAnObject() {
    #expect(request(#"{"_type":"location"}"#) == #"{"_type":"location","topic":"a/\"b"}"#)
    #expect(request("{ \n}") == #"{"topic":"a/\"b"}"#)
    #expect(request("{}") == #"{"topic":"a/\"b"}"#)
  }

  @Test(arguments: ["", "publish", "[1]", "{"])
  func nonObjectBodyIsUnchanged(_ text: String) {
    #expect(request(text) == text)
  }

  @Test func anAnswerHoldsOneObjectOrMany() {
    #expect(HTTPBody.answer(Array(#"[{"a":1},2,[],{}]"#.utf8)) == [["a": 1], [:]])
    #expect(HTTPBody.answer(Array(#"{"a":1}"#.utf8)) == [["a": 1]])
    #expect(HTTPBody.answer(Array("oops".utf8)) == nil)
  }

  private func topics(_ messages: JSON...) -> [String] {
    HTTPBody.topics(of: messages, commands: "o/u/d/cmd")
  }

  @Test func commandsAreOursAndTheRestComesFromFriends() {
    #expect(
      topics(
        ["_type": "cmd", "tid": "x", "topic": "o/b/p"], ["_type": "location", "tid": "AM"],
        ["_type": "card", "tid": "#/+"], ["_type": "location"])
        == ["o/u/d/cmd", "owntracks/http/AM", "owntracks/http/unknown", "owntracks/http/unknown"])
  }

  @Test func friendsSharingATrackerIDAreSplitByTopic() {
    #expect(
      topics(
        ["_type": "card", "tid": "bo"], ["_type": "location", "tid": "bo", "topic": "o/bob/p"],
        ["_type": "card", "tid": "bo"], ["_type": "location", "tid": "bo", "topic": "o/carol/p"],
        ["_type": "card", "tid": "bo"], ["_type": "transition", "tid": "x", "topic": "o/dave/p/event"],
        ["_type": "card", "tid": "x"])
        == ["o/bob/p", "o/bob/p", "o/carol/p", "o/carol/p", "o/carol/p", "o/dave/p", "o/dave/p"])
  }

  @Test(arguments: ["", "a/#", "+/b", "o/u/d/cmd", "a\nb", "/info", String(repeating: "x", count: 257)])
  func aTopicThatNoFriendHasIsNone(_ topic: String) {
    #expect(
      topics(["_type": "location", "tid": "AM", "topic": .string(topic)]) == ["owntracks/http/AM"])
  }

  @Test func payloadIsRecoveredFromPostedBody() {
    for text in [#"{"_type":"location"}"#, "{}", #"{"topic":"else"}"#] {
      let posted = HTTPBody.request(Array(text.utf8), topic: "a/\"b")
      #expect(String(decoding: HTTPBody.payload(posted, topic: "a/\"b"), as: UTF8.self) == text)
      #expect(HTTPBody.payload(Array(text.utf8), topic: "a/\"b") == Array(text.utf8))
    }
  }
}

struct WebPageTests {
  @Test(arguments: [
    "<!DOCTYPE html><html>", "  \r\n<html lang=de>", "\u{FEFF}<HTML>", "<body>", "<!-- portal --><html>",
    "<script>location='http://10.0.0.1/login'</script>", "<meta http-equiv=refresh>", "<h1>Willkommen</h1>",
    "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0\">", "<p>", "<p",
  ])
  func bodyBeginningWithHTMLIsAWebPage(_ body: String) {
    #expect(WebPage.isOne(kind: "", body: Array(body.utf8)))
    #expect(WebPage.isOne(kind: "application/json", body: Array(body.utf8)))
  }

  @Test(arguments: [
    ("", ""), ("", "[]"), ("application/json", "[]"), ("application/json; charset=utf-8", "{}"), ("", "oops"),
    ("text/plain", "OK"), ("text/html", " []"), ("text/html; charset=utf-8", "OK"), ("text/html", ""),
    ("text/html; charset=UTF-8", "{\"_type\":\"cmd\"}"),
    ("", "<?xml version=\"1.0\"?><answer/>"), ("text/xml", "<position/>"), ("", "<address>"),
  ])
  func serverAnswersAreNoWebPage(_ kind: String, _ body: String) {
    #expect(!WebPage.isOne(kind: kind, body: Array(body.utf8)))
  }

  @Test(arguments: ["text/html", "Text/HTML; charset=utf-8", "text/html;charset=x", "application/xhtml+xml"])
  func anyTagInABodyOfHTMLTypeIsAWebPage(_ kind: String) {
    for body in ["<x>", " <login-form>"] { #expect(WebPage.isOne(kind: kind, body: Array(body.utf8))) }
  }
}

// behaviour: HTTP
struct RetryAfterTests {
  private static let now = "Wed, 21 Oct 2015 07:28:00 GMT"

  @Test(arguments: [
    ("0", 0.0), ("7", 7), ("3600", 3600), ("3601", 3600), ("99999999999999999999999", 3600), ("-5", 0),
    ("", 0),
    ("soon", 0), ("1.5", 0), (" 7", 0),
    ("Wed, 21 Oct 2015 07:28:30 GMT", 30), ("Wed, 21 Oct 2015 07:27:30 GMT", 0),
    ("Thu, 22 Oct 2015 07:28:30 GMT", 3600), ("Wed, 21 Oct 2015 07:28:30 CET", 0),
    ("Wed, 21 Foo 2015 07:28:30 GMT", 0), ("Wed, 32 Oct 2015 07:28:30 GMT", 0),
  ])
  func secondsOrADateAndAnHourAtMost(_ text: String, _ seconds: Double) {
    #expect(RetryAfter.span(text, answeredAt: Self.now) == .seconds(seconds))
  }

  @Test func aDateCountsFromTheAnswersOwnBecauseTheBoardMayNotKnowTheTime() {
    #expect(RetryAfter.span(Self.now, answeredAt: "Wed, 21 Oct 2015 07:27:50 GMT") == .seconds(10))
    #expect(RetryAfter.span(Self.now, answeredAt: "") == .zero)
  }
}
