import Glibc
import Model
import Storage

/// A store in a folder of the real file system, where damage is repaired and a wipe overwrites: neither goes by a VFS
/// of SQLite's. It is written to, closed, killed, damaged and wiped, and has to be after each start what is reckoned
/// from the writes and from what the damage has left of its files.
final class StoreTrial {
  typealias Contents = StoreTwin.Contents

  /// As it was ordered; a point with the number that it got.
  struct Entry {
    let write: StoreWrite
    let number: Int64
  }

  /// What the next start has to find.
  struct Expectation {
    var contents: Contents
    /// Of the last batch that counts.
    var revision: UInt32
    var quarantined = 0
    /// Nil: it is so many.
    var leastQuarantined: Int?
    /// A line for each of these has to be given, which ends so.
    var notices: [String] = []
  }

  let folder = RealFolder()
  /// Second names of files that a wipe removes.
  let aside = RealFolder()
  let breakage: Breakage?
  var dice: Dice
  /// Of rows that are hit, and of how many are read at once.
  var rows: Dice
  private var draw: StoreDraw
  var file: StoreFile?

  var contents = Contents()
  var revision: UInt32 = 0
  var quarantined = 0
  /// By revision: what was ordered, and what the store held after it.
  var batches: [UInt32: [Entry]] = [:]
  var past: [UInt32: Contents] = [0: Contents()]
  var damagedStores = 0
  /// The store has forgotten how far it was, and gives a revision for the second time: what lies in its pages is no
  /// longer told apart.
  var isLost = false
  /// Rows of regions were hit: they stay, lie in quarantine once, and keep their place in the order.
  var isGarbled = false
  private(set) var lies: [String] = []
  /// What is done, for people.
  private(set) var story: [String] = []

  init(seed: UInt64, _ breakage: Breakage? = nil) {
    dice = Dice(seed: seed, for: "folder")
    rows = Dice(seed: seed, for: "folder's rows")
    draw = StoreDraw(Dice(seed: seed, for: "folder's writes"), after: 0, longest: 40_000)
    self.breakage = breakage
  }

  func run() {
    do throws(StoreError) {
      try start(as: Expectation(contents: contents, revision: 0), "the beginning")
      for _ in 0..<dice.whole(3...6) {
        try write(dice.whole(4...16))
        if dice.chance(0.3) { tryTwice() }
        stop(isKilled: dice.chance(0.5))
        try damage()
        // What was met while reading is on the disk with the next batch only.
        try write(1)
        stop(isKilled: false)
        try start(as: asLeft, "a close")
        guard isLost || dice.chance(0.1) else { continue }
        stop(isKilled: false)
        try wipe(isLost ? .everything : .places)
      }
      stop(isKilled: dice.chance(0.5))
      try wipe(dice.chance(0.5) ? .everything : .places)
    } catch {
      lie("the store gives up: \(error.sentence)")
    }
    file = nil
  }

  func lie(_ text: String) { lies.append("a folder's store: \(text) (\(story.joined(separator: ", ")))") }
  func tell(_ text: String) { story.append(text) }

  // MARK: Steps

  func write(_ count: Int) throws(StoreError) {
    guard let file else { return }
    for _ in 0..<count {
      let writes = draw.writes()
      try file.apply(writes)
      note(writes)
    }
    if let wrong = file.inconsistency() { lie(wrong) }
  }

  func note(_ writes: [StoreWrite]) {
    revision += 1
    var number = contents.lastPoint ?? 0
    batches[revision] = writes.map { write in
      if case .history = write { number += 1 }
      return Entry(write: write, number: number)
    }
    contents.apply(writes)
    past[revision] = contents
  }

  /// `isKilled`: nothing more is written.
  func stop(isKilled: Bool) {
    tell(isKilled ? "kill" : "close")
    if !isKilled { file?.close() }
    file = nil
  }

  /// Of what nothing has happened to.
  var asLeft: Expectation { Expectation(contents: contents, revision: revision, quarantined: quarantined) }

