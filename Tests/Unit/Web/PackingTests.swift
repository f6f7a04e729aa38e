import Testing

@testable import Web

/// Answers that are packed.
struct PackingTests {
  private static let list = Array(String(repeating: "{\"desc\":\"Home\",\"rad\":100},", count: 100).utf8)

  @Test(arguments: ["gzip", "gzip, deflate, br", "br, gzip;q=0.5", " GZIP ;q=1", "deflate,gzip"])
  func gzipIsUsedWhereAccepted(_ header: String) throws {
    let packed = try #require(Packing.packed(Self.list, for: header))
    #expect(packed.starts(with: [0x1F, 0x8B, 8]) && packed.count < Self.list.count / 10)
  }

  @Test(arguments: [nil, "", "br", "gzip;q=0", "gzip; q=0.0", "xgzip", "gzipped", "*"])
  func othersDoNot(_ header: String?) {
    #expect(Packing.packed(Self.list, for: header) == nil)
  }

  @Test func shortBodyIsNotCompressed() {
    #expect(Packing.packed(Array("{\"ok\":true}".utf8), for: "gzip") == nil)
  }

  @Test func repeatedPieceCompressesSmaller() throws {
    let packing = try #require(Packing(for: "gzip"))
    let first = packing.pack(Self.list)
    let second = packing.pack(Self.list)
    #expect(!second.isEmpty && second.count < first.count)
    // The end of a piece that can be unpacked at once.
    #expect(first.suffix(4) == [0, 0, 0xFF, 0xFF] && second.suffix(4) == [0, 0, 0xFF, 0xFF])
  }
}
