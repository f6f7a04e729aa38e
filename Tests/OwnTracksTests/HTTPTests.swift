import Model
import OwnTracks
import Testing

struct HTTPTests {
  @Test(arguments: [
    ("https://host/path", "https://host"), ("http://host", "http://host"),
    ("HTTPS://Host:8443?q", "https://Host:8443"),
    ("https://u:p@host:1/x", "https://host:1"), ("https://u:p@w@host/@x", "https://host"),
    ("https://[::1]:8080/", "https://[::1]:8080"), ("http://10.0.0.1/#a", "http://10.0.0.1"),
  ])
  func ofAnAddressPeopleSeeTheOrigin(_ text: String, _ origin: String) {
    #expect(HTTPAddress(text)?.origin == origin)
  }

  @Test(arguments: [
    "", "host/path", "ftp://host/", "https://", "https:///path", "https://host:port/path", "https://host:0",
    "https://host:", "https://[::1", "https://a b/", "https://a/\n", "https://ä/", "https://u:p@/",
    "https://host/" + String(repeating: "x", count: 2000),
  ])
  func whatIsNoAddressIsNone(_ text: String) {
    #expect(HTTPAddress(text) == nil)
  }

  @Test func credentialsStandBeforeTheHost() {
    #expect(HTTPAddress("https://u:p@host/")?.hasCredentials == true)
    #expect(HTTPAddress("https://host/u:p@x")?.hasCredentials == false)
  }

  @Test func case91HeadersAreSeparatedByBackslashAndN() {
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

  @Test func aHeaderIsReplacedWhateverTheSizeOfItsLetters() {
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
  func whatIsNoObjectStaysAsItIs(_ text: String) {
    #expect(request(text) == text)
  }

  @Test func anAnswerHoldsOneObjectOrMany() {
    #expect(HTTPBody.answer(Array(#"[{"a":1},2,[],{}]"#.utf8)) == [["a": 1], [:]])
    #expect(HTTPBody.answer(Array(#"{"a":1}"#.utf8)) == [["a": 1]])
    #expect(HTTPBody.answer(Array("oops".utf8)) == nil)
  }

  @Test func commandsAreOursAndTheRestComesFromFriends() {
    let topic = { HTTPBody.topic(of: $0, commands: "o/u/d/cmd") }
    #expect(topic(["_type": "cmd", "tid": "x"]) == "o/u/d/cmd")
    #expect(topic(["_type": "location", "tid": "AM"]) == "owntracks/http/AM")
    #expect(topic(["_type": "card", "tid": "#/+"]) == "owntracks/http/unknown")
    #expect(topic(["_type": "location"]) == "owntracks/http/unknown")
  }
}
