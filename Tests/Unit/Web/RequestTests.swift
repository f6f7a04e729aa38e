import Testing

@testable import Web

/// What requests say, piece by piece.
struct RequestTests {
  private static let key = String(repeating: "0f", count: 16)

  private static let cookies: [String] = [
    "homeward=\(key)", "a=b; homeward=\(key)", "homeward=\(key);x", " homeward=\(key)",
  ]

  @Test(arguments: cookies)
  func aCookieIsFound(_ header: String) {
    #expect(Cookie.key(in: header) == Self.key)
  }

  private static let noCookies: [String?] = [
    nil, "", "homeward", "homeward=", "homeward=\(key)0", "homeward=\(key.dropLast())", "xhomeward=\(key)",
    "homeward=\(key.uppercased())", "homeward=x; homeward=\(key)", "homeward=\"\(key)\"", ";;;=",
    "homeward=\(String(repeating: "é", count: 16))",
  ]

  @Test(arguments: noCookies)
  func anythingElseIsNone(_ header: String?) {
    #expect(Cookie.key(in: header) == nil)
  }

  @Test func aCookieIsForNoScriptAndNoOtherSite() {
    let words = Cookie.setting(Self.key).split(separator: "; ").map(String.init)
    #expect(words == ["homeward=\(Self.key)", "Path=/", "Max-Age=31536000", "HttpOnly", "SameSite=Strict"])
  }

  @Test(
    arguments: [
      ("bytes=0-9", ByteRange.part(0..<10)), ("bytes=90-", .part(90..<100)), ("bytes=-10", .part(90..<100)),
      ("bytes=99-99", .part(99..<100)), ("bytes=0-1000", .part(0..<100)), ("bytes=-1000", .part(0..<100)),
      ("bytes=100-", .nothing), ("bytes=100-200", .nothing), ("bytes=-0", .nothing),
      ("bytes=99999999999999999999-", .nothing), ("bytes=0-99999999999999999999", .part(0..<100)),
      ("bytes=5-4", .everything), ("bytes=-", .everything), ("bytes=0-1,3-4", .everything),
      ("items=0-1", .everything), ("bytes=a-b", .everything), ("bytes=+1-2", .everything), (nil, .everything),
      ("", .everything), ("bytes=0-1-2", .everything),
    ] as [(String?, ByteRange)])
  func aRangeIsAPartOfTheFile(_ header: String?, _ range: ByteRange) {
    #expect(ByteRange(header, size: 100) == range)
  }

  // MARK: A body

  @Test(
    arguments: [
      ([], [], .fine), (["0"], [], .fine), (["100"], [], .fine), (["101"], [], .tooLong),
      (["99999999999999999999"], [], .tooLong), ([], ["chunked"], .fine), ([], ["Chunked"], .fine),
      (["7"], ["chunked"], .contradiction), (["7", "7"], [], .contradiction),
      (["7", "8"], [], .contradiction),
      ([], ["chunked", "chunked"], .contradiction), ([], ["gzip"], .contradiction),
      ([], ["gzip, chunked"], .contradiction), (["+7"], [], .contradiction), (["7, 7"], [], .contradiction),
      ([""], [], .contradiction), (["-1"], [], .contradiction), (["0x7"], [], .contradiction),
    ] as [([String], [String], BodyLength)])
  func howLongABodyIsIsSaidOnce(_ lengths: [String], _ encodings: [String], _ length: BodyLength) {
    #expect(BodyLength(lengths: lengths, encodings: encodings, limit: 100) == length)
  }

  @Test(
    arguments: [
      ("c=ABCD-EFGH", "ABCD-EFGH"), ("c=ABCD+EFGH", "ABCD EFGH"), ("c=ABCD%20EFGH", "ABCD EFGH"),
      ("a=b&c=ABCD", "ABCD"), ("c=ABCD&d", "ABCD"), ("c=%2", "%2"), ("c=%+1", "% 1"), ("c=%zz", "%zz"),
      ("", nil), ("c=", nil), ("cc=A", nil), ("a=b", nil), ("c=" + String(repeating: "A", count: 65), nil),
    ] as [(String, String?)])
  func aFormHasItsCode(_ body: String, _ code: String?) {
    #expect(PairForm.code(in: Array(body.utf8)) == code)
  }

