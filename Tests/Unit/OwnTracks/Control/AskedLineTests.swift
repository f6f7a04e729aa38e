import Model
import OwnTracks
import Testing
import Timebase

/// `why`, `friends`, `friend` and `history`: what is asked for, and what is answered.
struct AskedLineTests {
  private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  // MARK: why

  @Test(arguments: [
    ("why", 100, 0), ("why --json", 100, 0), ("--json why --last 1", 1, 0), ("why --last=1000", 1000, 0),
    ("why --after 7", 100, 7), ("why --last 5 --after 9", 5, 9),
  ])
  func reasonsAreTheNewestOfThoseThatAreNewer(_ line: String, _ last: Int, _ after: UInt64) throws {
    var why = WhyRequest()
    (why.last, why.after) = (last, after)
    #expect(try Request(words: words(line)) == .daemon(.why(why)))
  }

  @Test(arguments: ["why now", "why --last 0", "why --last 1001", "why --after -1", "why --first 2"])
  func whyWithAnythingElseIsRefused(_ line: String) {
    #expect(throws: ControlError.self) { try Request(words: words(line)) }
  }

  @Test func reasonsAreAnswered() throws {
    let reasons = [bytes(#"{"number":1}"#)[...], bytes(#"{"number":2}"#)[...]]
    #expect(
      text(ReasonList.text(reasons, newest: 2))
        == #"{"newest":2,"ok":true,"reasons":[{"number":1},{"number":2}]}"#)
    #expect(text(ReasonList.text([], newest: 7)) == #"{"newest":7,"ok":true,"reasons":[]}"#)
  }

  // MARK: friends

  @Test(arguments: [
    ("friends", FriendRequest.list(after: "", isAll: false, isLook: false)),
    ("--json friends --all", .list(after: "", isAll: true)),
    ("friends --look --after o/b/p", .list(after: "o/b/p", isAll: false, isLook: true)),
    ("friend show o/b/p", .show(topic: "o/b/p")),
    ("friend forget o/b/p", .forget(topic: "o/b/p", isPublished: true)),
    ("friend forget o/b/p --no-publish --json", .forget(topic: "o/b/p", isPublished: false)),
    ("friend forget o/b/p --at 1795852040", .forgetPlace(topic: "o/b/p", time: 1_795_852_040)),
  ])
  func friendsAreAskedFor(_ line: String, _ asked: FriendRequest) throws {
    #expect(try Request(words: words(line)) == .friends(asked))
  }

  @Test(arguments: [
    "friends all", "friends --after", "friend", "friend show", "friend show a b",
    "friend show a --no-publish", "friend forget a/+", "friend forget #", "friend paint a",
    "friend forget a --at", "friend forget a --at soon", "friend forget a --at -1", "friend show a --at 1",
    "friend forget a --at 1 --no-publish",
  ])
  func invalidFriendsRequestIsRefused(_ line: String) {
    #expect(throws: ControlError.self) { try Request(words: words(line)) }
  }

  private func refusal(_ words: [String]) -> String {
    do {
      _ = try Request(words: words)
      return "taken"
    } catch {
      return error.description
    }
  }

  @Test func friendRefusalNamesTheInvalidArgument() {
    let usage = "expected: friend show TOPIC, or friend forget TOPIC [--no-publish | --at TST]"
    #expect(refusal(["friend", "forget", "o/+"]) == "\"o/+\" is no topic; " + usage)
    #expect(refusal(["friend", "forget", ""]) == "\"\" is no topic; " + usage)
    #expect(refusal(["friend", "paint", "o/b"]) == "unexpected \"paint\"; " + usage)
    #expect(FriendRequest.unknownFriend("o/b\n") == #"no friend is known by the topic o/b\n"#)
  }

  private func friend(_ topic: String, at seconds: Double? = nil) -> Friend {
    var friend = Friend(topic: topic)
    friend.location = seconds.map {
      FriendLocation(
        time: WallTime(seconds: $0), coordinate: Coordinate(latitude: 48.5, longitude: 11.25)!)
    }
    return friend
  }

  private let now = WallTime(seconds: start)

  @Test func aPageHasNeitherUsNorThoseThatWereSilentForLong() throws {
    let page = [
      friend("o/a", at: start), friend("o/own", at: start), friend("o/old", at: start - 86_401),
      friend("o/young", at: start - 86_399), friend("o/nowhere"),
    ]
    func topics(_ now: WallTime?, days: Double) -> [String?]? {
      let answer = FriendRequest.answer(page, own: "o/own", now: now, days: days, isLast: true)
      return answer["friends"]?.elements?.map { $0["topic"]?.text }
    }
    #expect(topics(now, days: 1) == ["o/a", "o/young", "o/nowhere"])
    #expect(topics(now, days: 0) == ["o/a", "o/old", "o/young", "o/nowhere"])
    // Without a clock nobody can say how long.
    #expect(topics(nil, days: 1) == ["o/a", "o/old", "o/young", "o/nowhere"])
  }

  @Test func onlyFirstPageHasSelfAndOnlyLastHasNoNext() {
    var jane = friend("o/b")
    jane.card = FriendCard(name: "Jane", face: "QUJD")
    let first = FriendRequest.answer(
      [jane], own: "o/own", now: now, days: 0, isLast: false, board: jane, updates: 3)
    #expect(
      first.description == """
        {"friends":[{"hasFace":true,"name":"Jane","topic":"o/b"}],"next":"o/b","ok":true,\
        "self":{"hasFace":true,"name":"Jane","topic":"o/b"},"updates":3}
        """)
    let last = FriendRequest.answer([], own: "o/own", now: now, days: 0, isLast: true)
    #expect(last.description == #"{"friends":[],"ok":true}"#)
  }

  @Test func oneFriendIsShownWithFaceAndPlaces() throws {
    var location = FriendLocation(time: now, coordinate: Coordinate(latitude: 48.5, longitude: 11.25)!)
    (location.accuracy, location.altitude, location.speed) = (7, 500.5, 33)
    (location.course, location.battery, location.trigger, location.tid) = (271, 57, "p", "JA")
    var jane = friend("o/b")
    jane.card = FriendCard(name: "Jane", face: "QUJD")
    jane.location = location
    let place = """
      {"acc":7.0,"alt":500.5,"batt":57,"cog":271,"lat":48.5,"lon":11.25,"t":"p","tid":"JA",\
      "tst":1700000000,"vel":33}
      """
    let shown = """
      {"acc":7.0,"alt":500.5,"batt":57,"cog":271,"face":"QUJD","hasFace":true,"lat":48.5,"lon":11.25,\
      "name":"Jane","t":"p","tid":"JA","topic":"o/b","tst":1700000000,"vel":33}
      """
    let answer = "{\"friend\":\(shown),\"ok\":true,\"places\":[\(place)]}"
    #expect(FriendRequest.answer(jane, [location]).description == answer)
    // As the store keeps it.
    #expect(FriendLocation(stored: location.json.description) == location)
    let bare = try #require(friend("o/b", at: start).location)
    #expect(bare.json.description == #"{"lat":48.5,"lon":11.25,"tst":1700000000}"#)
    #expect(FriendLocation(stored: bare.json.description) == bare)
    #expect(FriendLocation(stored: "") == nil && FriendLocation(stored: "{}") == nil)
    #expect(FriendLocation(stored: #"{"lat":1,"#) == nil)
  }

  // MARK: history

  private func history(_ line: String) throws -> HistoryQuery? {
    guard case .store(.history(let query)) = try Request(words: words(line)) else { return nil }
    return query
  }

  @Test func historyRequestOptionsAreParsed() throws {
    var query = HistoryQuery()
    #expect(try history("history") == query)
    (query.from, query.to, query.after, query.limit, query.isFromEnd) = (1000.5, 86_460, 7, 500, true)
    #expect(
      try history("history --from 1000.5 --to 1970-01-02T00:01:00 --after 7 --limit 500 --newest") == query)
    #expect(try history("history --to 1970-01-02T00:01:00Z")?.to == 86_460)
    #expect(try history("history --from 99999999999")?.from == 99_999_999_999)
    #expect(try history("history --from -5")?.from == -5)
    #expect(try history("history --limit 1")?.limit == 1)
  }

