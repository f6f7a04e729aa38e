import Testing

/// The rules about `docs/behaviour.md`, each seen to bark.
@Suite struct BehaviourBarkTests {
  private func file(_ text: String, _ path: String) -> SourceFile { SourceFile(path: path, text: text) }

  private static let tag = "// behaviour: Held\n"
  private static let page = "# Page\n\nIntroduction.\n\n## Group\n\n### `Held`\n\nText.\n"

  private func faults(_ files: [SourceFile], page: String = page) -> [String] {
    Behaviour.faults(file(page, Behaviour.path), files: files)
  }

  private static let unheld = "\(Behaviour.path):7: Held: no test holds it"

  // Lists of their own: the compiler of Swift 6.0 does not take them as arguments where they stand.
  private static let holding = [
    "  \(tag)  @Test func a() {\n  }\n",
    "  \(tag)  /// Says so.\n  @Test(\n    arguments: [\"b\"])\n  func a(b: String) {\n  }\n",
    "\(tag)/// Of a.\n@Suite struct A {\n  @Test func a() {\n  }\n}\n",
    "\(tag)extension A {\n  @Test(.disabled(\"b\")) func a() {\n  }\n  @Test func c() {\n  }\n}\n",
  ]
  private static let idle = [
    "  \(tag)\n  @Test func a() {\n  }\n",
    "  \(tag)  // @Test func b() {\n  // }\n  @Test func a() {\n  }\n",
    "  \(tag)  /* @Test func b() {\n  } */\n  @Test func a() {\n  }\n",
    "  \(tag)  @Test(.disabled(\"b\"))\n  func a() {\n  }\n",
    "  \(tag)  private func a() {\n  }\n  @Test func c() {\n  }\n",
    "  \(tag)  let text = \"@Test\"\n  func a() {\n  }\n",
    "\(tag)@Suite(.disabled(\"b\")) struct A {\n  @Test func a() {\n  }\n}\n",
    "\(tag)@Suite struct A {\n  func a() {\n  }\n}\n@Suite struct B {\n  @Test func a() {\n  }\n}\n",
    "\(tag)@Suite struct A {\n  // @Test func a() {\n  // }\n}\n",
  ]

  @Test(arguments: holding)
  func aSectionIsHeldByATestOrASuite(_ text: String) {
    #expect(faults([file(text, "Tests/Unit/A/B.swift")]) == [])
  }

  @Test(arguments: idle)
  func codeThatIsNotRunHoldsNothing(_ text: String) {
    let found = faults([file(text, "Tests/Unit/A/B.swift")])
    #expect(found.count == 2 && found.last == Self.unheld)
  }

  @Test func situationsAndProgramsHoldToo() {
    let text = "# Says so\n# behaviour: Held\n"
    #expect(faults([file(text, "Tests/Situations/a/b.case")]) == [])
    let beside = file("", "Tests/Situations/a/b.case")
    #expect(faults([file(text, "Tests/Situations/a/behaviour"), beside]) == [])
    #expect(faults([file(text, "Tests/Programs/a/test-b")]) == [])
    #expect(faults([file(text, "Tests/Outside/a/test-b.py")]) == [])
  }

  @Test(arguments: [
    "Tests/Situations/a/b.txt", "Tests/Situations/a/behaviour", "Tests/Programs/a/b.py",
    "Tests/Runner/test-b",
  ])
  func otherFilesHoldNothing(_ path: String) {
    #expect(faults([file("# behaviour: Held\n", path)]).count == 2)
  }

  @Test func figuresAloneHoldNothing() {
    #expect(faults([file("# behaviour: Held\n", "Tests/Programs/a/measure-b")]) == [Self.unheld])
  }

  @Test func aTagBelowTheFirstLinesCountsForNothing() {
    let text = "# Says so\nset a=1\n# behaviour: Held\n"
    #expect(faults([file(text, "Tests/Situations/a/b.case")]).count == 2)
  }

  @Test func aTagNamesASectionThatIsThere() {
    let text = "  \(Self.tag)  // behaviour: Lost\n  @Test func a() {\n  }\n"
    let lost = "Tests/Unit/A/B.swift:2: \(Behaviour.path) has no section Lost"
    #expect(faults([file(text, "Tests/Unit/A/B.swift")]) == [lost])
  }

  @Test func titlesAreUnique() {
    let test = file("  \(Self.tag)  @Test func a() {\n  }\n", "Tests/Unit/A/B.swift")
    let twice = Self.page + "\n### Held\n\nText.\n"
    #expect(faults([test], page: twice) == ["\(Behaviour.path):11: Held: a second section of that title"])
    #expect(faults([]) == [Self.unheld])
  }

  @Test func aSectionThatIsReferredToExists() {
    let code = file("/// See \(Behaviour.path), \"Clock\".\n", "Sources/A/B.swift")
    #expect(Behaviour.lostReferences(code, titles: ["Clock"]) == [])
    #expect(Behaviour.lostReferences(code, titles: ["Clocks"]).count == 1)
  }
}
