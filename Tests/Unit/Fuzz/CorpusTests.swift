import Foundation
import Testing

/// Every input that is kept goes through its target once: they cannot rot where there is no libFuzzer.
@Suite struct CorpusTests {
  struct Input: CustomTestStringConvertible, Sendable {
    var target: String
    var file: URL
    var testDescription: String { "\(target)/\(file.lastPathComponent)" }
  }

  static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Instruments/Fuzz/corpus").standardizedFileURL

  static func list(_ folder: URL) -> [URL] {
    let found = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (found ?? []).sorted { $0.path < $1.path }
  }

  static let inputs = list(corpus).flatMap { folder in
    list(folder).map { Input(target: folder.lastPathComponent, file: $0) }
  }

  /// Set once and for all tests: they run side by side.
  static let tellsIssues: Void = { Claim.broken = { Issue.record("\($0)") } }()

  init() { Self.tellsIssues }

  @Test(arguments: inputs) func corpusInputKeepsItsTargetsClaims(_ input: Input) throws {
    let feed = try #require(Targets.all[input.target])
    let bytes = try Data(contentsOf: input.file)
    bytes.withUnsafeBytes { feed($0) }
    feed(UnsafeRawBufferPointer(start: nil, count: 0))
  }

  @Test func everyTargetHasACorpusOfItsOwn() {
    #expect(Self.list(Self.corpus).map(\.lastPathComponent) == Targets.all.keys.sorted())
  }

  @Test func brokenClaimIsRecordedAsIssue() {
    withKnownIssue {
      claim(true, "kept")
      claim(false, "broken on purpose")
    } matching: {
      $0.comments == ["broken on purpose"]
    }
  }
}