  @Test(arguments: [
    "history now", "history --limit 501", "history --after -1", "history clear all",
    "history --from 100000000000", "history --to 2026-13-01", "history delete", "history delete 0",
    "history delete -7", "history delete x", "history delete 1 2", "history delete --from 2 --to 1",
  ])
  func invalidHistoryRequestIsRefused(_ line: String) {
    #expect(throws: ControlError.self) { try Request(words: words(line)) }
  }

  @Test func aPartThatGoesIsWrittenOut() throws {
    func part(_ line: String) throws -> HistoryPart? {
      guard case .tracker(.historyDelete(let part)) = try Request(words: words(line)) else { return nil }
      return part
    }
    #expect(try part("history delete 1") == HistoryPart(numbers: 1...1))
    #expect(try part("history delete --from 5 --to 5") == HistoryPart(times: 5...5))
    #expect(try part("history delete --from 5") == HistoryPart(times: 5...(.infinity)))
    #expect(try part("history delete 7 --from 5") == HistoryPart(numbers: 7...7, times: 5...(.infinity)))
  }

  @Test func aPageOfTheHistorySaysWhereTheNextOneBegins() throws {
    let points = [1, 2].map { number in
      HistoryPoint(number: number, report: location { $0.fix.altitude = 512.346 })
    }
    let page = HistoryQuery.answer(points, encoder(), isLast: false)
    #expect(page["next"] == 2 && page["ok"] == true)
    #expect(
      page["history"]?[0]?.description == """
        {"acc":5,"alt":512.35,"inregions":[],"inrids":[],"lat":48.0,"lon":11.0,"m":1,"number":1,\
        "tid":"D","tst":1700000000,"vel":0}
        """)
    let last = HistoryQuery.answer(points, encoder(), isLast: true)
    #expect(last["next"] == nil && last["history"]?.elements?.count == 2)
    #expect(HistoryQuery.answer([], encoder(), isLast: false).description == #"{"history":[],"ok":true}"#)
  }
}
