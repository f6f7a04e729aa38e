import ArgumentParser
import Glibc
import OwnTracks
import Timebase

struct FleetRenew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "renew", abstract: "Renew certificates of boards that are on the road.",
    discussion: """
      Boards whose certificate ends soon are asked, by a command over the broker, for a request
      of a new key; the key itself stays on the board. The fleet's authority signs it, and the
      board connects with the new certificate. Where the broker does not take that, the board
      goes back to the old one. A line for each board; exit status 1 where one was not renewed.
      The certificate is kept as renewed.pem beside board.pem.

      Options of mosquitto_sub and mosquitto_pub follow --: of a user that may publish on the
      boards' .../cmd and read .../cmd/answer.

      Example: homeward fleet renew out -- -h broker.example.org -p 8883 --cafile out/ca/ca.pem
               homeward fleet renew out --board truck-0001-tracker -- -h broker.example.org
      """)

  @Argument(help: "The fleet's folder.") var out: String
  @Option(help: ArgumentHelp("Days: certificates that end within them are renewed.", valueName: "number"))
  var within = 60
  @Option(
    help: ArgumentHelp(
      "A board's folder, whenever its certificate ends; may be given again.", valueName: "name"))
  var board: [String] = []
  @Option(help: ArgumentHelp("How long the new certificates are good for.", valueName: "number")) var days =
    3650
  @Option(help: ArgumentHelp("The authority, if it is not in the fleet's folder.", valueName: "folder"))
  var ca: String?
  @Option(help: ArgumentHelp("Boards that are renewed at the same time.", valueName: "number")) var together =
    50
  @Option(help: ArgumentHelp("Seconds that these are waited for.", valueName: "number")) var wait = 300
  @Flag(help: "Print JSON for programs instead of text for people.") var json = false
  @Argument(parsing: .postTerminator, help: "Options for mosquitto_sub and mosquitto_pub.")
  var options: [String] = []

  /// Before a command is sent, and until it is sent again, seconds.
  private static let (firstWord, repetition) = (1.0, 15.0)

  func validate() throws {
    guard (1...36_500).contains(days) else { throw ValidationError("--days: from 1 to 36500") }
    guard (0...36_500).contains(within) else { throw ValidationError("--within: from 0 to 36500 days") }
    guard (1...86_400).contains(wait) else { throw ValidationError("--wait: from 1 to 86400 seconds") }
    guard (1...1000).contains(together) else { throw ValidationError("--together: from 1 to 1000 boards") }
  }

  func run() throws {
    try FleetPlan.loadSums()
    umask(0o077)
    let folder = try FleetFolder(out)
    try FleetFolder.lock(out)
    let due = try boards(of: folder)
    let work = out + "/.renewing"
    FleetFolder.remove(work)
    try FleetFolder.make(work)
    defer { FleetFolder.remove(work) }
    try OpenSSL.look()
    let authority = try FleetAuthority(in: ca ?? out + "/" + FleetAuthority.folderName, work: work)
    if !due.isEmpty { try authority.look() }
    let token = "renew-\(Int(SystemClock.rawWall().seconds))-\(UInt32.random(in: 0...UInt32.max))"
    var ended: [FleetRenewal] = []
    for start in stride(from: 0, to: due.count, by: together) {
      let group = try due[start..<min(start + together, due.count)].map { try FleetRenewal($0, run: token) }
      ended += try renew(group, by: authority, work)
    }
    try say(ended)
  }

  private func say(_ ended: [FleetRenewal]) throws {
    let failures = ended.count { if case .failed = $0.state { true } else { false } }
    if json {
      let boards = ended.map { renewal -> JSON in
        switch renewal.state {
        case .done(let words): ["board": .string(renewal.folder), "ok": true, "text": .string(words)]
        case .failed(let why): ["board": .string(renewal.folder), "ok": false, "text": .string(why)]
        case .asking, .signing, .offering: ["board": .string(renewal.folder), "ok": false]
        }
      }
      Terminal.say(["ok": .boolean(failures == 0), "boards": .array(boards)])
    } else {
      for renewal in ended {
        if case .done(let words) = renewal.state { Terminal.say("\(renewal.folder): \(words)".plainLine) }
        if case .failed(let why) = renewal.state {
          Terminal.say("\(renewal.folder): not renewed: \(why)".plainLine)
        }
      }
      let count = Readable.count(ended.count - failures, "certificate")
      Terminal.say(ended.isEmpty ? "\(out): no certificate ends within \(within) days" : "\(count) renewed")
    }
    guard failures == 0 else { throw ExitCode(ExitStatus.failed.rawValue) }
  }

  /// Those that are to be renewed.
  private func boards(of folder: FleetFolder) throws -> [FleetFolder.Kept] {
    let holders = folder.kept.filter {
      $0.board.hasCertificate && folder.has(FleetBoard.certificateFile, in: $0.folder)
    }
    if let unknown = board.first(where: { name in !holders.contains { $0.folder == name } }) {
      throw Failure(
        .usage, "--board \(unknown): no board with a certificate has a folder of this name in \(out)")
    }
    guard board.isEmpty else { return holders.filter { board.contains($0.folder) } }
    let soon = SystemClock.rawWall().advanced(byDays: within)
    let ends = try FleetCertificates.ends(holders, in: folder)
    return zip(holders, ends).filter { $0.1.map { $0 < soon } ?? true }.map(\.0)
  }

  // MARK: One group

  private func renew(
    _ group: [FleetRenewal], by authority: FleetAuthority, _ work: String
  ) throws -> [FleetRenewal] {
    var group = group
    guard group.contains(where: { !$0.isOver }) else { return group }
    let conversation = try FleetConversation(options, topics: group.map(\.answerTopic), seconds: wait + 60)
    defer { conversation.end() }
    let start = Self.now
    for index in group.indices { group[index].nextWord = start + Self.firstWord }
    while group.contains(where: { !$0.isOver }), Self.now - start < Double(wait) {
      for index in group.indices where group[index].nextWord <= Self.now {
        guard let command = group[index].command(at: Int(SystemClock.rawWall().seconds)) else { continue }
        group[index].nextWord = Self.now + Self.repetition
        try conversation.say(command, on: group[index].commandTopic)
      }
      for (topic, message) in try conversation.listen(for: 500) {
        for index in group.indices where group[index].answerTopic == topic {
          group[index].heard(message)
          try keep(group[index], work)
          if case .signing(let request) = group[index].state {
            try sign(request, &group[index], authority, work)
          }
        }
      }
    }
    for index in group.indices { group[index].giveUp(after: wait) }
    return group
  }

  private func sign(
    _ request: String, _ renewal: inout FleetRenewal, _ authority: FleetAuthority, _ work: String
  ) throws {
    let (from, to) = ("\(work)/\(renewal.folder).csr", "\(work)/\(renewal.folder).pem")
    try AtomicFile.write(Array(request.utf8), as: renewal.folder + ".csr", in: work, mode: 0o600)
    do {
      try authority.sign(from, for: renewal.board.user, days: days, as: to)
      renewal.signed(String(decoding: try FileText.read(to, atMost: 1 << 20), as: UTF8.self))
    } catch let fault as FleetAuthority.RequestFault {
      renewal.failed(fault.text)
    }
  }

  /// It is in force over there.
  private func keep(_ renewal: FleetRenewal, _ work: String) throws {
    guard case .done = renewal.state else { return }
    let made = try FileText.read("\(work)/\(renewal.folder).pem", atMost: 1 << 20)
    try AtomicFile.write(made, as: FleetBoard.renewedFile, in: "\(out)/\(renewal.folder)", mode: 0o600)
  }

  private static var now: Double { Double(SystemClock.read().instant.nanoseconds) / 1e9 }
}
