import Testing

/// The rules about clocks, promises and servers bark at what they forbid and are quiet about what they allow.
@Suite struct LimitBarkTests {
  private func file(_ text: String, _ path: String = "Tests/Unit/Core/SnippetTests.swift") -> SourceFile {
    SourceFile(path: path, text: text)
  }

  private func script(_ text: String) -> SourceFile { file(text, "Tests/Programs/broker/test-snippet.py") }

  @Test(arguments: [
    "#expect(took < .seconds(2))", "#expect(a && secondsNow() - began < 1.4)",
    "#expect(took >= .seconds(10) && took < .seconds(10.8))", "#expect(longest <= .milliseconds(500))",
    "#expect(SystemClock.read().instant - begun < .seconds(5))", "#expect(wakeUps(in: 1) < 5)",
    "#expect(scene.runs(15) { isSo })", "scene.runs(5) { isSo }",
    "#expect(scene.run(within: .seconds(3)) { isSo })",
  ])
  func limitsOfSwift(_ line: String) {
    #expect(TimeLimits.found(file(line)).count == 1)
    #expect(TimeLimits.found(file("// " + line)) == [])
    #expect(TimeLimits.found(file(line, "Sources/Core/Snippet.swift")) == [])
  }

  @Test(arguments: [
    "#expect(took >= .seconds(10))", "#expect(took < .seconds(60))", "#expect(scene.runs { isSo })",
    "#expect(!scene.runs(0.3) { isSo })", "scene.runs(1) { false }", "#expect(scene.runs(60) { isSo })",
    "#expect(!scene.run(within: .milliseconds(200)) { isSo })", "#expect(overtook < 5)",
    "#expect(SystemClock.read().instant < limit)", "#expect(count < 5)",
  ])
  func noLimitsOfSwift(_ line: String) {
    #expect(TimeLimits.found(file(line)) == [])
  }

  @Test(arguments: [
    "expect(time.monotonic() - start < 6, \"late\")", "expect(11 < took < 30, took)",
    "expect(took < MOST_TO_END, took)", "expect(poll(lambda: is_so(1, [2]), 5), \"not so\")",
    "poll(is_so,\n     5)", "world.wait_for_locations(sent, seconds=20)",
    "world.tracker.wait_for_status(lambda s: s[\"a\"] == \"b)\", 10)",
    "expect(idle <= 1.5, \"%.2f wake-ups a second\" % idle)",
  ])
  func limitsOfScripts(_ line: String) {
    let found = TimeLimits.found(script("# 1\n" + line + "\n"))
    #expect(found.count == 1 && found[0].hasPrefix("Tests/Programs/broker/test-snippet.py:2: "))
    #expect(TimeLimits.found(file(line, "Tests/Programs/host/measure-snippet.py")) == [])
  }

  @Test(arguments: [
    "expect(time.monotonic() - start > 6, \"early\")", "expect(took < 60, took)",
    "expect(poll(is_so, 60), \"not so\")", "expect(not poll(is_so, 2), \"so\")", "def poll(predicate, 5):",
    "poll(is_so, every=0.1)", "poll(is_so, BOOT, 0.5)", "world.tracker.wait_for_status(is_so)",
    "expect(count < 6, count)", "while time.monotonic() < 5:",
  ])
  func noLimitsOfScripts(_ line: String) {
    #expect(TimeLimits.found(script(line)) == [])
  }

  @Test func limitsOfTheShell() {
    let text = "#!/bin/sh\n[ \"$took\" -lt 10 ] || fine=no\n"
    #expect(TimeLimits.found(file(text, "Tests/Programs/board/test-snippet")).count == 1)
    #expect(TimeLimits.found(file(text.replacing("10", with: "90"), "Tests/Programs/board/a")) == [])
  }

  @Test func suitesThatMeasureAreListed() {
    let list = file(
      "# measures  nothing\nwaits     A\nmeasures  [A-Z]*CostTests\n", "Tests/Runner/slow-units")
    let measures = TimeLimits.measures(list)
    #expect(measures == ["[A-Z]*CostTests"])
    let line = "#expect(took < .seconds(2))"
    #expect(TimeLimits.found(file(line, "Tests/Unit/Core/ACostTests.swift"), measures: measures) == [])
    #expect(TimeLimits.found(file(line), measures: measures).count == 1)
  }

  @Test func aPromiseThatIsKeptBarks() {
    let page = file("# A\n\nNot there yet: tours, a map.\n", "README.md")
    func stale(_ paths: [String]) -> [String] {
      Promises.stale(page, paths: paths, missing: ["tours": "Sources/Tours", "a map": "docs/map"])
    }
    #expect(stale(["Sources/ToursOfOthers/A.swift"]) == [])
    #expect(stale(["Sources/Tours/A.swift"]) == ["README.md:3: tours is there: Sources/Tours"])
    #expect(stale(["docs/map.md"]) == ["README.md:3: a map is there: docs/map"])
    #expect(Promises.stale(page, paths: [], missing: ["tours": "a"]).count == 1)
  }

  @Test func testedServerListedAsUntestedBarks() {
    let table = "| | Tested | Not tested yet |\n|---|---|---|\n| brokers | mosquitto | EMQX, HiveMQ |\n"
    let page = file(table + "\n| EMQX | EMQX |\n", "README.md")
    #expect(Promises.tested(page, paths: ["Tests/Programs/broker/test-live.py", "docs/emqx.md"]) == [])
    #expect(Promises.tested(page, paths: ["Tests/Outside/emqx"]) == ["README.md:3: EMQX is tested"])
  }

  @Test func serversOfPackages() {
    for host in PackageServers.hosts {
      let line = file("mirror = \"http://\(host)/debian\"", "Tests/Instruments/VM/image.py")
      #expect(PackageServers.named(line).count == 1)
    }
    #expect(PackageServers.named(file("https://www.debian.org/doc", "docs/a.md")) == [])
  }
}
