import Foundation
import TestSupport
import Testing

@testable import Storage

// behaviour: Recordings
/// Recordings of drives on the disk.
struct RecordingFolderTests {
  private let directory = Scratch()

  private func files() throws -> [String: Int] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    return try names.reduce(into: [:]) { sizes, name in
      sizes[name] = try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/\(name)")).count
    }
  }

  @Test func linesGoBehindEachOtherAndEachFileHasItsNumber() throws {
    let folder = RecordingFolder(path: directory.path, limit: 1 << 20)
    #expect(folder.write([.init(beginsFile: true, bytes: [1]), .init(bytes: [2, 3])]) == nil)
    #expect(folder.write([.init(bytes: [4]), .init(beginsFile: true, bytes: [5])]) == nil)
    #expect(try files() == ["drive.000001.jsonl": 4, "drive.000002.jsonl": 1])
  }

  @Test func theOldestGoSoThatAllStayWithinTheLimit() throws {
    let folder = RecordingFolder(path: directory.path, limit: 40_000)
    let lot = [UInt8](repeating: 32, count: folder.fileLimit)
    for _ in 0..<20 {
      #expect(folder.write([.init(beginsFile: true, bytes: lot)]) == nil)
      #expect(try files().values.reduce(0, +) <= folder.limit)
    }
    #expect(try files().keys.sorted().first == "drive.000017.jsonl")
  }

  @Test func failedWriteIsReportedAndOtherFilesAreKept() throws {
    #expect(
      RecordingFolder(path: "/nonexistent", limit: 1000).write([.init(bytes: [1])])?.contains("/nonexistent/")
        == true)
    try Data([9]).write(to: URL(fileURLWithPath: directory.path + "/store.db"))
    try FileManager.default.createSymbolicLink(
      atPath: directory.path + "/drive.000001.jsonl", withDestinationPath: directory.path + "/store.db")
    let folder = RecordingFolder(path: directory.path, limit: 1000)
    #expect(folder.write([.init(bytes: [1])]) != nil)
    #expect(try files()["store.db"] == 1)
    folder.discard()
    #expect(try files() == ["store.db": 1])
  }
}
