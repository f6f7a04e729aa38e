import Testing

/// Each rule barks at what it forbids and is quiet about what it allows.
@Suite struct BarkTests {
  private func file(_ text: String, _ path: String = "Sources/Core/Snippet.swift") -> SourceFile {
    SourceFile(path: path, text: text)
  }

  @Test func longFiles() {
    #expect(Sizes.longFile(file(String(repeating: "\n", count: 401))) != nil)
    #expect(Sizes.longFile(file(String(repeating: "\n", count: 400))) == nil)
  }

  @Test func calls() {
    #expect(Calls.of("a.b(", in: [file("a.b(1)\n// a.b(2)\nlet c = a.b(3)\n")]).count == 2)
  }

  @Test func unaskedJudges() {
    let judges = ["Early", "Late"].map {
      file("struct \($0): Judge {\n}\n", "Tests/Simulator/Judges/End/\($0).swift")
    }
    let none = file("protocol Judge {\n}\n", "Tests/Simulator/Judges/Judge.swift")
    let table = file("[\n  Early(),\n  // Late(),\n]\n", "Tests/Simulator/Judges/Bench.swift")
    #expect(Judges.unasked(judges + [none], table: table) == ["Late"])
  }

  @Test func crowdedFolders() {
    let files = (0..<21).map { file("", "Sources/Core/F\($0).swift") }
    #expect(Sizes.crowdedFolders(files).count == 1)
    #expect(Sizes.crowdedFolders(Array(files.dropLast())) == [])
    #expect(Sizes.crowdedFolders(files, exempt: ["Sources/Core"]) == [])
  }

  @Test func repeatedNames() {
    let files = ["Sources/Core/A.swift", "Sources/Core/B/C.swift", "Sources/Web/A.swift"].map { file("", $0) }
    #expect(Sizes.repeatedNames(files) == ["A.swift: Sources/Core/A.swift, Sources/Web/A.swift"])
    #expect(Sizes.repeatedNames(Array(files.dropLast())) == [])
  }

  @Test(arguments: [
    ("let a = 1", 1), ("private(set) var a: Int", 1), ("var a: Int, b: Int", 2), ("let (a, b) = c()", 2),
    ("var a: [String: Int] = [:]\n  lazy var b = { 1 }()", 2), ("weak var a: B?", 1),
    ("var a: Int {\n    didSet { b() }\n  }", 1), ("var a = 1 { willSet { b() } }", 1),
    ("@Option(name: .long, help: c)\n  var a: Int", 1), ("let a: (B, C) -> Void", 1), ("var a: D<B, C>", 1),
    ("var a: Int { 1 }", 0), ("var a: Int {\n    get { 1 }\n  }", 0), ("static let a = 1", 0),
    ("func a() {\n    let b = 1\n  }", 0), ("enum A {\n    case b\n  }\n  typealias C = Int", 0),
    ("let a = b(\n    c, { let d = 1 })", 1), ("init(a: Int) {}\n  subscript(a: Int) -> Int { a }", 0),
  ])
  func storedProperties(_ body: String, _ count: Int) {
    for kind in ["struct A {", "public final class A: B {", "actor A\n{"] {
      let found = StoredProperties.of(file("import struct B.C\n\(kind)\n  \(body)\n}\nlet d = 1\n"))
      #expect(found.map(\.type).first == "Core.A" && found.first?.properties == count, "\(kind) \(body)")
    }
  }

  @Test func nestedTypesAndExtensionsCountForThemselves() {
    let text = """
      struct A {
        struct B { var a = 1; var b = 2 }
        var c: B
      }
      extension A {
        struct D { let e: Int }
        var f: Int { 1 }
      }
      """
    let found = StoredProperties.of(file(text)).map { "\($0.type) \($0.properties)" }
    #expect(found == ["Core.A 1", "Core.A.B 2", "Core.A.D 1"])
  }

