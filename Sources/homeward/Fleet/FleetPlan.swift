import Model
import OwnTracks

/// The boards of a template and a table, each with its whole configuration.
struct FleetPlan {
  /// A file as people call it, and its content.
  struct Source {
    var name: String
    var bytes: [UInt8]
  }

  private(set) var boards: [FleetBoard] = []
  /// A line each; with any of them nothing is made.
  private(set) var complaints: [String] = []
  /// Harmless.
  private(set) var remarks: [String] = []

  private let template: Source
  private let table: Source
  private let common: ConfigurationFile.Decoded

  private static let columns = ["user": "username", "device": "deviceId"]

  init(template: Source, table: Source) {
    self.template = template
    self.table = table
    common = ConfigurationFile.decode(template.bytes, written: 0)
    guard common.raw.members != nil, !common.problems.contains(where: \.key.isEmpty) else {
      complaints = common.problems.map { "\(template.name): \($0)" }
      return
    }
    // That the template has no user is its nature.
    remarks = common.remarks.filter { !$0.hasPrefix("username is empty") }.map { "\(template.name): \($0)" }
    do {
      let rows = try CSVTable(table.bytes)
      let keys = keys(of: rows.header)
      guard complaints.isEmpty else { return }
      for row in rows.rows {
        if let fault = rows.fault(of: row) { complain(fault.line, fault.text) } else { add(row, keys) }
      }
      if rows.rows.isEmpty { complain(rows.header.line, "no board, expected a line for each") }
    } catch {
      complain(error.line, error.text)
    }
  }

  private mutating func complain(_ line: Int, _ text: String) {
    complaints.append("\(table.name): line \(line): \(text)".plainLine)
  }

  /// The keys that the columns are about.
  private mutating func keys(of header: CSVTable.Row) -> [String] {
    let keys = header.cells.map { Self.columns[$0.trimmed] ?? $0.trimmed }
    if keys.count == 1, keys[0].contains(";") {
      complain(header.line, "semicolons between the columns, expected commas")
      return []
    }
    for (index, key) in keys.enumerated() {
      if keys[..<index].contains(key) {
        complain(header.line, "two columns for \(key), expected one")
      } else if ConfigurationKey.named(key) == nil {
        let meant = UnknownKey.nearest(to: key, among: ConfigurationKey.all.map(\.name))
        complain(
          header.line,
          "column \(key.isEmpty ? "\(index + 1) has no name" : key), expected the key of a setting"
            + (meant.map { ": did you mean \($0)?" } ?? "; see: homeward config keys"))
      }
    }
    for (name, key) in Self.columns.sorted(by: { $0.key > $1.key }) where !keys.contains(key) {
      complain(header.line, "no column \(name), expected one")
    }
    return keys
  }

  private mutating func add(_ row: CSVTable.Row, _ keys: [String]) {
    var bytes = template.bytes
    var said: Set<String> = []
    let before = complaints.count
    for (key, cell) in zip(keys, row.cells) {
      let text = cell.trimmed
      guard !text.isEmpty else {
        if key == "username" || key == "deviceId" { complain(row.line, "\(key) is empty, expected a name") }
        continue
      }
      said.insert(key)
      do {
        bytes = try ConfigurationFile.setting(key, to: text, in: bytes)
      } catch {
        var problem = error
        problem.place = ""
        complain(row.line, "\(problem)")
      }
    }
    guard complaints.count == before else { return }
    let place = "\(table.name): line \(row.line)"
    var decoded = ConfigurationFile.decode(bytes, written: 0)
    decoded.raw.set("_type", "configuration")
    let board = FleetBoard(place: place, settings: decoded.raw).namingFiles()
    let problems = ConfigurationFile.decode(board.settings.pretty(), written: 0).problems
    for problem in problems { blame(problem, row, said) }
    if board.hasCertificate, board.user.unicodeScalars.count > Self.longestName {
      complain(
        row.line,
        "username has \(board.user.unicodeScalars.count) letters, expected at most \(Self.longestName)")
    }
    boards.append(board)
  }

  /// Letters that the name in a certificate may have.
  private static let longestName = 64

  /// On the row, where it said something of that key; else on the template, once.
  private mutating func blame(_ problem: ConfigurationFile.Problem, _ row: CSVTable.Row, _ said: Set<String>)
  {
    var problem = problem
    if said.contains(problem.key) {
      problem.place = ""
      return complain(row.line, "\(problem)")
    }
    if let first = common.problems.first(where: { $0.key == problem.key }) {
      problem = first
    } else {
      problem.place = ""
    }
    let line = "\(template.name): \(problem)"
    if !complaints.contains(line) { complaints.append(line) }
  }
}
