import Testing

@testable import Access

/// Who is known.
struct SessionsTests {
  private let now = 1_800_000_000

  private func session(_ key: String, made: Int? = nil) -> Session {
    Session(hash: Secret.hash(of: key), permission: .change, made: made ?? now, device: "Phone")
  }

  @Test func theOneWithTheKeyIsFound() {
    var sessions = Sessions()
    for key in ["a", "b", "c"] { sessions.add(session(key)) }
    #expect(sessions.session(ofKey: "b", at: now)?.hash == Secret.hash(of: "b"))
    #expect(sessions.session(ofKey: "d", at: now) == nil)
    #expect(sessions.session(ofKey: "", at: now) == nil)
    // Who reads the file has no key.
    #expect(sessions.session(ofKey: Secret.hash(of: "b"), at: now) == nil)
  }

  @Test func theOldestGoesWhereThereAreTooMany() {
    var sessions = Sessions()
    for number in 0...Sessions.limit { sessions.add(session("\(number)")) }
    #expect(sessions.all.count == Sessions.limit)
    #expect(sessions.session(ofKey: "0", at: now) == nil)
    #expect(sessions.session(ofKey: "1", at: now) != nil)
  }

  @Test func aYearEndsIt() {
    var sessions = Sessions()
    sessions.add(session("a"))
    #expect(sessions.session(ofKey: "a", at: now + Sessions.lifetime - 1) != nil)
    #expect(sessions.session(ofKey: "a", at: now + Sessions.lifetime) == nil)
  }

  @Test func sessionFromUnsetClockStaysValid() {
    var sessions = Sessions()
    sessions.add(session("a", made: 20))
    #expect(sessions.session(ofKey: "a", at: now) != nil)
  }

  @Test func theFileBringsThemBack() {
    var sessions = Sessions()
    sessions.add(session("a"))
    sessions.add(
      Session(hash: Secret.hash(of: "b"), permission: .look, made: 7, device: "x\u{1B}[2J\n\u{202E}"))
    #expect(Sessions(file: sessions.file) == sessions)
    #expect(sessions.all[1].device == "x\\u{1b}[2J\\n\\u{202e}")
  }

  @Test(arguments: ["", "{}", "[]", #"{"sessions":[{"hash":"short","may":"change","made":1}]}"#])
  func invalidFileYieldsNoSessions(_ text: String) {
    #expect(Sessions(file: Array(text.utf8)).all.isEmpty)
  }

  @Test func oneIsForgottenByName() {
    var sessions = Sessions()
    sessions.add(session("a"))
    let isStranger = sessions.forget("x")
    #expect(!isStranger && sessions.all.count == 1)
    let isKnown = sessions.forget(session("a").name)
    #expect(isKnown && sessions.all.isEmpty)
  }
}
