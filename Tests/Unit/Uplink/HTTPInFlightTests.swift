import Model
import Testing
import Timebase

@testable import Uplink

struct HTTPInFlightTests {
  private static func message(_ sequence: UInt64) -> Message {
    Message(
      sequence: sequence, topic: "t", payload: [], qos: 1, isRetained: false, isEvent: false, time: 0)
  }

  /// Gives the next message and says what went.
  private func give(_ sequence: UInt64, to inFlight: inout HTTPInFlight) -> UInt64? {
    let isTaken = inFlight.take(Self.message(sequence))
    #expect(isTaken)
    return inFlight.advance()?.sequence
  }

  @Test func oneAfterTheOtherAndOneBehindIt() {
    var inFlight = HTTPInFlight()
    #expect(give(1, to: &inFlight) == 1)
    #expect(give(2, to: &inFlight) == 1)
    let isTaken = inFlight.take(Self.message(3))
    #expect(!isTaken)
    #expect(inFlight.taken()?.sequence == 1)
    #expect(inFlight.advance()?.sequence == 2)
  }

  // behaviour: HTTP
  @Test func aMessageIsGivenUpOnlyWhenItIsTurnedAwayAgainRightAfterAnotherWasTaken() {
    var inFlight = HTTPInFlight()
    #expect(give(1, to: &inFlight) == 1)
    #expect(inFlight.turnedAway() == .suspected)
    #expect(inFlight.advance() == nil)
    #expect(give(2, to: &inFlight) == 2)
    #expect(inFlight.taken()?.sequence == 2)
    #expect(inFlight.advance()?.sequence == 1)
    #expect(inFlight.turnedAway() == .refused(Self.message(1)))
    #expect(inFlight.count == 0)
  }

  // behaviour: HTTP
  @Test func whereNoneIsTakenNoneIsGivenUp() {
    var inFlight = HTTPInFlight()
    #expect(give(1, to: &inFlight) == 1)
    #expect(inFlight.turnedAway() == .suspected)
    for sequence in UInt64(2)...50 {
      #expect(give(sequence, to: &inFlight) == sequence)
      #expect(inFlight.turnedAway() == .postponed(Self.message(sequence)))
      // The first of them goes again by its timer.
      inFlight.retrySuspect()
      #expect(inFlight.advance()?.sequence == 1)
      #expect(inFlight.turnedAway() == .suspected)
    }
  }

  @Test func anotherAnswerInBetweenIsNoProof() {
    var inFlight = HTTPInFlight()
    #expect(give(1, to: &inFlight) == 1)
    #expect(inFlight.turnedAway() == .suspected)
    #expect(give(2, to: &inFlight) == 2)
    #expect(inFlight.taken()?.sequence == 2)
    #expect(inFlight.advance()?.sequence == 1)
    inFlight.kept()
    #expect(inFlight.advance()?.sequence == 1)
    #expect(inFlight.turnedAway() == .suspected)
  }

  @Test func aSuspectThatIsTakenIsForgotten() {
    var inFlight = HTTPInFlight()
    #expect(give(1, to: &inFlight) == 1)
    #expect(inFlight.turnedAway() == .suspected)
    inFlight.retrySuspect()
    #expect(inFlight.advance()?.sequence == 1)
    #expect(inFlight.taken()?.sequence == 1)
    #expect(give(2, to: &inFlight) == 2)
    #expect(inFlight.turnedAway() == .suspected)
  }

  @Test func messagesInFlightAreReturnedInOrder() {
    var inFlight = HTTPInFlight()
    #expect(give(1, to: &inFlight) == 1)
    #expect(inFlight.turnedAway() == .suspected)
    #expect(give(2, to: &inFlight) == 2)
    #expect(inFlight.empty().map(\.sequence) == [1, 2])
    #expect(inFlight.count == 0)
  }

