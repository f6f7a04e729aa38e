import Glibc
import Model
import Timebase

@testable import Storage

/// A sound store whose two files are then damaged, four bytes an act. It opens, or says in one line why
/// not; no message comes out that was never put in; and what was repaired is sound the next time.
enum DamageTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    var files = sound
    var rest = input[...]
    while rest.count >= 4 {
      damage(&files, Array(rest.prefix(4)))
      rest = rest.dropFirst(4)
    }
    guard let folder = Folder() else { return claim(false, "no folder to put a store in") }
    folder.put(files.tables, "store.sqlite")
    folder.put(files.log, "store.log")
    guard let first = content(of: folder) else { return }
    claim(content(of: folder) == first, "the second time it holds something else")
  }

  private struct Content: Equatable {
    var messages: [Message] = []
    var regions: [Snapshot.KnownRegion] = []
    var mode: ModeState?
    var history: [LocationReport] = []
  }

  private static func content(of folder: Folder) -> Content? {
    do throws(StoreError) {
      let store = try StoreFile(directory: folder.path)
      let snapshot = try store.snapshot()
      var content = Content(regions: snapshot.regions, mode: snapshot.mode)
      content.messages = try store.load(after: 0, limit: 100)
      content.history = try store.history()
      _ = try store.index(after: 0, limit: 100)
      for notice in store.takeNotices() { Claim.isPlain(notice, "store") }
      for message in content.messages { claim(messages.contains(message), "\(message) was never put in") }
      for known in content.regions { claim(regions.contains(known.region), "\(known) was never put in") }
      store.close()
      return content
    } catch {
      Claim.isPlain(error.sentence, "store")
      return nil
    }
  }

  // MARK: - Damage

  private struct Files {
    var tables: [UInt8] = []
    var log: [UInt8] = []
  }

  /// What, to which file, where (two bytes), and with what.
  private static func damage(_ files: inout Files, _ act: [UInt8]) {
    if act[0] & 1 == 0 { damage(&files.tables, act) } else { damage(&files.log, act) }
  }

  private static func damage(_ bytes: inout [UInt8], _ act: [UInt8]) {
    let place = Int(act[1]) << 8 | Int(act[2])
    guard place < bytes.count else { return }
    let sector = place / 512 * 512
    let end = min(bytes.count, sector + 512)
    switch act[0] >> 1 & 7 {
    case 0: bytes[place] = act[3]
    case 1: bytes[place] ^= 1 << (act[3] & 7)
    case 2: for index in sector..<end { bytes[index] = act[3] }
    case 3: bytes.removeLast(bytes.count - place)
    case 4:
      let other = Int(act[3]) * 512
      if other + 512 <= bytes.count {
        bytes.replaceSubrange(sector..<end, with: bytes[other..<(other + end - sector)])
      }
    case 5: bytes[place] &+= act[3]
    case 6: bytes.insert(act[3], at: place)
    default: bytes.remove(at: place)
    }
  }

  // MARK: - What is damaged

  // Functions with types: what a compiler has to find out by itself in one expression takes Swift 6.0 minutes.
  private static let messages: [Message] = (1...8).map(message)
  private static let regions: [Region] = (1...3).compactMap(region)

  private static func message(_ number: Int) -> Message {
    let length: Int = number == 8 ? 9000 : 40
    return Message(
      sequence: UInt64(number), topic: "owntracks/u/d", payload: [UInt8](repeating: 65, count: length),
      qos: 1, isRetained: number % 2 == 0, isEvent: number % 3 == 0, time: 1_700_000_000 + number)
  }

  private static func region(_ number: Int) -> Region? {
    guard let place = Coordinate(latitude: Double(number), longitude: 7) else { return nil }
    return Region(
      rid: "r\(number)", name: "Place \(number)", coordinate: place, radius: 50, created: 1_700_000_000)
  }

  private static let location: LocationReport? = Coordinate(latitude: 52, longitude: 13).map { place in
    let time = WallTime(seconds: 1_700_000_000)
    let fix = Fix(time: time, coordinate: place, accuracy: 5)
    return LocationReport(fix: fix, time: time, created: nil, trigger: .timer, mode: .move)
  }

  /// Half of it checkpointed into the tables, half still in the log.
  private static let sound: Files = {
    guard let folder = Folder(), let store = try? StoreFile(directory: folder.path) else { return Files() }
    var writes: [StoreWrite] = [.mode(ModeState(mode: .move))]
    for region in regions { writes.append(.region(region, .inside)) }
    for message in messages.prefix(4) { writes.append(.insert(message)) }
    try? store.apply(writes)
    try? store.checkpoint()
    for message in messages.dropFirst(4) { try? store.apply([.insert(message)]) }
    writes = [.remove([1, 2])]
    if let location { writes.append(.history(location)) }
    try? store.apply(writes)
    store.abandon()
    return Files(tables: folder.bytes("store.sqlite"), log: folder.bytes("store.log"))
  }()

  /// In memory where the system has a place for that; gone with the last that knows it.
  private final class Folder {
    let path: String

    init?() {
      let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
      var template = Array("\(parent)/homeward-damage-XXXXXX".utf8CString)
      guard let made = mkdtemp(&template) else { return nil }
      path = String(cString: made)
    }

    deinit {
      for name in ["sqlite", "sqlite-journal", "log", "new", "new-journal", "reserve"] {
        unlink("\(path)/store.\(name)")
      }
      for number in 1...4 {
        unlink("\(path)/store.damaged-\(number)")
        unlink("\(path)/store.damaged-\(number)-journal")
      }
      rmdir(path)
    }

    func put(_ bytes: [UInt8], _ name: String) {
      guard let file = fopen("\(path)/\(name)", "w") else { return }
      fwrite(bytes, 1, bytes.count, file)
      fclose(file)
    }

    func bytes(_ name: String) -> [UInt8] {
      guard let file = fopen("\(path)/\(name)", "r") else { return [] }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      return Array(bytes.prefix(fread(&bytes, 1, bytes.count, file)))
    }
  }
}