  @Test(
    arguments: [
      ("ABCD-2345", "ABCD-2345"), ("abcd2345", "abcd2345"), (nil, ""), ("\"><script>", ""), ("AB CD", ""),
      ("ABCD&lt;", ""), (String(repeating: "A", count: 21), ""), ("é", ""),
    ] as [(String?, String)])
  func aLinkPutsNothingButACodeIntoTheField(_ given: String?, _ shown: String) {
    #expect(PairForm.shown(given) == shown)
  }

  // MARK: Who comes

  @Test func oneAddressIsOneInEveryFormOfIt() {
    let mapped: [UInt8] = [UInt8](repeating: 0, count: 10) + [255, 255, 10, 42, 0, 7]
    #expect(Address(version6: mapped) == Address(version4: [10, 42, 0, 7]))
    #expect(Address(version4: [10, 42, 0, 7]) != Address(version4: [10, 42, 0, 8]))
    let network: [UInt8] = [0xFD, 0, 1, 2, 3, 4, 5, 6]
    let (one, other) = (network + [0, 0, 0, 0, 0, 0, 0, 1], network + [9, 9, 9, 9, 9, 9, 9, 9])
    #expect(Address(version6: one) == Address(version6: other))
    #expect(Address(version6: one) != Address(version6: [0xFE] + one.dropFirst()))
    let loopback = [UInt8](repeating: 0, count: 15) + [1]
    #expect(Address(version6: loopback).isLoopback && Address(version4: [127, 0, 0, 9]).isLoopback)
    #expect(!Address(version6: one).isLoopback && !Address(version4: [10, 0, 0, 1]).isLoopback)
  }

  @Test func anEmptyFileHasNoPart() {
    #expect(ByteRange("bytes=0-", size: 0) == .nothing)
    #expect(ByteRange(nil, size: 0) == .everything)
  }

  @Test(arguments: [
    #"["publish"]"#, #"["mode","move"]"#, #"["region","add","Mill"]"#, #"["settings","set","a=1"]"#,
    #"["queue","clear"]"#, #"["history","delete","7"]"#, #"["friend","forget","a/b"]"#, #"["reconnect"]"#,
    #"["sos"]"#, #"["sos","--acknowledge"]"#,
  ])
  func theseWordsAreAllowed(_ text: String) throws {
    #expect(try AllowedWords.words(Array(text.utf8)).isEmpty == false)
  }

  @Test(arguments: [
    #"["wipe"]"#, #"["wipe","--all"]"#, #"["reload"]"#, #"["status"]"#, #"["region"]"#,
    #"["region","import"]"#,
    #"["--json","wipe"]"#, #"["queue"]"#, #"["settings","show"]"#, #"["withdraw"]"#, #"["Publish"]"#,
    #"["friend","show","x"]"#, #"["history"]"#, #"["region","--json","rm"]"#,
  ])
  func noOthersAre(_ text: String) {
    #expect(throws: AllowedWords.Refusal.forbidden) { try AllowedWords.words(Array(text.utf8)) }
  }

  @Test(arguments: [
    (["publish"], true), (["sos"], true), (["sos", "--acknowledge"], true), (["mode", "move"], false),
    (["card"], false), (["reconnect"], false), (["settings", "clear"], false), ([], false),
  ])
  func aLockedBoardPublishesAndCallsForHelp(_ words: [String], _ isFree: Bool) {
    #expect(AllowedWords.isFree(words) == isFree)
  }