  @Test func besidesASuspectThereIsRoomForOne() {
    var inFlight = HTTPInFlight()
    #expect(give(1, to: &inFlight) == 1)
    #expect(inFlight.turnedAway() == .suspected)
    #expect(give(2, to: &inFlight) == 2)
    let isTaken = inFlight.take(Self.message(3))
    #expect(!isTaken && inFlight.count == 2)
  }

  @Test func suspectRetriedByTimerIsNotGivenUp() {
    var inFlight = HTTPInFlight()
    #expect(give(1, to: &inFlight) == 1)
    #expect(inFlight.turnedAway() == .suspected)
    #expect(give(2, to: &inFlight) == 2)
    #expect(inFlight.taken()?.sequence == 2)
    for _ in 1...5 {
      inFlight.retrySuspect()
      #expect(inFlight.advance()?.sequence == 1)
      #expect(inFlight.turnedAway() == .suspected)
    }
    // Right after another was taken it is.
    #expect(give(3, to: &inFlight) == 3)
    #expect(inFlight.taken()?.sequence == 3)
    #expect(inFlight.advance()?.sequence == 1)
    #expect(inFlight.turnedAway() == .refused(Self.message(1)))
  }
}

// behaviour: HTTP
struct HTTPVerdictTests {
  private func verdict(
    _ status: Int, kind: String = "", retryAfter: String = "", body: String = ""
  ) -> HTTPVerdict {
    let answer = HTTPRequest.Answer(
      status: status, kind: kind, retryAfter: retryAfter, date: "", body: Array(body.utf8), isWhole: true)
    return HTTPVerdict(
      answer, settings: HTTPSettings(Configuration(), topics: .init(Configuration(), hostName: "pi")))
  }

  /// The Recorder and Home Assistant answer `[]` as application/json, Traccar answers nothing at all.
  @Test func answersOfKnownServersCountAsDelivered() {
    #expect(verdict(200, kind: "application/json", body: "[]") == .delivered)
    #expect(verdict(200, kind: "application/json; charset=utf-8", body: "[]") == .delivered)
    #expect(verdict(200) == .delivered)
    #expect(verdict(204) == .delivered)
    #expect(verdict(200, body: "oops") == .delivered)
    // Of Node-RED, Flask and PHP, which name a type that nobody has chosen.
    #expect(verdict(200, kind: "text/html; charset=utf-8", body: "OK") == .delivered)
    #expect(verdict(204, kind: "text/html; charset=utf-8") == .delivered)
  }

  @Test func aWebPageIsNoDelivery() {
    #expect(verdict(200, kind: "text/html", body: "<html>login") == .kept(.webPage, for: .zero))
    #expect(verdict(200, body: "<!doctype html>") == .kept(.webPage, for: .zero))
  }

  private func redirected(_ status: Int = 302, from url: String, to location: String) -> BrokerCause? {
    var configuration = Configuration()
    configuration.transport = .http
    configuration.http.url = url
    let answer = HTTPRequest.Answer(status: status, location: location, isWhole: true)
    let settings = HTTPSettings(configuration, topics: .init(configuration, hostName: "pi"))
    guard case .kept(let cause, for: let span) = HTTPVerdict(answer, settings: settings) else { return nil }
    return span == .zero ? cause : nil
  }

  /// A network's login page; nobody without the certificate could send a board elsewhere from https.
  @Test(arguments: [301, 302, 303, 307, 308]) func anotherHostIsALoginPageAsARule(_ status: Int) {
    let login = BrokerCause.sentElsewhere(status: status, host: "login.wifi")
    let url = "http://hook.example/pub"
    #expect(redirected(status, from: url, to: "http://login.wifi/?from=hook.example") == login)
    #expect(redirected(status, from: url, to: "https://login.wifi:8443/") == login)
    #expect(redirected(status, from: url, to: "//login.wifi/x") == login)
    let answered = BrokerCause.answered(status: status)
    for location in ["/login", "https://HOOK.example/pub", "", "nonsense"] {
      #expect(redirected(status, from: url, to: location) == answered, "\(location)")
    }
    #expect(redirected(status, from: "https://hook.example/pub", to: "http://login.wifi/") == answered)
  }

