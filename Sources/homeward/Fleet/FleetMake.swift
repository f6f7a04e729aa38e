import Access
import ArgumentParser
import Glibc
import OwnTracks

struct FleetMake: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make", abstract: "Make what is missing in a folder, for every board of a table.",
    discussion: """
      The table is CSV with a line of column names: user, device, and any key of a
      configuration, which overrides the template's. Boards that are there keep their key,
      certificate and password; their settings are made anew. A certificate that was removed
      is made again for the same key. If anything is wrong, nothing is made.

      Example: homeward fleet make template.otrc boards.csv out
               homeward fleet make template.otrc boards.csv out --ca ~/our-authority
      """)

  @Argument(help: "The settings that all boards have, an .otrc file.") var template: String
  @Argument(help: "The boards, a CSV file.") var table: String
  @Argument(help: "The folder for the files.") var out: String
  @Option(
    help: ArgumentHelp(
      "An authority that is there already: ca.pem and ca.key. Otherwise one is made in the folder.",
      valueName: "folder"))
  var ca: String?
  @Option(help: ArgumentHelp("How long the certificates are good for.", valueName: "number")) var days = 3650
  @Flag(help: "Print JSON for programs instead of text for people.") var json = false

  func validate() throws {
    guard (1...36_500).contains(days) else { throw ValidationError("--days: from 1 to 36500") }
  }

  func run() throws {
    try FleetPlan.loadSums()
    // Keys and passwords are the owner's alone, from their first moment.
    umask(0o077)
    let plan = try FleetPlan.read(template, table)
    for remark in plan.remarks { warn(remark) }
    guard plan.complaints.isEmpty else {
      throw Failure(.configuration, plan.complaints.joined(separator: "\n"))
    }
    try FleetFolder.make(out)
    try FleetFolder.lock(out)
    let maker = try FleetMaker(plan, in: out, authority: ca, days: days)
    for warning in maker.warnings { warn(warning) }
    let made = try maker.make()
    let answer: JSON = [
      "ok": true, "boards": .integer(Int64(maker.boards.count)), "new": .integer(Int64(made.new)),
      "certificates": .integer(Int64(made.certificates)),
    ]
    guard !json else { return Terminal.say(answer, sortingKeys: true) }
    Terminal.say(
      "\(out): \(Readable.count(maker.boards.count, "board")), \(made.new) of them new; "
        + "\(Readable.count(made.certificates, "certificate")) made")
  }
}

extension FleetPlan {
  /// Of two files.
  static func read(_ template: String, _ table: String) throws -> FleetPlan {
    FleetPlan(
      template: Source(name: template, bytes: try FileText.read(template, atMost: ConfigurationFile.limit)),
      table: Source(name: table, bytes: try FileText.read(table, atMost: tableLimit)))
  }

  /// Folders are named, and passwords hashed, by libsodium.
  static func loadSums() throws {
    do { try Secret.load() } catch {
      throw Failure(
        .failed,
        "fleet needs libsodium, which cannot be loaded (\(error.why)); fix it with: apt install libsodium23")
    }
  }

  /// Bytes; a hundred thousand boards have fewer.
  private static let tableLimit = 32 << 20
}
