import Testing

/// The rules of the house that a machine can check, on this very checkout.
@Suite struct HouseTests {
  @Test func theCheckoutIsHere() {
    #expect(Repository.file("Package.swift") != nil)
    #expect(Repository.swift.contains { $0.target == "Core" })
  }

  @Test func noFileIsTooLong() {
    #expect(Repository.files.filter(\.isCode).compactMap(Sizes.longFile) == [])
  }

  // behaviour: Gates
  /// Whether something is told is decided in one place, and one place alone puts it into the queue.
  @Test func onePlacePublishes() {
    let core = Repository.swift.filter { $0.target == "Core" && $0.isInSources }
    #expect(Calls.of("outbox.enqueue(", in: core).count == 1)
    #expect(Calls.of(".published(", in: core).filter { $0.contains("effects.append") }.count == 1)
    // The second asks for the board's presence, which waits in no queue.
    #expect(Calls.of("policy.decide(", in: core).count == 2)
  }

  @Test func noTypeHoldsTooMuch() {
    let counts = Repository.swift.flatMap(StoredProperties.of)
    let exempt = Set(StoredProperties.exempt.keys)
    #expect(StoredProperties.crowded(counts, exempt: exempt) == [])
    #expect(StoredProperties.idle(exempt, counts) == [])
  }

  @Test func everyJudgeIsAsked() throws {
    let table = try #require(Repository.file("Tests/Simulator/Judges/Bench.swift"))
    let judges = Repository.swift.filter { $0.path.hasPrefix("Tests/Simulator/Judges/") }
    #expect(judges.count > 70)
    #expect(Judges.unasked(judges, table: table) == [])
  }

  @Test func noFolderIsCrowded() {
    #expect(Sizes.crowdedFolders(Repository.files, exempt: ["Tests/Instruments/Fuzz/corpus"]) == [])
  }

  @Test func noTwoFilesOfTheProductHaveOneName() {
    let files = Repository.swift.filter { $0.path.hasPrefix("Sources/") }
    #expect(files.count > 400 && Sizes.repeatedNames(files) == [])
  }

  @Test func theMedianFileIsShort() {
    #expect(Sizes.median(Repository.swift) <= Sizes.medianLines)
  }

  @Test func noFunctionIsTooLong() {
    #expect(Repository.swift.flatMap(Sizes.longFunctions) == [])
  }

  @Test func targetsImportOnlyAllowedModules() {
    #expect(Repository.swift.flatMap(Arrows.wrongImports) == [])
  }

  @Test func outsideThingsAreKnownInTheirRoomsAlone() {
    for name in Confined.names {
      #expect(Repository.files.flatMap { Confined.strays(name, in: $0) } == [])
      #expect(Confined.idle(name, Repository.swift) == [])
    }
    #expect(Confined.unnamed(Repository.swift) == [])
  }

  @Test func noTwoFoldersOfATargetNameEachOther() {
    #expect(Ties.faults(Ties.pairs(Repository.swift)) == [])
  }

  @Test func everyTargetHasItsArrows() {
    let targets = Set(Repository.swift.filter(\.isInSources).compactMap(\.target))
    #expect(targets.subtracting(Arrows.allowed.keys) == [])
  }

  @Test func theDaemonHasNoConcurrencyRuntime() {
    #expect(Repository.swift.flatMap(Arrows.concurrency) == [])
  }

  /// Everything that an adapter tells goes through `post`, from the first moment on.
  @Test func adaptersTakeTheirClosureInInit() {
    #expect(Repository.swift.flatMap(Arrows.lateClosures) == [])
  }

  @Test func everySectionOfTheBehaviourIsHeldByTests() throws {
    let page = try #require(Repository.file(Behaviour.path))
    #expect(Behaviour.sections(page).count > 30)
    #expect(Behaviour.faults(page, files: Repository.files) == [])
    let titles = Set(Behaviour.sections(page).map(\.title))
    #expect(Repository.files.flatMap { Behaviour.lostReferences($0, titles: titles) } == [])
  }

  @Test func onlyOneFileReadsAClock() {
    #expect(Repository.files.flatMap(Arrows.clockReads) == [])
  }

  @Test func pureTargetsUseNeitherIONorRandomness() {
    #expect(Repository.swift.flatMap(Arrows.impurity) == [])
  }

  @Test func nothingIsLeftForLater() {
    #expect(Repository.files.flatMap(Words.unfinished) == [])
  }

  @Test func commentsBeginWithTheirNoun() {
    #expect(Repository.files.flatMap(Words.withoutNoun) == [])
  }

  @Test func faultsOfTheWorldDoNotTrap() {
    #expect(Repository.swift.flatMap(Words.traps) == [])
  }

  @Test func noTypeHasAVagueName() {
    #expect(Repository.swift.flatMap(Words.vagueTypes) == [])
  }

  @Test func theFieldsOwnTermsAreUsed() {
    #expect(Repository.swift.flatMap(Words.foreignTerms) == [])
  }

