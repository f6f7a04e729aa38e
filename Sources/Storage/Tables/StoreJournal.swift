import CSQLite

/// The rollback journal beside the tables, behind SQLite's back.
///
/// A journal that begins with zeros has ended: what it would undo is durable. SQLite writes these zeros and
/// then syncs them. A process killed between the two, or a sync that failed, leaves them with the kernel
/// alone: the next process finds the journal ended and the tables ahead, begins the log over, and a power
/// cut brings the old header back, which undoes what the log no longer holds.
extension StoreDatabase {
  /// Bytes that SQLite writes over the header.
  private static let headerSize = 28

  /// Ends a journal that has ended once more, for good. Nothing may have been written through this
  /// connection yet, and it must have read: what a power cut left half-written is rolled back by then.
  func endJournal() throws(StoreError) {
    let journal = path + "-journal"
    guard let system, isThere(journal, on: system) else { return }
    let file = try StoreVFSFile(path: journal, flags: SQLITE_OPEN_MAIN_JOURNAL, on: system)
    // A shorter one never began; to make it longer takes room that a full disk has not.
    guard file.size >= Self.headerSize else { return }
    try file.write(ArraySlice(repeating: 0, count: Self.headerSize), at: 0, doing: "ending")
    try file.sync()
  }

  private func isThere(_ path: String, on system: UnsafeMutablePointer<sqlite3_vfs>) -> Bool {
    var isThere: Int32 = 0
    _ = system.pointee.xAccess?(system, path, SQLITE_ACCESS_EXISTS, &isThere)
    return isThere != 0
  }
}