  @Test func theLoginPageIsNamedAndTheAddressStays() {
    let cause = BrokerCause.sentElsewhere(status: 302, host: "login.wifi")
    #expect("\(cause)".contains("this network wants a login") && cause.colour == .red)
    let remedy = BrokerRemedy(Configuration()).words(for: cause)
    #expect(remedy.hasPrefix("log in to this network with a browser"), "\(remedy)")
  }

  @Test(arguments: [400, 413, 422])
  func theseAreAboutTheMessage(_ status: Int) {
    #expect(verdict(status) == .turnedAway(.answered(status: status)))
  }

  @Test(arguments: [301, 302, 307, 308, 401, 403, 404, 405, 406, 408, 409, 410, 411, 415, 421, 429, 431, 451])
  func theseAreNot(_ status: Int) {
    #expect(verdict(status) == .kept(.answered(status: status), for: .zero))
  }

  @Test(arguments: [429, 503, 404, 302])
  func anEndpointMayAskToBeLeftAlone(_ status: Int) {
    #expect(
      verdict(status, retryAfter: "120") == .kept(.answered(status: status), for: .seconds(120)))
  }
}

struct HTTPHeadTests {
  private func head(_ lines: String...) -> HTTPHead {
    var head = HTTPHead()
    for line in lines { Array((line + "\r\n").utf8).withUnsafeBytes { head.take($0) } }
    return head
  }

  @Test func headerNamesAreCaseInsensitive() {
    let head = head(
      "HTTP/1.1 503 Wait", "content-TYPE:text/html; charset=x ", "RETRY-AFTER:  7", "Date: now", "X: y", "")
    #expect(head.isWhole)
    #expect([head.kind, head.retryAfter, head.date] == ["text/html; charset=x", "7", "now"])
  }

  /// Its host is at the beginning, whatever follows.
  @Test func whereARedirectionLeadsIsReadHoweverLongItIs() {
    let long = "http://login.wifi/?" + String(repeating: "x", count: 300)
    #expect(head("HTTP/1.1 302 Found", "Location: " + long, "").location.hasPrefix("http://login.wifi/?x"))
    #expect(head("HTTP/1.1 302 Found", "Location: " + long, "").location.utf8.count <= HTTPHead.limit)
  }

  @Test func aProvisionalAnswerIsNone() {
    #expect(!head("HTTP/1.1 100 Continue", "Retry-After: 7", "", "HTTP/1.1 200 OK").isWhole)
    #expect(head("HTTP/1.1 103 Hints", "Retry-After: 7", "", "HTTP/1.1 200 OK", "").retryAfter.isEmpty)
  }

  @Test func aHeaderThatIsTooLongSaysNothing() {
    let head = head("HTTP/1.1 200 OK", "Content-Type: " + String(repeating: "x", count: 300), "")
    #expect(head.isWhole && head.kind.isEmpty)
    #expect(head.count > 300)
  }

  /// Of the whole line.
  @Test func aHeaderOfTwoHundredBytesIsRead() {
    for (count, isRead) in [(200, true), (201, false)] {
      let value = String(repeating: "x", count: count - "Date: ".count)
      #expect(head("HTTP/1.1 200 OK", "Date: " + value, "").date == (isRead ? value : ""), "\(count)")
    }
  }

  @Test func blanksAndTabsAreNoPartOfAValue() {
    #expect(head("HTTP/1.1 200 OK", "Date:\t \tnow\t \t", "").date == "now")
  }

  @Test func everyByteOfAHeadIsCounted() {
    #expect(head().count == 0)
    #expect(head("HTTP/1.1 200 OK").count == 17)
    #expect(
      head("HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK", "Date: now", "").count == 23 + 2 + 17 + 11 + 2)
  }
}
