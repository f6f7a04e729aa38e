import Testing

@testable import Web

/// The words that the server is started with.
struct OptionsTests {
  @Test func everyOptionIsParsed() throws {
    let options = try ServerOptions.parse([
      "--listen", "127.0.0.1:80", "--page", "p", "--control", "c", "--state", "s", "--run", "r", "--map", "m",
      "--name", "Van.Example", "--idle", "5",
    ])
    #expect(options.listen == "127.0.0.1:80" && options.names == ["van.example"] && options.idle == 5)
    #expect([options.page, options.control, options.state, options.run] == ["p", "c", "s", "r"])
    #expect(options.maps == [ServerOptions.Map("m")])
  }

  @Test func noMapIsNoMap() throws {
    #expect(try ServerOptions.parse(["--map", ""]).maps.isEmpty)
  }

  @Test func mapsHaveNamesAndPlaces() throws {
    let words = [
      "/maps/a=b.mbtiles", "Van=/maps/van.pmtiles",
      "Sky=https://sky.example/{z}/{y}/{x}?k=v © Sky, and others",
    ]
    let maps = try ServerOptions.parse(words.flatMap { ["--map", $0] }).maps
    #expect(maps.map(\.name) == ["", "Van", "Sky"])
    #expect(
      maps.map(\.place) == ["/maps/a=b.mbtiles", "/maps/van.pmtiles", "https://sky.example/{z}/{y}/{x}?k=v"])
    #expect(maps.map(\.isTemplate) == [false, false, true])
    #expect(maps.map(\.copyright) == ["", "", "© Sky, and others"])
  }

  @Test(arguments: [["--idle", "-1"], ["--idle", "x"], ["--idle"], ["--port", "80"], ["--listen"]])
  func othersAreMistakes(_ words: [String]) {
    #expect(throws: ServerOptions.Mistake.self) { try ServerOptions.parse(words) }
  }

  @Test func helpListsEveryOption() {
    for word in [
      "--listen", "--page", "--control", "--state", "--run", "--map", "--name", "--idle", "--version",
    ] {
      #expect(ServerOptions.help.contains("  \(word)"))
    }
  }
}