  @Test func publicDeclarationsAreDocumented() {
    let files = Repository.swift.filter { !Explanations.open.contains($0.path) }
    #expect(files.flatMap(Explanations.missing) == [])
    let done = Repository.swift.filter {
      Explanations.open.contains($0.path) && Explanations.missing($0).isEmpty
    }
    #expect(done.map(\.path) == [], "no longer to be listed as open")
  }

  @Test func everyTestExpectsSomething() {
    let tests = Dictionary(grouping: Repository.swift.filter { !$0.isInSources }) { $0.target ?? "" }
    #expect(tests.values.flatMap(Claims.missing).sorted() == [])
  }

  @Test func testsAreNamedInTheFieldsNouns() {
    #expect(Repository.swift.filter { !$0.isInSources }.flatMap(Claims.withoutNoun) == [])
  }

  /// What others have written must not steer a terminal: one file sees to that, on each side.
  @Test func onlyOneFilePrints() {
    #expect(Repository.swift.flatMap(Outlets.others) == [])
    #expect(Outlets.files.allSatisfy { Repository.file($0) != nil })
  }

  @Test func nothingRefersToADocumentOutside() {
    #expect(Repository.files.flatMap(Words.outsideReferences) == [])
  }

  @Test func noTestFailsByTheClock() throws {
    let measures = TimeLimits.measures(try #require(Repository.file("Tests/Runner/slow-units")))
    #expect(!measures.isEmpty)
    #expect(Repository.files.flatMap { TimeLimits.found($0, measures: measures) } == [])
  }

  @Test func pagesListNothingExistingAsMissing() {
    let paths = Repository.files.map(\.path)
    let pages = Repository.files.filter { $0.path.hasSuffix(".md") }
    #expect(pages.flatMap { Promises.stale($0, paths: paths) } == [])
    #expect(pages.flatMap { Promises.tested($0, paths: paths) } == [])
  }

  @Test func pagesPointAtExistingFiles() {
    let paths = Repository.files.map(\.path)
    let pages = Repository.files.filter { $0.path.hasSuffix(".md") }
    #expect(pages.flatMap { Pointers.lost($0, paths: paths, isThere: Repository.isThere) } == [])
  }

  @Test func theFirstChangeIsInTheCode() throws {
    let page = try #require(Repository.file("CONTRIBUTING.md"))
    let engine = try #require(Repository.file("Sources/Core/Reporting/ModeEngine.swift"))
    let line = try #require(page.lines.first { $0.contains("`>` to `>=` in `") })
    let code = try #require(Pointers.spans(line).last)
    #expect(engine.text.contains(code), "\(code)")
  }

  /// Where people look up what `cmd` allows.
  @Test(arguments: ["docs/remote.md", "docs/behaviour.md", "board/man/homeward.otrc.5"])
  func everyCommandIsOnThePage(_ path: String) throws {
    let actions = Pointers.actions(try #require(Repository.file("Sources/Model/Control/Command.swift")))
    #expect(actions.count > 10)
    var text = try #require(Repository.file(path)).text[...]
    if path.hasSuffix(".5") {
      let entry = try #require(text.range(of: "\n.BR cmd \""))
      text = text[entry.upperBound...]
      text = text[..<(try #require(text.range(of: "\n.TP\n"))).lowerBound]
    }
    #expect(Pointers.untold(actions, in: text) == [])
  }

  @Test func noFileNamesAServerOfPackages() {
    #expect(Repository.files.flatMap(PackageServers.named) == [])
  }

  @Test func noFileNamesAPlaceOnOneMachine() {
    #expect(Repository.files.flatMap(Words.machinePaths) == [])
  }

  @Test func continuousIntegrationRunsTheOneTestCommand() throws {
    let file = try #require(Repository.file(".ci/run"))
    #expect(Commands.ofScript(file).count == 1)
    #expect(Commands.ofScript(file).allSatisfy { $0.contains("/Tests/run\"") && !$0.contains(";") })
    #expect(Repository.isExecutable(".ci/run"))
  }

  @Test(arguments: ["install.sh", "Tests/run"])
  func theReadmesCommandsExist(_ path: String) throws {
    let readme = try #require(Repository.file("README.md"))
    #expect(readme.text.contains(path))
    #expect(Repository.isExecutable(path))
  }

  @Test func everyTestProgramCanBeRun() {
    let programs = Repository.files.filter {
      $0.path.hasPrefix("Tests/Programs/") && $0.name.hasPrefix("test-")
    }
    #expect(programs.filter { !Repository.isExecutable($0.path) }.map(\.path) == [])
  }
}

/// What a shell script does.
enum Commands {
  /// Its lines without comments, blank lines and shell settings.
  static func ofScript(_ file: SourceFile) -> [Substring] {
    file.lines.filter { line in
      let line = line.drop { $0 == " " }
      return !line.isEmpty && !line.hasPrefix("#") && !line.hasPrefix("set ") && !line.hasPrefix("cd ")
    }
  }
}
