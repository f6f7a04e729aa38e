/// The board's card: files by path, faults to order, and the moment of the crash. What the store does to
/// it comes through SQLite's VFS interface (`DiskVFS`), the redo log included.
final class Disk {
  enum Fault {
    case none, full
    case failing(probability: Double)
  }
  /// What a write can be interrupted by.
  enum Strike { case kill, powerCut }

  private(set) var files: [String: DiskFile] = [:]
  /// Handles of a dead process are void: nothing that is done with them reaches a file.
  private(set) var generation = 0
  /// Files that the process holds open.
  private(set) var openFiles = 0
  var fault = Fault.none
  /// The order under way ends after so many more writes.
  private var countdown: (writes: Int, Strike)?
  private(set) var struck: Strike?
  /// What the medium writes whole.
  let sector: Int
  private var dice: Dice
  private(set) var writes = 0
  private(set) var failures = 0
  private(set) var refusals = 0

  init(dice: Dice) {
    self.dice = dice
    sector = self.dice.pick([512, 4096])
  }

  // MARK: What the process does

  func file(at path: String, creating: Bool) -> DiskFile? {
    if let known = files[path] { return known }
    guard creating else { return nil }
    let file = DiskFile(sector: sector)
    files[path] = file
    return file
  }

  func opened() { openFiles += 1 }
  func closed(_ generation: Int) { if generation == self.generation { openFiles -= 1 } }

  func remove(_ path: String) { files[path] = nil }

  enum Refusal { case full, failing }

  /// Whether the disk takes this. A full one still takes what lies in blocks that a file has already.
  func refusal(growing: Bool) -> Refusal? {
    switch fault {
    case .none: return nil
    case .full:
      if growing { refusals += 1 }
      return growing ? .full : nil
    case .failing(let probability):
      guard dice.chance(probability) else { return nil }
      failures += 1
      return .failing
    }
  }

  /// After each write: false where this was the last that the process did.
  func survivesWrite() -> Bool {
    writes += 1
    guard let (left, strike) = countdown else { return true }
    countdown = left > 1 ? (left - 1, strike) : nil
    guard left <= 1 else { return true }
    struck = strike
    generation += 1
    openFiles = 0
    return false
  }

  // MARK: What the world does

  func strike(_ strike: Strike, afterWrites writes: Int) { countdown = (writes, strike) }
  func callOffStrike() { countdown = nil }

  func takeStrike() -> Strike? {
    defer { struck = nil }
    return struck
  }

  /// The process is gone; the kernel keeps what it wrote.
  func killHandles() {
    generation += 1
    openFiles = 0
    countdown = nil
    struck = nil
  }

  /// What was not synced is kept, dropped, or some of each, sector by sector: that is a torn write, too.
  /// Returns how many sectors of each.
  func cutPower(drops: Bool, tears: Bool) -> (kept: Int, dropped: Int) {
    killHandles()
    let share = tears ? dice.between(0.1, 0.9) : (drops ? 0 : 1)
    var sum = (kept: 0, dropped: 0)
    for path in files.keys.sorted() {
      guard let file = files[path] else { continue }
      let (kept, dropped) = file.cutPower { _ in dice.chance(share) }
      sum = (sum.kept + kept, sum.dropped + dropped)
      if !file.isDurable { files[path] = nil }
    }
    return sum
  }

  /// Turns one bit of what is on the medium, somewhere.
  func flipBit() -> String? {
    let paths = files.keys.sorted().filter { files[$0]?.medium.isEmpty == false }
    guard !paths.isEmpty else { return nil }
    let path = dice.pick(paths)
    guard let file = files[path] else { return nil }
    // Most of the medium is empty: half of the flips look for a place that is not.
    var bit = dice.whole(0...file.medium.count * 8 - 1)
    if dice.chance(0.5) {
      for _ in 0..<200 where file.medium[bit / 8] < 32 { bit = dice.whole(0...file.medium.count * 8 - 1) }
    }
    file.flip(bit: bit)
    return "\(path) bit \(bit)"
  }
}
