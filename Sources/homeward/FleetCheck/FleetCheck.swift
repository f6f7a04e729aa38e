import ArgumentParser
import CClient
import OwnTracks

struct FleetCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract:
      "Name what boards of a fleet must not share, certificates that end, and what is wrong at the broker.",
    discussion: """
      Looks at the folder of a fleet, or, with a template and a table, at the boards that would
      be made. One line for each finding, and what to do; exit status 1 where there is one that
      is more than a warning.

      With --broker it also connects to the live broker as one of the boards, with a client id
      of its own: its certificate, what it limits, settings that do not go with it, and whether
      a board can do what it has to and nothing of another board. It publishes empty messages
      that nothing retains, leaves no session, and ends within a minute. It needs libmosquitto1.

      Example: homeward fleet check out
               homeward fleet check template.otrc boards.csv
               homeward fleet check out --broker broker.example.org:8883
      """)

  @Argument(help: "The fleet's folder, or a template.") var source: String
  @Argument(help: "The table, with a template.") var table: String?
  @Option(help: ArgumentHelp("The authority that signed, if it is not in OUT: ca.pem.", valueName: "folder"))
  var ca: String?
  @Option(help: ArgumentHelp("A live broker to look at: HOST or HOST:PORT.", valueName: "host"))
  var broker: String?
  @Option(help: ArgumentHelp("The folder of the board to look as, if not the first.", valueName: "name"))
  var board: String?
  @Option(
    help: ArgumentHelp(
      "rabbitmqctl, or a program that runs it at a node: queues, policies, users and alarms too.",
      valueName: "program"))
  var rabbitmqctl: String?
  @Flag(help: "Print JSON for programs instead of text for people.") var json = false

  /// Seconds.
  private static let limit: UInt32 = 55

  func validate() throws {
    guard table == nil || (broker == nil && rabbitmqctl == nil && ca == nil) else {
      throw ValidationError("--broker, --rabbitmqctl, --ca: with the fleet's folder alone")
    }
    guard board == nil || broker != nil else { throw ValidationError("--board: with --broker alone") }
  }

  func run() throws {
    try FleetPlan.loadSums()
    var boards: [FleetBoard] = []
    var faults: [String] = []
    var warnings: [String] = []
    var live = FleetFindings()
    var grant: BrokerGrant?
    if let table {
      let plan = try FleetPlan.read(source, table)
      (boards, faults, warnings) = (plan.boards, plan.complaints, plan.remarks)
    } else {
      let folder = try FleetFolder(source)
      guard !folder.kept.isEmpty else {
        throw Failure(.usage, "\(source): no board, expected a folder for each")
      }
      boards = folder.kept.map(\.board)
      faults = try FleetCertificates(folder, authority: ca).faults
      (live, grant) = try look(folder)
    }
    let found = FleetCollisions(boards)
    faults += found.faults + live.faults
    warnings += found.warnings + live.warnings
    if json {
      var answer: JSON = [
        "ok": .boolean(faults.isEmpty), "boards": .integer(Int64(boards.count)),
        "problems": .array(faults.map { .string($0) }), "notes": .array(warnings.map { .string($0) }),
      ]
      if broker != nil || rabbitmqctl != nil {
        answer.set("unseen", .array(live.unseen.map { .string($0) }))
        answer.set("broker", grant.map { .string($0.name) } ?? .null)
      }
      Terminal.say(answer)
    } else {
      if let broker, let grant { Terminal.say("\(broker.plainLine): \(grant.name), \(grant.summary)") }
      for line in faults + warnings + live.unseen { Terminal.say(line) }
      if faults.isEmpty { Terminal.say("\(table ?? source): \(Readable.count(boards.count, "board")), good") }
    }
    guard faults.isEmpty else { throw ExitCode(ExitStatus.failed.rawValue) }
  }

  /// At the broker, where that is asked for.
  private func look(_ folder: FleetFolder) throws -> (FleetFindings, BrokerGrant?) {
    var found = FleetFindings()
    var grant: BrokerGrant?
    guard broker != nil || rabbitmqctl != nil else { return (found, nil) }
    cprobe_limit(
      Self.limit,
      "no answer in \(Self.limit) s, the check is given up: look whether the broker or rabbitmqctl hangs\n")
    if let broker {
      var look = try BrokerLook(folder, broker, board: board)
      try look.run()
      found.add(look.found)
      grant = look.grant
    }
    if let rabbitmqctl { found.add(try RabbitLook.found(by: rabbitmqctl, folder.kept.map(\.board))) }
    return (found, grant)
  }
}
