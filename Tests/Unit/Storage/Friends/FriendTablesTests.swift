import Glibc
import Model
import TestSupport
import Testing
import Timebase

@testable import Storage

/// The friends' file: what is news, what is kept, and what becomes of a broken one.
struct FriendTablesTests {
  private let directory = StoreDirectory()
  private var path: String { directory.path + "/friends.sqlite" }

  private func place(_ seconds: Double, tid: String? = "JP") -> FriendNews {
    var location = FriendLocation(
      time: WallTime(seconds: seconds), coordinate: Coordinate(latitude: 1, longitude: 2)!)
    location.tid = tid
    location.speed = 36
    return .location(location)
  }

  @Test func friendDataSurvivesAClose() throws {
    let tables = FriendTables(path: path)
    try tables.apply(
      [("o/j/p", .card(FriendCard(name: "Jane", face: "QUJD"))), ("o/j/p", place(100))], positions: 5)
    tables.close()
    let found = try #require(try FriendTables(path: path).friend("o/j/p"))
    #expect(found.friend.card == FriendCard(name: "Jane", face: "QUJD"))
    #expect(
      found.places.map(\.time.seconds) == [100] && found.places[0].tid == "JP" && found.places[0].speed == 36)
  }

  /// What can be heard again wears no card out.
  @Test func itWaitsForNoDiskAndWritesEachPageOnce() throws {
    let tables = FriendTables(path: path)
    try tables.apply([("f", place(1))], positions: 3)
    let database = try #require(tables.database)
    #expect(try database.number("PRAGMA synchronous") == 0)
    #expect(try database.number("PRAGMA cache_spill") == 0)
  }

  // behaviour: Friends
  @Test func olderAndRepeatedPlacesAreNoNews() throws {
    let tables = FriendTables(path: path)
    try tables.apply([100, 90, 100, 101].map { ("f", place($0)) }, positions: 50)
    #expect(try tables.friend("f")?.places.map(\.time.seconds) == [100, 101])
  }

  @Test func soManyPlacesAreKept() throws {
    let tables = FriendTables(path: path)
    try tables.apply((1...20).map { ("f", place(Double($0))) }, positions: 3)
    #expect(try tables.friend("f")?.places.map(\.time.seconds) == [18, 19, 20])
  }

  @Test func aFriendThatWentIsGone() throws {
    let tables = FriendTables(path: path)
    try tables.apply([("f", place(1)), ("g", place(1)), ("f", .gone)], positions: 3)
    #expect(try tables.friends(after: "", limit: 10).map(\.topic) == ["g"])
    #expect(try tables.friend("f") == nil)
    #expect(try tables.forget("g") && !tables.forget("g"))
  }

  @Test func onePlaceIsForgottenByItsSecondAndNoOther() throws {
    let tables = FriendTables(path: path)
    try tables.apply([100, 101.25, 102].map { ("f", place($0)) } + [("g", place(101))], positions: 50)
    #expect(try tables.forget("f", at: 101) && !tables.forget("f", at: 101) && !tables.forget("h", at: 102))
    #expect(try tables.friend("f")?.places.map(\.time.seconds) == [100, 102])
    #expect(try tables.friend("g")?.places.count == 1)
    #expect(try tables.forget("f", at: 102))
    #expect(try tables.friend("f")?.friend.location?.time.seconds == 100)
  }

  @Test func pagesGoThroughAllOfThem() throws {
    let tables = FriendTables(path: path)
    let topics = (0..<25).map { "f\($0 + 10)" }
    try tables.apply(topics.map { ($0, place(5)) }, positions: 3)
    var seen: [String] = []
    while case let page = try tables.friends(after: seen.last ?? "", limit: 10), !page.isEmpty {
      seen += page.map(\.topic)
    }
    #expect(seen == topics)
  }

  @Test func aBrokenFileIsBegunAnew() throws {
    let tables = FriendTables(path: path)
    try tables.apply([("f", place(1))], positions: 3)
    tables.close()
    var bytes = readFile(path)
    for index in 0..<bytes.count where index % 3 == 0 { bytes[index] ^= 0x5A }
    writeFile(bytes, to: path)
    let again = FriendTables(path: path)
    #expect(try again.friends(after: "", limit: 10).isEmpty)
    try again.apply([("g", place(1))], positions: 3)
    #expect(try again.friends(after: "", limit: 10).map(\.topic) == ["g"])
  }

  // behaviour: Friends
  @Test func inventedTopicsPushOutTheSilent() throws {
    let tables = FriendTables(path: path)
    let many = (0..<FriendTables.friendLimit + 5).map { ("f\(100_000 + $0)", place(Double($0))) }
    try tables.apply(many, positions: 1)
    #expect(try tables.friend("f100004") == nil)
    #expect(try tables.friend("f100005") != nil)
  }

  // MARK: Bytes

  private func size() -> Int { readFile(path).count }

  private func card(_ bytes: Int) -> FriendNews {
    .card(FriendCard(name: "Jane", face: String(repeating: "A", count: bytes)))
  }

  // behaviour: Friends
  @Test func facesGoBeforePlaces() throws {
    let tables = FriendTables(path: path)
    for lot in 0..<20 {
      let news = (0..<32).flatMap { [("f\(lot * 32 + $0)", card(32_000)), ("f\(lot * 32 + $0)", place(5))] }
      try tables.apply(news, positions: 3)
    }
    tables.close()
    #expect(size() <= FriendTables.byteLimit + 2 << 20)
    let again = FriendTables(path: path)
    let known = (0..<640).filter { (try? again.friend("f\($0)"))??.places.count == 1 }
    #expect(known.count == 640)
    #expect(try again.friend("f0")?.friend.card.name == "Jane")
  }

  @Test func oldPlacesGoBeforeNewOnes() throws {
    let tables = FriendTables(path: path)
    let long = String(repeating: "x", count: 30)
    for round in 0..<60 {
      let news = (0..<2000).map { ("owntracks/friend/\($0)", place(Double(round), tid: long)) }
      try tables.apply(news, positions: 1_000_000)
    }
    tables.close()
    #expect(size() <= FriendTables.byteLimit + 2 << 20)
    let again = FriendTables(path: path)
    for friend in stride(from: 0, to: 2000, by: 97) {
      #expect(try again.friend("owntracks/friend/\(friend)")?.places.last?.time.seconds == 59)
    }
  }

  @Test func aFileOfATimeWithoutLimitsIsBegunAnew() throws {
    let tables = FriendTables(path: path)
    try tables.apply([("f", place(1))], positions: 3)
    tables.close()
    #expect(truncate(path, off_t(3 * FriendTables.byteLimit)) == 0)
    let again = FriendTables(path: path)
    try again.apply([("g", place(1))], positions: 3)
    #expect(try again.friends(after: "", limit: 10).map(\.topic) == ["g"])
    #expect(size() < 100_000)
  }
}
