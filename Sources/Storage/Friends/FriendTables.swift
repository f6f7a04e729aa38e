import Glibc
import Model
import OwnTracks

/// Messages of friends, in a file of its own beside the store: the broker has the newest of them, so a
/// damaged file is thrown away and begun anew, and the store need not wait for any of it.
final class FriendTables: @unchecked Sendable {
  /// Invented topics get no further: the friends that were silent longest go.
  static let friendLimit = 20_000
  /// Bytes of the file's pages in use: file and journal stay below 8 MB with the lot that goes over. Where there
  /// are more, old places go first, then faces, then the friends that were silent longest; the newest place of
  /// each other one stays.
  static let byteLimit = 6 << 20
  /// It is brought down to this, so that not every lot begins anew.
  private static let byteGoal = byteLimit / 4 * 3
  /// The format version that this program writes.
  private static let version: Int64 = 1

  /// Bytes of the disk that friends never touch: the queue's limit is a hundred times that, and a day of events
  /// a tenth.
  static let roomLeft = 4 << 20

  /// Nil: it cannot be known.
  private static func room(at path: String) -> Int? {
    var facts = statvfs()
    let folder = path.split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 }
    guard statvfs(folder.isEmpty ? "/" : folder, &facts) == 0 else { return nil }
    return Int(facts.f_bavail) * Int(facts.f_frsize)
  }

  private let path: String
  private(set) var database: StoreDatabase?

  init(path: String) { self.path = path }

  func close() {
    database?.close()
    database = nil
  }

  /// The broker has the newest of it.
  func remove() {
    close()
    for name in [path, path + "-journal"] { unlink(name) }
  }

  // MARK: Inputs

  /// In one transaction. `positions`: how many places of each friend are kept.
  func apply(_ news: [(topic: String, news: FriendNews)], positions: Int) throws(StoreError) {
    // The last of the disk's space is the store's.
    if let left = Self.room(at: path), left < Self.roomLeft { throw .full(path: path) }
    try withDatabase { (database) throws(StoreError) in
      try database.execute("BEGIN IMMEDIATE")
      do throws(StoreError) {
        for one in news { try Self.apply(one.news, of: one.topic, positions: positions, to: database) }
        try Self.dropSilent(from: database)
        try Self.slim(database)
        try database.execute("COMMIT")
      } catch {
        try? database.execute("ROLLBACK")
        throw error
      }
    }
  }

  private static func apply(
    _ news: FriendNews, of topic: String, positions: Int, to database: StoreDatabase
  ) throws(StoreError) {
    switch news {
    case .gone: _ = try forget(topic, in: database)
    case .card(let card):
      try database.prepare("INSERT OR REPLACE INTO friend VALUES(?,?,?)")
        .bind(.text(topic), .text(card.name ?? ""), .text(card.face ?? "")).run()
    case .location(let location):
      try add(location, of: topic, positions: positions, to: database)
    }
  }

  /// Only news newer than anything known of the friend.
  private static func add(
    _ location: FriendLocation, of topic: String, positions: Int, to database: StoreDatabase
  ) throws(StoreError) {
    // As text: it is never searched, and a later version reads what it knows.
    let place = String(decoding: location.json.serialised(), as: UTF8.self)
    let added = try database.prepare(
      "INSERT INTO sighting(topic,time,place) SELECT ?1,?2,?3 WHERE ?2 > "
        + "ifnull((SELECT max(time) FROM sighting WHERE topic=?1),-1)"
    ).bind(.text(topic), .real(location.time.seconds), .text(place)).run()
    guard added > 0 else { return }
    // A place comes before a card as a rule: the friend is known from it on.
    try database.prepare("INSERT OR IGNORE INTO friend VALUES(?,'','')").bind(.text(topic)).run()
    // The place that is one too many, and all that are older.
    try database.prepare(
      "DELETE FROM sighting WHERE topic=?1 AND time<=(SELECT time FROM sighting WHERE topic=?1 "
        + "ORDER BY time DESC LIMIT 1 OFFSET ?2)"
    ).bind(.text(topic), .number(Int64(max(1, positions)))).run()
  }

  /// Pages in use: the file itself does not become shorter.
  private static func bytes(of database: StoreDatabase) throws(StoreError) -> Int {
    let pages = try database.number("PRAGMA page_count") - database.number("PRAGMA freelist_count")
    return Int(pages) * StoreDatabase.pageSize
  }

  /// Within the limit of bytes, in steps: each gives up what is missed least.
  private static func slim(_ database: StoreDatabase) throws(StoreError) {
    guard try bytes(of: database) > byteLimit else { return }
    for sql in [
      "DELETE FROM sighting WHERE id NOT IN (SELECT id FROM (SELECT id,max(time) FROM sighting GROUP BY topic))",
      "UPDATE friend SET face='' WHERE topic NOT IN (SELECT topic FROM sighting GROUP BY topic "
        + "ORDER BY max(time) DESC LIMIT 50)",
      "UPDATE friend SET face=''",
    ] where try bytes(of: database) > byteGoal { try database.execute(sql) }
    while try bytes(of: database) > byteGoal {
      let count = try database.number("SELECT count(*) FROM friend")
      guard count > 0 else { return }
      try dropSilent(from: database, count: max(1, count / 4))
    }
  }

  /// Over the limit of friends those go that were silent longest: that a topic is invented cannot be told.
  private static func dropSilent(from database: StoreDatabase) throws(StoreError) {
    let excess = try database.number("SELECT count(*) FROM friend") - Int64(friendLimit)
    if excess > 0 { try dropSilent(from: database, count: excess) }
  }

  /// A friend whose place was never told counts as silent longest.
  private static func dropSilent(from database: StoreDatabase, count excess: Int64) throws(StoreError) {
    let silent = try database.prepare(
      "SELECT friend.topic FROM friend LEFT JOIN sighting USING(topic) GROUP BY friend.topic "
        + "ORDER BY max(sighting.time) LIMIT ?"
    ).bind(.number(excess))
    var topics: [String] = []
    while try silent.step() { topics.append(silent.text(0)) }
    silent.reset()
    // Read to the end before: a row that is deleted under a reading may be met again.
    for topic in topics { _ = try forget(topic, in: database) }
  }

  /// False: no friend has that topic.
  func forget(_ topic: String) throws(StoreError) -> Bool {
    try withDatabase { (database) throws(StoreError) in try Self.forget(topic, in: database) }
  }

  /// False: it was not known to have been anywhere in that second.
  func forget(_ topic: String, at time: Int) throws(StoreError) -> Bool {
    try withDatabase { (database) throws(StoreError) in
      try database.prepare("DELETE FROM sighting WHERE topic=? AND time>=? AND time<?")
        .bind(.text(topic), .number(Int64(time)), .number(Int64(time) + 1)).run() > 0
    }
  }

  private static func forget(_ topic: String, in database: StoreDatabase) throws(StoreError) -> Bool {
    try database.prepare("DELETE FROM sighting WHERE topic=?").bind(.text(topic)).run()
    return try database.prepare("DELETE FROM friend WHERE topic=?").bind(.text(topic)).run() > 0
  }

  // MARK: Questions

  /// A page of friends in the order of their topics, from the first topic after `topic` on.
  func friends(after topic: String, limit: Int) throws(StoreError) -> [Friend] {
    try withDatabase { (database) throws(StoreError) in
      let page = try database.prepare(
        "SELECT topic,name,face,(SELECT place FROM sighting WHERE sighting.topic=friend.topic "
          + "ORDER BY time DESC LIMIT 1) FROM friend WHERE topic>? ORDER BY topic LIMIT ?"
      ).bind(.text(topic), .number(Int64(limit)))
      var friends: [Friend] = []
      while try page.step() { friends.append(Self.friend(page)) }
      return friends
    }
  }

  /// One friend, and where it was, oldest first; nil: no friend has that topic.
  func friend(_ topic: String) throws(StoreError) -> (friend: Friend, places: [FriendLocation])? {
    try withDatabase { (database) throws(StoreError) in
      let one = try database.prepare("SELECT topic,name,face,NULL FROM friend WHERE topic=?").bind(
        .text(topic))
      guard try one.step() else { return nil }
      var friend = Self.friend(one)
      one.reset()
      let all = try database.prepare("SELECT place FROM sighting WHERE topic=? ORDER BY time").bind(
        .text(topic))
      var places: [FriendLocation] = []
      while try all.step() {
        if let place = FriendLocation(stored: all.text(0)) { places.append(place) }
      }
      friend.location = places.last
      return (friend, places)
    }
  }

  /// Topic, name, face and the newest place, in this order; an empty text is none.
  private static func friend(_ row: StoreStatement) -> Friend {
    var friend = Friend(topic: row.text(0))
    friend.card.name = row.text(1).isEmpty ? nil : row.text(1)
    friend.card.face = row.text(2).isEmpty ? nil : row.text(2)
    friend.location = FriendLocation(stored: row.text(3))
    return friend
  }

  // MARK: The file

  /// A damaged file is thrown away, and the work done once more on an empty one.
  private func withDatabase<Result>(
    _ work: (StoreDatabase) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    do {
      return try work(opened())
    } catch  where error.isDamage {
      remove()
      return try work(opened())
    }
  }

  private func opened() throws(StoreError) -> StoreDatabase {
    if let database { return database }
    // Of a time without limits: to thin it out would take longer than to hear it all again.
    var facts = stat()
    if lstat(path, &facts) == 0, Int(facts.st_size) > 2 * Self.byteLimit { remove() }
    let descriptor = try StoreOpening.open(path, O_RDWR | O_CREAT)
    guard descriptor >= 0 else {
      throw .failing(path: path, doing: "creating", cause: String(cString: strerror(errno)))
    }
    Glibc.close(descriptor)
    let fresh = try StoreDatabase(path: path, access: .owner)
    // Little is read at a time: pages are worth more elsewhere.
    try fresh.execute("PRAGMA cache_size=-64")
    // Not one sync: a file that a power cut has torn is begun anew, and the store has the disk to itself. Without
    // spilling a lot's pages are written once.
    for pragma in ["synchronous=OFF", "cache_spill=OFF"] { try fresh.execute("PRAGMA \(pragma)") }
    if try fresh.number("PRAGMA user_version") != Self.version {
      for sql in [
        "DROP TABLE IF EXISTS friend", "DROP TABLE IF EXISTS sighting",
        "CREATE TABLE friend(topic TEXT PRIMARY KEY, name TEXT NOT NULL, face TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE sighting(id INTEGER PRIMARY KEY, topic TEXT NOT NULL, time REAL NOT NULL, "
          + "place TEXT NOT NULL)",
        "CREATE INDEX bytime ON sighting(topic,time)", "PRAGMA user_version=\(Self.version)",
      ] { try fresh.execute(sql) }
    }
    database = fresh
    return fresh
  }
}
