import ArgumentParser
import Glibc
import OwnTracks
import Timebase

struct RegionImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Merge the regions of a file into those of the board.",
    discussion: """
      Takes what the OwnTracks apps export: waypoints (.otrw), a configuration with
      waypoints in it (.otrc), or an array of waypoints; and GeoJSON, where a polygon
      becomes a region with these edges and a point with a radius a circle. A region that is the same
      already stays as it is; latitude -1000000 deletes, but not in GeoJSON.

      Example: homeward region import home.otrw
      """)

  @Argument(help: "The file; - is standard input.") var file: String
  @OptionGroup var options: CommonOptions

  func run() throws {
    let bytes = ConfigurationFile.withoutMark(try FileText.read(file, atMost: ConfigurationFile.limit))
    let json: JSON
    do {
      json = try JSON.parseByHand(bytes, limit: ConfigurationFile.limit)
    } catch {
      throw Failure(.usage, "\(file): \(ForeignFile.sentence(bytes) ?? "\(error)")")
    }
    let now = SystemClock.rawWall().wholeSeconds
    var array = Waypoints.dated(json["waypoints"] ?? json, FileText.lastChange(of: file) ?? Int(now))
    if let found = GeoJSON.waypoints(in: json, created: now, unnamed: placeName) {
      for problem in found.problems { warn("\(file): skipped: \(problem)") }
      array = .array(found.waypoints)
    }
    let decoded = Waypoints.decode(array, source: .file(written: nil))
    for problem in decoded.problems { warn("\(file): skipped: \(problem)") }
    guard !decoded.entries.isEmpty || (decoded.problems.isEmpty && array != []) else {
      throw Failure(.usage, "\(file): not one usable waypoint in it")
    }
    let text = String(decoding: array.serialised(sortingKeys: false), as: UTF8.self)
    try perform(["region", "import", text], options)
  }

  /// The file's own name without what says its kind: of an area that was drawn alone and has no name.
  private var placeName: String? {
    guard file != "-", let last = file.split(separator: "/").last else { return nil }
    let name = last.split(separator: ".", maxSplits: 1).first.map(String.init)
    return name?.isEmpty == false ? name : nil
  }
}

struct RegionExport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the regions as a file that the OwnTracks apps read (.otrw).",
    discussion: "Example: homeward region export home.otrw")

  @Argument(help: "The file; without one, standard output.") var file: String?
  @OptionGroup var options: CommonOptions

  func run() throws {
    let answer = try DaemonConnection(path: options.socket).ask(["region", "list"], for: RegionList.self)
    let regions = (answer.regions ?? []).map(RegionRecord.forFiles)
    let bytes = JSON.object([.init("_type", "waypoints"), .init("waypoints", .array(regions))]).pretty()
    guard let file else { return Terminal.say(json: String(decoding: bytes, as: UTF8.self), terminator: "") }
    try AtomicFile.write(bytes, to: file)
    Terminal.say("\(regions.count) region\(regions.count == 1 ? "" : "s") in \(file)")
  }
}
