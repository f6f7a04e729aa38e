import Model
import TestSupport
import Testing

@testable import Storage

/// How the client id is made, on the disk.
struct StoreClientIDTests {
  private let directory = StoreDirectory()

  private func form() throws -> ClientIDForm {
    try StoreFile(directory: directory.path).snapshot().clientIDForm
  }

  @Test func aStoreThatBeginsNowKeepsNamesApart() throws {
    #expect(try form() == .apart)
    #expect(try form() == .apart)
  }

  /// Such as one that an earlier version has begun.
  @Test func missingClientIDFormIsReadAsUnsaid() throws {
    try StoreFile(directory: directory.path).close()
    let database = try StoreDatabase(path: directory.tables, access: .owner)
    try database.execute("DELETE FROM state WHERE kind=40")
    database.close()
    #expect(try form() == .unsaid)
  }

  @Test func theNamesOfAnOldOneComeBack() throws {
    let store = try StoreFile(directory: directory.path)
    let joined = ClientIDForm.joined(user: "j\u{e9}", device: "a-b")
    try store.apply([.clientIDForm(joined)])
    // Synced: a power cut does not take it.
    let copy = directory.copy()
    #expect(try StoreFile(directory: copy.path).snapshot().clientIDForm == joined)
    store.close()
    #expect(try form() == joined)
  }

  @Test func itIsSavedFromADamagedStore() throws {
    let store = try StoreFile(directory: directory.path)
    let joined = ClientIDForm.joined(user: "jane", device: "van")
    try store.apply([.clientIDForm(joined), .insert(Sample.message(1))])
    store.close()
    var bytes = readFile(directory.tables)
    for index in 0..<100 { bytes[index] = 0xAA }
    writeFile(bytes, to: directory.tables)
    #expect(try form() == joined)
  }

  @Test func truncatedClientIDFormIsRejected() {
    let short = StoreRecord(.clientIDForm, revision: 1) { $0.flag(true) }
    let empty = StoreRecord(.clientIDForm, revision: 1) { _ in }
    #expect(short.clientIDForm == nil && empty.clientIDForm == nil)
  }
}
