import Model
import Storage

/// The simulated card in another machine: its files are put on a real file system and opened there. A
/// damaged store is repaired by reading its file page by page, which no VFS of SQLite's has a part in.
struct Shadow {
  /// What a store gives back.
  struct Contents {
    var messages: [UInt64: Message] = [:]
    var regions: Set<String> = []
    /// The `rid` of those that the world was told of entering; nil: it does not say any more.
    var announced: Set<String>?
  }

  private static let names = ["store.sqlite", "store.sqlite-journal", "store.log"]

  /// Opens the store on the card, without any change to the card. `isCut`: as a power cut leaves it that takes all that
  /// was not synced.
  static func look(at disk: Disk, isCut: Bool = false) throws(StoreError) -> Contents {
    try contents(of: put(disk, isCut: isCut))
  }

  /// What such a power cut would take; nil: nothing.
  static func lie(of disk: Disk) -> String? {
    do throws(StoreError) {
      let (here, left) = (try look(at: disk), try look(at: disk, isCut: true))
      if here.messages != left.messages {
        let all = Set(here.messages.keys).union(left.messages.keys)
        let lost = all.filter { here.messages[$0] != left.messages[$0] }
        return "messages \(lost.sorted()), and \(left.messages.count) are left of \(here.messages.count)"
      }
      if here.regions != left.regions { return "regions \(here.regions.symmetricDifference(left.regions))" }
      return here.announced == left.announced ? nil : "what was announced"
    } catch {
      return error.sentence
    }
  }

  /// The same, and what has been repaired goes back to the card.
  static func repair(_ disk: Disk) throws(StoreError) -> Contents {
    let folder = put(disk)
    let contents = try contents(of: folder)
    for name in names {
      let path = Scratch.directory + "/" + name
      guard folder.has(name) else {
        disk.remove(path)
        continue
      }
      disk.file(at: path, creating: true)?.replace(with: folder.bytes(name))
    }
    return contents
  }

  private static func contents(of folder: RealFolder) throws(StoreError) -> Contents {
    let file = try StoreFile(directory: folder.path)
    defer { file.close() }
    var contents = Contents()
    let snapshot = try file.snapshot()
    contents.regions = Set(snapshot.regions.map(\.region.rid))
    contents.announced = snapshot.entered.map { Set($0.map(\.region.rid)) }
    var last: UInt64 = 0
    while case let page = try file.load(after: last, limit: 256), let newest = page.last,
      newest.sequence > last
    {
      for message in page { contents.messages[message.sequence] = message }
      last = newest.sequence
    }
    return contents
  }

  /// What the kernel has: after a power cut that is what the medium has.
  private static func put(_ disk: Disk, isCut: Bool = false) -> RealFolder {
    let folder = RealFolder()
    for name in names {
      guard let file = disk.files[Scratch.directory + "/" + name], !isCut || file.isDurable else { continue }
      folder.put(isCut ? file.medium : file.cache, at: name)
    }
    return folder
  }
}
