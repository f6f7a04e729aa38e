import Model
import OwnTracks
import Replay

/// The figures of replays of one recording, each with settings of its own, side by side.
struct ReplayComparison {
  struct Column {
    /// The settings in which it differs from the others.
    var settings: [(key: String, value: String)]
    var figures: ReplayFigures
  }

  private var columns: [Column] = []

  mutating func add(_ column: Column) { columns.append(column) }

  /// `KEY=VALUE` of one `--compare`, with blanks between two of them; a word without `=` belongs to the value before.
  static func pairs(_ text: String) throws -> [String] {
    var pairs: [String] = []
    for word in text.split(separator: " ").map(String.init) {
      if word.contains("=") {
        pairs.append(word)
      } else if let last = pairs.popLast() {
        pairs.append(last + " " + word)
      } else {
        throw Failure(.usage, "--compare \(text): expected KEY=VALUE")
      }
    }
    guard !pairs.isEmpty else { throw Failure(.usage, "--compare: expected KEY=VALUE") }
    return pairs
  }

  /// That are changed anywhere, each once.
  static func keys(_ changes: [[String]]) -> [String] {
    changes.joined().reduce(into: []) { keys, pair in
      let key = String(pair.prefix { $0 != "=" })
      if !keys.contains(key) { keys.append(key) }
    }
  }

  /// The values of these keys.
  static func settings(_ keys: [String], of configuration: Configuration) -> [(key: String, value: String)] {
    let all = ConfigurationFile.json(configuration, redacting: true)
    return keys.map { ($0, Readable.value(all[$0])) }
  }

  var text: String {
    var table = Table()
    let heads = columns.map { $0.settings.map { "\($0.key)=\($0.value)" } }
    for row in 0..<(heads.map(\.count).max() ?? 0) {
      table.add([""] + heads.map { $0.indices.contains(row) ? $0[row] : "" })
    }
    func add(_ title: String, _ value: (ReplayFigures) -> String) {
      table.add([title] + columns.map { value($0.figures) })
    }
    add("Positions") { "\($0.positions)" }
    add("Published") { "\($0.locations)" }
    add("Crossings") { "\($0.crossings)" }
    add("Longest silence") { $0.longestSilence.map { Readable.span($0.seconds) } ?? "-" }
    add("Messages") { "\($0.messages)" }
    add("Data") { Readable.bytes($0.bytes) }
    return table.text
  }

  var json: JSON {
    let replays = columns.map { column -> JSON in
      var settings: JSON = [:]
      for (key, value) in column.settings { settings.set(key, .string(value)) }
      return ["settings": settings, "figures": column.figures.json]
    }
    return ["ok": true, "replays": .array(replays)]
  }
}
