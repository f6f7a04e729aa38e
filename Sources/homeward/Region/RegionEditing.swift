import ArgumentParser

struct RegionAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a region, at the current position unless you give one.",
    discussion: """
      Without a radius and without a beacon it is a pin on the map, which is never
      entered.

      Example: homeward region add Home --here --radius 100
               homeward region add --here --radius 100
               homeward region add Office --lat 48.137 --lon 11.575 --radius 150
               homeward region add Garage --uuid CA271EAE-5FA8-4E80-8F08-2A302A95A959
      """)

  @Argument(help: "Its name; without one it is Here- and its id.") var name: String?
  @OptionGroup var place: PlaceOptions
  @OptionGroup var shape: ShapeOptions
  @Flag(help: "Keep its name to this board.") var noShare = false
  @OptionGroup var inside: InsideOptions
  @Option(
    help: ArgumentHelp("When it was made, in Unix seconds, where no clock is known.", valueName: "seconds"))
  var tst: String?
  @OptionGroup var options: CommonOptions

  func run() throws {
    // One by one: Swift 6.0 gives up on the type of a long sum.
    var words = ["region", "add"]
    if let name { words.append(name) }
    words += place.words + shape.words + inside.words
    if noShare { words.append("--no-share") }
    if let tst { words += ["--tst", tst] }
    try RegionCommand.perform(words, options)
  }
}

struct RegionSet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change a region; its id and creation time are kept.",
    discussion: """
      Example: homeward region set Home --radius 150
               homeward region set Home --name "Home|1|2"
      """)

  @Argument(help: "Its name or id.") var region: String
  @Option(help: ArgumentHelp("Its new name.", valueName: "name")) var name: String?
  @OptionGroup var place: PlaceOptions
  @OptionGroup var shape: ShapeOptions
  @Option(help: ArgumentHelp("Whether its name may be published.", valueName: "yes|no")) var share: String?
  @OptionGroup var inside: InsideOptions
  @OptionGroup var options: CommonOptions

  func run() throws {
    var words = ["region", "set", region] + (name.map { ["--name", $0] } ?? [])
    words += place.words + shape.words + inside.words + (share.map { ["--share", $0] } ?? [])
    try RegionCommand.perform(words, options)
  }
}

struct RegionMove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Put a region somewhere else.",
    discussion: """
      Example: homeward region move Caravan --here
               homeward region move Office --lat 48.138 --lon 11.576
      """)

  @Argument(help: "Its name or id.") var region: String
  @OptionGroup var place: PlaceOptions
  @OptionGroup var options: CommonOptions

  func run() throws {
    try RegionCommand.perform(["region", "move", region] + place.words, options)
  }
}
