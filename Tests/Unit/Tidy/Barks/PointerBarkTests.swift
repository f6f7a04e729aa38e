import Testing

/// `Pointers` finds what it is there for.
@Suite struct PointerBarkTests {
  private let paths = ["Sources/Core/Event.swift", "Sources/Core/A/B.swift", "docs/a.md", "docs/b.md"]

  private func lost(_ text: String) -> [String] {
    Pointers.lost(SourceFile(path: "docs/a.md", text: text), paths: paths) { path in
      paths.contains { $0 == path || $0.hasPrefix(path + "/") }
    }
  }

  @Test(arguments: [
    "see `Sources/Core/B.swift`", "run `docs/run NAME`", "in `Sources/Core/B/`", "beside `Absent.swift`",
    "[b](c.md)", "[b](../docs/c.md#there)", "[b](docs/b.md)",
  ])
  func pointersThatAreLost(_ text: String) {
    #expect(lost("\n" + text).count == 1)
    #expect(lost(text).allSatisfy { $0.hasPrefix("docs/a.md:1: there is no ") })
  }

  @Test(arguments: [
    "see `Sources/Core/A/B.swift`, `B.swift`", "in `Sources/Core/`", "`Sources/*/B.swift`",
    "`owntracks/van/van`", "[b](b.md), [here](#there), [c](../docs/b.md#there)",
    "[out](https://example.org/c.md)", "Sources/Core/B.swift",
  ])
  func pointersThatAreNot(_ text: String) {
    #expect(lost(text) == [])
  }

  @Test func actionsOfCommands() {
    let table = "    case .acknowledgeSOS: \"acknowledgeSos\"\n    case .dump: \"dump\"\n    case .other: 1\n"
    let actions = Pointers.actions(SourceFile(path: "Command.swift", text: table))
    #expect(actions == ["acknowledgeSos", "dump"])
    #expect(Pointers.untold(actions, in: "| `dump`, acknowledge |") == ["acknowledgeSos"])
  }
}
