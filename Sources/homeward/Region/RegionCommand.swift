import ArgumentParser
import Glibc
import OwnTracks

struct RegionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "region", abstract: "List, make, change and delete regions.",
    discussion: """
      A region with a radius is a circle; one with a beacon's UUID is entered when
      that beacon is heard; one with neither is a pin on the map. REGION is a name or
      the six characters of a region's id.

      +NAME   follows the board: its circle is as wide as 30 s of driving, at least 50 m
      -NAME   is not left before 3 s have gone by; such a name comes last, behind --
      A|1|2   switches to mode 1 when entered and to mode 2 when left

      Example: homeward region add Home --here --radius 100
               homeward region rm -- -Keys
      """,
    subcommands: [
      List.self, RegionAdd.self, RegionSet.self, RegionMove.self, Remove.self, RegionImport.self,
      RegionExport.self,
    ],
    defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the regions; an asterisk marks those that the board is inside of.",
      discussion: "Example: homeward region list")

    @OptionGroup var options: CommonOptions

    func run() throws {
      let answer = try DaemonConnection(path: options.socket).ask(["region", "list"])
      printAnswer(answer, options) { RegionCommand.text(RegionRecord.all(RegionList(answer: $0)?.regions)) }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rm", abstract: "Delete a region. Nothing is published.",
      discussion: "Example: homeward region rm Home")

    @Argument(help: "Its name or id.") var region: String
    @OptionGroup var options: CommonOptions

    func run() throws {
      try RegionCommand.perform(["region", "rm", region], options)
    }
  }

  /// Wrong words are found here, before the daemon is asked.
  static func perform(_ words: [String], _ options: CommonOptions) throws {
    do {
      _ = try Request(words: words)
    } catch {
      throw Failure(.usage, "\(error)")
    }
    try homeward.perform(words, options)
  }

  static func text(_ regions: [RegionRecord]) -> String {
    guard !regions.isEmpty else {
      return "No regions. Make one: homeward region add Home --here --radius 100"
    }
    var table = Table()
    table.add(" ", "id", "radius", "latitude", "longitude", "name")
    for region in regions {
      table.add(
        region.inside == true ? "*" : " ", Readable.text(region.rid), region.radius.map { "\($0) m" } ?? "-",
        Readable.number(region.latitude), Readable.number(region.longitude), name(region))
    }
    return table.text
  }

  /// With what else it says of itself.
  private static func name(_ region: RegionRecord) -> String {
    var words = Readable.text(region.name)
    if region.share == false { words += "  (not shared)" }
    if let limit = region.speedLimit { words += "  (\(limit) km/h)" }
    if region.isPrivate == true { words += "  (private)" }
    if let dwell = region.dwell { words += "  (after \(dwell) s)" }
    return words
  }
}

/// Where a region is.
struct PlaceOptions: ParsableArguments {
  @Flag(help: "Where the board is now.") var here = false
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Degrees north, with --lon.", valueName: "degrees"))
  var lat: String?
  @Option(parsing: .unconditional, help: ArgumentHelp("Degrees east, with --lat.", valueName: "degrees"))
  var lon: String?
  @Option(parsing: .unconditional, help: ArgumentHelp("Both at once, as 48.1,11.5.", valueName: "lat,lon"))
  var at: String?

  var words: [String] {
    (here ? ["--here"] : []) + (at.map { ["--at", $0] } ?? []) + (lat.map { ["--lat", $0] } ?? [])
      + (lon.map { ["--lon", $0] } ?? [])
  }
}

/// Options for the shape of a region: a circle or a beacon.
struct ShapeOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Metres; 0 switches a circle off.", valueName: "metres"))
  var radius: String?
  @Option(help: ArgumentHelp("The beacon's UUID.", valueName: "uuid")) var uuid: String?
  @Option(help: ArgumentHelp("The beacon's major number; without it any.", valueName: "number"))
  var major: String?
  @Option(help: ArgumentHelp("The beacon's minor number; without it any.", valueName: "number"))
  var minor: String?

  var words: [String] {
    [("--radius", radius), ("--uuid", uuid), ("--major", major), ("--minor", minor)]
      .flatMap { name, value in value.map { [name, $0] } ?? [] }
  }
}

/// Options for rules that hold inside a region.
struct InsideOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Kilometres an hour that are allowed in it; 0: no limit.", valueName: "km/h"))
  var speedLimit: String?

  @Option(
    name: .customLong("private"),
    help: ArgumentHelp("Publish only crossings while inside.", valueName: "yes|no"))
  var isPrivate: String?

  @Option(
    help: ArgumentHelp("Seconds inside before the enter is published; 0: at once.", valueName: "seconds"))
  var dwell: String?

  var words: [String] {
    [("--speed-limit", speedLimit), ("--private", isPrivate), ("--dwell", dwell)].flatMap { name, value in
      value.map { [name, $0] } ?? []
    }
  }
}