  @Test(arguments: [
    "", "[]", "{}", "null", "\"publish\"", "[1]", #"["publish",1]"#, #"["publish"#, "[[\"publish\"]]",
    "[\"publish\",\"a\\u0000b\"]",
  ])
  func malformedCommandIsRefused(_ text: String) {
    #expect(throws: AllowedWords.Refusal.malformed) { try AllowedWords.words(Array(text.utf8)) }
  }

  @Test func manyWordsAndLongOnesAreNot() {
    let many = "[\"publish\"" + String(repeating: ",\"a\"", count: 64) + "]"
    let long = "[\"publish\",\"" + String(repeating: "a", count: 60_001) + "\"]"
    for text in [many, long] {
      #expect(throws: AllowedWords.Refusal.malformed) { try AllowedWords.words(Array(text.utf8)) }
    }
  }

  @Test(
    arguments: [
      ("https://tile.example.org/{z}/{x}/{y}.png", "https://tile.example.org"),
      ("https://{s}.tile.example.org/{z}/{x}/{y}.png", "https://*.tile.example.org"),
      ("http://192.168.1.2:8080/{z}", "http://192.168.1.2:8080"),
      ("https://T.example.org?k=1", "https://t.example.org"),
      ("https://{s}.org/", nil), ("https://{s}/", nil), ("ftp://a.org/", nil), ("", nil), ("https://", nil),
      ("https://a b/", nil), ("https://a;script-src *", nil), ("https://a.org:x/", nil), ("https://*/", nil),
      ("https://*.org/", nil), ("https://a'/", nil), ("https://a.{s}.org/", nil), ("javascript:1", nil),
      ("https://user@a.org/", nil), ("https://.org/", nil),
    ] as [(String, String?)])
  func thePolicyNamesOneHost(_ template: String, _ source: String?) {
    #expect(TemplateHost.source(of: template) == source)
  }

  @Test(arguments: [
    "/tiles/0/0/0", "/tiles/3/7/7", "/tiles/24/0/16777215",
  ])
  func aTileIsThere(_ path: String) {
    #expect(TilePath(path) != nil)
  }

  @Test(arguments: [
    "/tiles/", "/tiles/0/0", "/tiles/0/0/1", "/tiles/25/0/0", "/tiles/1/-1/0", "/tiles/1/2/0", "/tiles/a/0/0",
    "/tiles/1/0/0/0", "/tiles//0/0", "/tiles/1/0/0.png", "/tiles/99999999999999999999/0/0", "/tile/0/0/0",
    "/tiles/٣/0/0",
  ])
  func noTileIsThere(_ path: String) {
    #expect(TilePath(path) == nil)
  }

  @Test func rowsOfAFileBeginInTheSouth() {
    #expect(TilePath("/tiles/3/1/2")?.rowFromSouth == 5)
  }

  @Test func questionsAreOfThisList() {
    func words(_ path: String, _ query: [String: String] = [:]) -> [String]? {
      Questions.words(path) { query[$0] }
    }
    #expect(words("/api/why") == ["why"])
    #expect(words("/api/why", ["last": "5", "after": "7"]) == ["why", "--last", "5", "--after", "7"])
    #expect(words("/api/why", ["last": "all"]) == nil)
    #expect(words("/api/friends") == ["friends"])
    #expect(
      words("/api/friends", ["after": "owntracks/a/b", "all": "1"])
        == ["friends", "--after", "owntracks/a/b", "--all"])
    #expect(words("/api/friends", ["after": "--look"]) == nil)
    #expect(
      words("/api/history", ["after": "7", "limit": "5", "newest": "1"])
        == ["history", "--after", "7", "--limit", "5", "--newest"])
    #expect(words("/api/history", ["after": "--to"]) == nil)
    #expect(words("/api/friend", ["topic": "owntracks/a/b"]) == ["friend", "show", "owntracks/a/b"])
    #expect(words("/api/friend", ["topic": "--no-publish"]) == nil)
    #expect(words("/api/friend") == nil)
    #expect(words("/api/wipe") == nil)
    #expect(words("/api/") == nil)
  }
}