  @Test func typesThatHoldTooMuch() {
    func type(_ count: Int) -> [StoredProperties.Count] {
      let lines = (0..<count).map { "  var p\($0) = 0\n" }
      return StoredProperties.of(file("struct A {\n\(lines.joined())}\n"))
    }
    #expect(StoredProperties.crowded(type(20)) == [])
    #expect(
      StoredProperties.crowded(type(21))
        == ["Sources/Core/Snippet.swift: Core.A has 21 stored properties, at most 20"])
    #expect(StoredProperties.crowded(type(21), exempt: ["Core.A"]) == [])
  }

  @Test func anExemptionThatIsNotNeededBarks() {
    let needed = StoredProperties.Count(type: "Core.A", path: "", properties: 21)
    let idle = StoredProperties.Count(type: "Core.B", path: "", properties: 20)
    #expect(StoredProperties.idle(["Core.A", "Core.B", "Core.C"], [needed, idle]) == ["Core.B", "Core.C"])
  }

  @Test func medians() {
    let files = [1, 2, 300].map { file(String(repeating: "\n", count: $0)) }
    #expect(Sizes.median(files) == 2)
  }

  @Test(arguments: [
    "func f(_ a: () -> Void = {}) {", "init() {", "var all: Int {", "subscript(i: Int) -> Int {",
  ])
  func longFunctions(_ start: String) {
    let short = "struct S {\n\(start)\n" + String(repeating: "  a()\n", count: 68) + "}\n}\n"
    let long = "struct S {\n\(start)\n" + String(repeating: "  if a { b() }\n", count: 69) + "}\n}\n"
    #expect(Sizes.longFunctions(file(short)) == [])
    #expect(Sizes.longFunctions(file(long)).count == 1)
  }

  /// A long function of these lines, `row` for each of its cases.
  private func table(
    _ row: String, ahead: String = "", behind: String = "", head: String = "var word: String {"
  ) -> SourceFile {
    let rows = (0..<40).map { "    \(row.replacing("#", with: "\($0)"))\n" }.joined()
    return file("struct S {\n  \(head)\n\(ahead)    switch self {\n\(rows)\(behind)    }\n  }\n}\n")
  }

  @Test(arguments: [
    "case .a#: \"a\"\n    case .b#: \"b\"",
    "case .a#(let b):\n      f(\n        \"{\", g(b.map { h($0) } ?? 1))",
    "case .a#, .b#,\n      .c#:\n      d", "case .a#(b: true):\n      [\n        c\n      ] + d",
  ])
  func tablesMayBeLong(_ row: String) {
    #expect(Sizes.longFunctions(table(row)) == [])
    let signature = "func row<A>(\n    _ take: (String) -> A\n  ) -> A {"
    #expect(Sizes.longFunctions(table(row, head: signature)) == [])
    #expect(Sizes.longFunctions(table(row, ahead: "    let b = c\n")).count == 1)
    #expect(Sizes.longFunctions(table(row, ahead: "    if b {\n")).count == 1)
    #expect(Sizes.longFunctions(table(row, behind: "    default: b\n")).count == 1)
    #expect(Sizes.longFunctions(table(row, behind: "    }\n    switch self {\n")).count == 1)
  }

  @Test(arguments: [
    "case .a#:\n      b()\n      c()", "case .a#:\n      let b = c", "case .a#: b()\n      c()",
    "case .a#:\n      if b { c() }", "case .a#:\n      b.map {\n        c($0)\n      }",
    "case .a#:\n      switch b {\n      case .c: d\n      }",
  ])
  func longFunctionsThatAreNoTables(_ row: String) {
    #expect(Sizes.longFunctions(table(row)).count == 1)
  }

  @Test func aRequirementHasNoBody() {
    let text =
      "protocol P {\n  func f()\n}\nstruct S {\n" + String(repeating: "  let a = 1\n", count: 90) + "}\n"
    #expect(Sizes.longFunctions(file(text)) == [])
  }

  @Test func bracesInProseDoNotCount() {
    let text = "func f() {\n  say(\"{\")  // {\n}\n" + String(repeating: "let a = 1\n", count: 90)
    #expect(Sizes.longFunctions(file(text)) == [])
  }

  @Test(arguments: [
    "import Foundation", "@preconcurrency import Dispatch", "import struct Foundation.Date", "import Glibc",
  ])
  func importsOfThePure(_ line: String) {
    #expect(Arrows.wrongImports(file(line)).count == 1)
  }

  /// `A` is declared above, and what stands below it is declared and named there.
  @Test(arguments: [
    "struct B { var a: A }", "extension A { func b() {} }", "extension A: B {}", "let b = \"\\(A.c)\"",
    "enum B { static func b() { f() } }", "func b() -> [A: Int] { [:] }",
    "extension A {\n  enum B { case b }\n  var c: B\n}",
  ])
  func foldersThatNameEachOther(_ below: String) {
    let above = file("struct A { var b: B }\nfunc f() {}\n", "Sources/Core/A.swift")
    let others = [file(below, "Sources/Core/Low/B.swift"), file("enum B {}", "Sources/Core/Low/C.swift")]
    #expect(Ties.pairs([above] + others).map(\.name) == ["Core <-> Core/Low"])
    #expect(Ties.pairs(others) == [])
  }

  @Test(arguments: [
    "struct B {}  // A", "enum B { case a(A)\n  struct A {} }", "private struct A {}",
    "extension A { struct B {} }",
    "enum B { static let b = C.A.self }", "enum B { static func f() {}\n  static let a = f() }",
    "@A struct B {}",
    "let b = \"A\"",
  ])
  func foldersThatDoNot(_ below: String) {
    let above = file("struct A { var b: B }\nfunc f() {}\n", "Sources/Core/A.swift")
    let others = [file(below, "Sources/Core/Low/B.swift"), file("enum B {}", "Sources/Core/Low/C.swift")]
    #expect(Ties.pairs([above] + others) == [])
  }

  @Test func aTieThatIsGoneBarks() {
    let tied = ["Core/A/A.swift", "Core/B/B.swift"].map { path in
      file(path.contains("A") ? "enum A { case a(B) }" : "enum B { case b(A) }", "Sources/" + path)
    }
    let pairs = Ties.pairs(tied)
    #expect(Ties.faults(pairs, known: []) == ["Core/A <-> Core/B: A.swift names B, B.swift names A"])
    #expect(Ties.faults(pairs, known: ["Core/A <-> Core/B"]) == [])
    #expect(Ties.faults([], known: ["Core/A <-> Core/B"]) == ["Core/A <-> Core/B: no longer to be listed"])
  }

  @Test func aTypeThatAnotherFolderKeepsInItsDrawer() {
    let broker = file("final class Broker { var link: Link }", "Sources/Uplink/Broker.swift")
    let status = file("extension Broker { struct Status {} }", "Sources/Uplink/Values/Status.swift")
    func link(_ name: String) -> SourceFile {
      file("struct Link { var a: \(name) }", "Sources/Uplink/Link/Link.swift")
    }
    #expect(Ties.pairs([broker, status, link("Broker.Status")]) == [])
    #expect(Ties.pairs([broker, status, link("Broker.Event")]).map(\.name) == ["Uplink <-> Uplink/Link"])
  }

  @Test func adaptersDoNotSeeTheEngines() {
    #expect(Arrows.wrongImports(file("import Core", "Sources/Storage/Store.swift")).count == 1)
    #expect(Arrows.wrongImports(file("import Loop", "Sources/Storage/Store.swift")) == [])
  }

  @Test func mathematicsIsAllowedInItsFile() {
    #expect(Arrows.wrongImports(file("import Glibc", "Sources/Model/Observations/Coordinate.swift")) == [])
  }

  @Test(arguments: ["Task { }", "func f() async {}", "await f()", "actor A {}"])
  func concurrency(_ line: String) {
    #expect(Arrows.concurrency(file(line, "Sources/homewardd/A.swift")).count == 1)
    #expect(Arrows.concurrency(file("// " + line, "Sources/homewardd/A.swift")) == [])
  }

  @Test func closuresThatAreSetLater() {
    let line = "  public var complain: (String) -> Void = { _ in }"
    #expect(Arrows.lateClosures(file(line, "Sources/Host/A.swift")).count == 1)
    #expect(Arrows.lateClosures(file(line, "Sources/Loop/EventLoop.swift")) == [])
    #expect(Arrows.lateClosures(file("private let post: (Event) -> Void", "Sources/Host/A.swift")) == [])
  }

  @Test(arguments: [
    "clock_gettime(CLOCK_MONOTONIC, &t)", "let a = time(nil)", "let now = Date()", "clinux_wall_seconds()",
  ])
  func clocks(_ line: String) {
    #expect(Arrows.clockReads(file(line, "Sources/Uplink/A.swift")).count == 1)
    #expect(Arrows.clockReads(file(line, Arrows.clock)) == [])
  }

  @Test func wordsThatContainTimeAreNotClocks() {
    #expect(Arrows.clockReads(file("let a = downtime(nil)", "Sources/Uplink/A.swift")) == [])
  }

  @Test(arguments: ["let fd = open(path, 0)", "print(1)", "Int.random(in: 0..<2)", "names.shuffled()"])
  func impurity(_ line: String) {
    #expect(Arrows.impurity(file(line)).count == 1)
  }

  @Test(arguments: ["reopen(path)", "store.write(a)", "func open(_ a: Int) {}"])
  func purity(_ line: String) {
    #expect(Arrows.impurity(file(line)) == [])
  }

  @Test(arguments: [
    "#expect(a)", "try #require(a)", "Issue.record(a)", "withKnownIssue { a() }", "claims()",
    "scene.claims(2)",
    "through(1)",
  ])
  func testsWithExpectations(_ line: String) {
    let helpers = file(
      "func claims() {\n  #expect(a)\n}\nfunc through(_ a: Int) {\n  claims()\n}\n", "Tests/A/B.swift")
    let test = file("@Test(arguments: [1])\nfunc a() {\n  \(line)\n}\n", "Tests/A/C.swift")
    #expect(Claims.missing(in: [test, helpers]) == [])
  }

  @Test(arguments: ["b()", "// #expect(a)", "disclaims()", "say(claims)", "other()"])
  func testsWithoutExpectations(_ line: String) {
    let helpers = file(
      "func claims() {\n  #expect(a)\n}\n@Test func other() {\n  #expect(a)\n}\n", "Tests/A/B.swift")
    let test = file("@Test func a() {\n  \(line)\n}\n", "Tests/A/C.swift")
    #expect(Claims.missing(in: [test, helpers]) == ["Tests/A/C.swift:1: a expects nothing"])
  }

  private static let outside: [String] = [
    "// as \(Words.documents[0]) 7.2 has it", "// \(Words.documents[1]) 93", "// (D" + "-26)",
    "// rulings R" + "8",
    "// demanded (R" + "10)",
  ]

  @Test(arguments: outside)
  func referencesToDocumentsOutside(_ line: String) {
    #expect(Words.outsideReferences(file(line)).count == 1)
  }

  @Test(arguments: [
    "let uuid = \"5D-26\"", "// SPECIAL CASE", "let ID" + "-26", "// R2 is a resistor", "0D-26", "X-D-26",
  ])
  func otherNumbersAreNoReferences(_ line: String) {
    #expect(Words.outsideReferences(file(line)) == [])
  }

  @Test(arguments: [
    "/// What waits.", "    // Who asks is answered.", "//   Those who watch.", "/// Whoever asks.",
  ])
  func commentsWithoutANoun(_ line: String) {
    #expect(Words.withoutNoun(file(line)).count == 1)
  }

  @Test(arguments: [
    "/// The queue: what waits.", "let what = 1  // What waits", "/// Whatever.", "/// `What`",
  ])
  func commentsWithANoun(_ line: String) {
    #expect(Words.withoutNoun(file(line)) == [])
  }

  @Test(arguments: [
    "whatWaitsIsSent", "aMessageWhoseTopicIsHeld", "nobody", "theBrokerIsTold", "itTellsTheReason", "whoAsks",
  ])
  func testsNamedWithoutANoun(_ name: String) {
    #expect(Claims.withoutNoun(in: file("@Test func \(name)() {}")).count == 1)
    #expect(Claims.withoutNoun(in: file("func \(name)() {}")) == [])
  }

  @Test(arguments: ["whateverTheSpeed", "wholeBatches", "aTellingJudge", "queuedMessageIsSent"])
  func testsNamedWithNouns(_ name: String) {
    #expect(Claims.withoutNoun(in: file("@Test func \(name)() {}")) == [])
  }

  @Test func notesForLater() {
    #expect(Words.unfinished(file("// " + Words.notes[0] + ": mend this")).count == 1)
  }

  @Test(arguments: [
    "fatalError(\"x\")", "let a = try! f()", "let a = b as! C", "precondition(a, \"x\")",
    "preconditionFailure()",
  ])
  func traps(_ line: String) {
    #expect(Words.traps(file(line)).count == 1)
    #expect(Words.traps(file("// " + line)) == [])
  }

  @Test(arguments: [
    "struct StoreManager {", "final class FixHelper {", "enum Utils {", "protocol GPSService {",
  ])
  func vagueTypes(_ line: String) {
    #expect(Words.vagueTypes(file(line)).count == 1)
  }

  @Test func terms() {
    #expect(Words.foreignTerms(file("let geofence = 1")).count == 1)
  }

  @Test(arguments: [
    "public struct A {\n}", "public var a = 1", "package func a() {}", "@inlinable public init(a: Int) {}",
    "public enum A {", "/// A.\npublic enum A {\n  case a\n}",
    "/// A.\npublic indirect enum A {\n  indirect case a(A)\n}",
    "/// A.\npublic protocol A {\n  func a()\n}", "/// A.\npublic protocol A {\n  mutating func a()\n}",
    "// A.\npublic let a = 1", "/// Of b.\n\npublic let a = 1",
    "public static func + (a: A, b: A) -> A { a }",
  ])
  func undocumentedPublicDeclarations(_ text: String) {
    #expect(Explanations.missing(file(text)).count == 1)
  }

  @Test(arguments: [
    "/// A place.\n@frozen\npublic struct A {\n}", "/// A.\n@inlinable public init(a: Int) {}",
    "struct A {\n  var a = 1\n}",
    "/// A.\npublic enum A {\n  /// B.\n  case b\n  private static let c = 1\n  func d() {\n    switch e {\n    case f: 1\n    }\n  }\n}",
    "extension A {\n  public var description: String { \"\" }\n}",
    "public static func == (a: A, b: A) -> Bool { true }",
    "public init(rawValue: Int) {}", "public init(nilLiteral: ()) {}",
    "public func hash(into hasher: inout Hasher) {}",
    "let a = \"public struct A {\"",
  ])
  func declarationsThatNeedNoComment(_ text: String) {
    #expect(Explanations.missing(file(text)) == [])
  }

  @Test func machinePaths() {
    #expect(Words.machinePaths(file("see " + Words.places[0] + "x", "README.md")).count == 1)
  }

  @Test func scripts() {
    let script = "#!/bin/sh\nset -e\n\n# why\nexec Tests/run\nrm -r x\n"
    #expect(Commands.ofScript(file(script, ".ci/run")).count == 2)
  }

  @Test func proseIsBlankedOutAndInterpolationsAreNot() {
    let text = "a(\"b \\(c(\"d\")) e\") /* f /* g */ */ #\"h\"i\"# j // k"
    #expect(SourceFile.withoutProse(text).split(separator: " ") == ["a(", "c(", ")", ")", "j"])
  }
}
