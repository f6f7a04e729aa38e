import Testing

/// What Tests/Instruments/Fuzz/many plays has to be found again by its number.
@Suite struct MutationTests {
  static let corpus = [Array("{\"tst\":1700000000,\"a\":[1,2]}".utf8), [], [0x1A, 0xFF, 0x4C]]

  static func inputs(_ target: String, _ numbers: some Sequence<UInt64>) throws -> [[UInt8]] {
    let mutations = try #require(Mutations(target, corpus: corpus))
    return numbers.map { Array(mutations.input($0)) }
  }

  @Test(arguments: ["adverts", "json"]) func aNumberIsAlwaysTheSameInput(_ target: String) throws {
    let forwards = try Self.inputs(target, 1...2000)
    let backwards = try Self.inputs(target, (1...2000).reversed())
    #expect(forwards == backwards.reversed())
  }

  @Test func inputsDiffer() throws {
    #expect(Set(try Self.inputs("json", 1...2000)).count > 1500)
    #expect(try Self.inputs("json", 1...50) != Self.inputs("gpx", 1...50))
  }

  @Test func noneIsTooLongAndSomeAreAsLongAsTheyMayBe() throws {
    let long = [[UInt8](repeating: 7, count: 10_000)]
    let mutations = try #require(Mutations("adverts", corpus: long))
    let counts = (1...500).map { mutations.input($0).count }
    #expect(counts.max() == Mutations.limit(of: "adverts"))
    #expect(counts.contains { $0 < 10 })
  }

  @Test func withoutACorpusThereIsNoInput() {
    #expect(Mutations("adverts", corpus: []) == nil)
  }
}
