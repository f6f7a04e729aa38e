import Model
import TestSupport
import Testing

@testable import Storage

// behaviour: A disk that fails, fills or lies
/// The table of regions is the only one with an index, and an index that is damaged may name another region's row.
struct StoreRegionDamageTests {
  private let directory = StoreDirectory()
  private static let count = 20

  /// A closed store of regions, all inside.
  private func fill() throws {
    let file = try StoreFile(directory: directory.path)
    try file.apply((1...Self.count).map { .region(Sample.region($0), .inside) })
    file.close()
  }

  /// Pages that hold a region's id, from the first byte of each to its end.
  private func pages(of bytes: [UInt8], ofKind kind: UInt8) -> [Range<Int>] {
    stride(from: 4096, to: bytes.count, by: 4096).map { $0..<$0 + 4096 }.filter { page in
      bytes[page.lowerBound] == kind && bytes[page].firstRange(of: Array("rid1".utf8)) != nil
    }
  }

  /// One bit in each byte that is not empty, another in the next. Of rows, whose records have a sum of their own,
  /// every ninth: each place in a row is hit in one of them.
  private func flips(in bytes: [UInt8], kind: UInt8) -> [(offset: Int, bit: UInt8)] {
    let used = pages(of: bytes, ofKind: kind).flatMap { page in
      page.filter { bytes[$0] != 0 || $0 < page.lowerBound + 12 }.map { ($0, UInt8(1) << ($0 % 8)) }
    }
    return kind == 0x0A ? used : stride(from: 0, to: used.count, by: 9).map { used[$0] }
  }

  /// Where all have been left since, except for the first, which is gone. A bit costs what it hits.
  private func expectNewest(in file: StoreFile, _ flip: (offset: Int, bit: UInt8)) throws {
    let regions = try file.snapshot().regions
    #expect(Set(regions.map(\.region.rid)).count == regions.count, "byte \(flip.offset), bit \(flip.bit)")
    let stale = regions.filter { $0.presence != .outside }.map(\.region.rid)
    #expect(stale.isEmpty, "byte \(flip.offset), bit \(flip.bit)")
    #expect(regions.count >= Self.count - 2, "byte \(flip.offset), bit \(flip.bit)")
  }

  private let leaving: [StoreWrite] =
    (2...count).map { .region(Sample.region($0), .outside) } + [.regionRemoved(rid: "rid1")]

  /// Index (10) and rows (13) as SQLite's pages are marked.
  @Test(arguments: [UInt8(0x0A), 0x0D])
  func bitFlipBeforeWritesLeavesNoStaleRegion(kind: UInt8) throws {
    try fill()
    let whole = readFile(directory.tables)
    let flips = flips(in: whole, kind: kind)
    try #require(flips.count > 100)
    for flip in flips {
      let copy = directory.copy()
      var bytes = whole
      bytes[flip.offset] ^= flip.bit
      writeFile(bytes, to: copy.tables)
      let file = try StoreFile(directory: copy.path)
      try file.apply(leaving)
      file.close()
      try expectNewest(in: StoreFile(directory: copy.path), flip)
    }
  }

  /// The open batch lies in the log, and is taken up into tables that have changed meanwhile.
  @Test(arguments: [UInt8(0x0A), 0x0D])
  func bitFlipUnderAPendingLogLeavesNoStaleRegion(kind: UInt8) throws {
    try fill()
    let file = try StoreFile(directory: directory.path)
    try file.apply(leaving)
    let running = directory.copy()
    let whole = readFile(running.tables)
    let flips = flips(in: whole, kind: kind)
    try #require(flips.count > 100)
    for flip in flips {
      let copy = running.copy()
      var bytes = whole
      bytes[flip.offset] ^= flip.bit
      writeFile(bytes, to: copy.tables)
      let repaired = try StoreFile(directory: copy.path)
      try expectNewest(in: repaired, flip)
      repaired.close()
      try expectNewest(in: StoreFile(directory: copy.path), flip)
    }
  }
}