  func start(as expected: Expectation, _ what: String) throws(StoreError) {
    tell(what)
    let file = try StoreFile(directory: folder.path)
    self.file = file
    (contents, revision, quarantined) = (expected.contents, expected.revision, expected.quarantined)
    // A message that lies in pieces may turn out to be broken: what is counted is right afterwards.
    let messages = try StoreTwin.messages(in: file, by: rows.pick([1, 3, 10, 256]))
    let points = try StoreTwin.points(in: file)
    let snapshot = try file.snapshot()
    judge(messages, points)
    if let wrong = contents.lie(in: snapshot) { lie("it finds another \(wrong)") }
    if !((expected.leastQuarantined ?? quarantined)...quarantined).contains(file.quarantined) {
      lie("\(file.quarantined) are in quarantine, not \(quarantined)")
    }
    quarantined = file.quarantined
    judge(file.takeNotices(), expected.notices)
    if let wrong = file.inconsistency() { lie(wrong) }
    judgeFiles(file)
    // A repair takes regions as they lie.
    contents.state.regions = snapshot.regions
    contents.isOrderKnown = !isGarbled
    past[revision] = contents
  }

  /// The store is in use: nobody else may open it.
  private func tryTwice() {
    tell("twice")
    let inUse = StoreError.inUse(path: folder.at("store.sqlite"))
    do throws(StoreError) {
      _ = dice.chance(0.5) ? try StoreFile(directory: folder.path).points : try wipeAsUsed()
      lie("it is opened a second time")
    } catch {
      if error != inUse { lie("opened a second time it says: \(error.sentence)") }
    }
  }

  private func wipeAsUsed() throws(StoreError) -> Int {
    try StoreWipe.run(in: folder.path, .everything).files
  }

  // MARK: Judging

  private func judge(_ messages: [Message], _ points: [HistoryPoint]) {
    if messages != contents.messages {
      let (here, there) = (Set(messages.map(\.sequence)), Set(contents.messages.map(\.sequence)))
      lie(
        "messages \(there.subtracting(here).sorted()) are gone, \(here.subtracting(there).sorted()) are back, "
          + "of \(there.count)")
    }
    if points != contents.points {
      lie("points \(points.map(\.number)), not \(contents.points.map(\.number))")
    }
  }

  private func judge(_ notices: [String], _ expected: [String]) {
    if notices.count != expected.count || !zip(notices, expected).allSatisfy({ $0.hasSuffix($1) }) {
      lie("it says \(notices), not \(expected)")
    }
    for notice in notices where notice.contains("\n") || !notice.hasPrefix(folder.path) {
      lie("it says \(notice)")
    }
  }

  private func judgeFiles(_ file: StoreFile) {
    let numbers = (1...max(1, damagedStores)).map { "store.damaged-\($0)" }.prefix(damagedStores)
    let known = ["store.sqlite", "store.sqlite-journal", "store.log", "store.reserve"]
    for name in folder.names where name.hasPrefix("store.") {
      if !known.contains(name), !numbers.contains(where: { name == $0 || name == $0 + "-journal" }) {
        lie("\(name) is left")
      }
      if folder.mode(name) != 0o600 { lie("\(name) has mode \(String(folder.mode(name), radix: 8))") }
    }
    for name in numbers where !folder.has(name) { lie("\(name) is missing") }
    if folder.size("store.reserve") != 256 * 1024 {
      lie("\(folder.size("store.reserve")) bytes are held back")
    }
    if folder.size("store.log") != 192 * 1024 { lie("its log has \(folder.size("store.log")) bytes") }
    let size = folder.size("store.sqlite") + folder.size("store.log")
    if file.size != size { lie("it says it has \(file.size) bytes, and has \(size)") }
  }
}

extension World {
  /// In some worlds a store in a folder is tried, too.
  func tryFolder() {
    var dice = Dice(seed: seed, for: "is a folder tried")
    guard dice.chance(0.2) else { return }
    let trial = StoreTrial(seed: seed, breakage)
    trial.run()
    for step in trial.story { tell("a folder's store: \(step)") }
    for lie in trial.lies { complain(.agreement, lie) }
  }
}
