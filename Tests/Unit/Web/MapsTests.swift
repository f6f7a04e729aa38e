import Testing

@testable import Web

/// Maps that the page does without.
struct MapsTests {
  private func maps(_ word: String) -> Maps { Maps([ServerOptions.Map(word)]) }

  @Test(arguments: [
    ("Van=/nowhere/van.mbtiles", "--map /nowhere/van.mbtiles: No such file or directory, expected a file"),
    ("/nowhere/van.pmtiles", "--map /nowhere/van.pmtiles: No such file or directory, expected a file"),
    ("/proc/self/status", "--map /proc/self/status: no map that can be shown, expected a file"),
    (
      "Sky=https://sky.example/{z}/{x}.png Sky",
      "--map https://sky.example/{z}/{x}.png: no {y} in it, expected an address"
    ),
    ("https:///{z}/{x}/{y}.png", "--map https:///{z}/{x}/{y}.png: no host in it, expected an address"),
  ])
  func aMapThatIsNoneIsNamed(_ word: String, _ line: String) {
    let faults = maps(word).faults
    #expect(faults.count == 1 && faults[0].hasPrefix(line), "\(faults)")
    #expect(faults.allSatisfy { $0.hasSuffix("; the page does without it") })
    #expect(maps(word).described.elements?.isEmpty == true)
  }

  @Test(arguments: ["https://sky.example/{z}/{y}/{x}?k=v © Sky", "http://{s}.sky.example/{z}/{x}/{y}.png"])
  func anAddressWithTheNumbersOfATileIsAMap(_ word: String) {
    #expect(maps(word).faults.isEmpty && maps(word).described.elements?.count == 1)
  }
}
