import Testing

/// `Confined` finds what it is there for.
@Suite struct ConfinedBarkTests {
  private let name = Confined.Name(word: "gpsd", rooms: ["Sources/Receiver/", "Sources/Core/One.swift"])

  private func file(_ text: String, _ path: String) -> SourceFile { SourceFile(path: path, text: text) }

  @Test func aNameOutsideItsRooms() {
    let strays = Confined.strays(
      name,
      in: file("import A\n// gpsd\nlet a = GPSD()\n  /// GPSD\nlet b = \"gpsd\"\n", "Sources/Core/Two.swift"))
    #expect(
      strays == ["Sources/Core/Two.swift:3: knows gpsd", "Sources/Core/Two.swift:5: knows gpsd"])
  }

  @Test func thePageIsCodeAsWell() {
    #expect(Confined.strays(name, in: file("a: \"gpsd\",\n", "Sources/homeward-web/page/a.js")).count == 1)
  }

  @Test func itsRoomsMayHaveIt() {
    for path in ["Sources/Receiver/A.swift", "Sources/Core/One.swift", "Tests/A.swift", "Sources/Core/a.c"] {
      #expect(Confined.strays(name, in: file("let a = GPSD()", path)) == [])
    }
  }

  @Test func sourcesOfPositionsWithoutAName() {
    let text = "public final class NMEAFile: PositionSource {\n}\n"
    #expect(Confined.unnamed([file(text, "Sources/NMEA/NMEAFile.swift")]).count == 1)
    #expect(Confined.unnamed([file(text, "Sources/Receiver/NMEAFile.swift")]) == [])
  }

  @Test func aRoomThatNeedsItNoMore() {
    let files = [
      file("let a = GPSD()", "Sources/Receiver/A.swift"), file("let a = 1", "Sources/Core/One.swift"),
    ]
    #expect(Confined.idle(name, files) == ["Sources/Core/One.swift"])
  }
}
