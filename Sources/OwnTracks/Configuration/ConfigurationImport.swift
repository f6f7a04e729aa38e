import Model

/// Merges a phone's export, or any other configuration, into the board's own file. Importing it again changes
/// nothing.
public struct ConfigurationImport: Sendable {
  /// The board's file with everything in it that may be taken over.
  public private(set) var file: JSON
  /// Keys that may be taken over, whatever the file said of them before.
  public private(set) var count = 0
  /// Those that say something else now.
  public private(set) var changed: [String] = []
  /// Keys that are left alone: they are only to be set on the board.
  public private(set) var left: [String] = []

  /// Without the waypoints that were skipped: what the board would pass over does not come into its file.
  public init(of imported: ConfigurationFile.Decoded, into file: JSON) {
    var raw = imported.raw
    if !imported.skippedIndices.isEmpty {
      let entries = (raw["waypoints"]?.elements ?? []).enumerated()
      let good = entries.filter { !imported.skippedIndices.contains($0.offset) }.map(\.element)
      if good.isEmpty { raw.set("waypoints", nil) } else { raw.set("waypoints", .array(good)) }
    }
    self.init(of: raw, into: file)
  }

  /// Both are objects, checked by `ConfigurationFile.decode`.
  public init(of imported: JSON, into file: JSON) {
    self.file = file
    for member in imported.members ?? [] where member.key != "_type" {
      take(member.key, member.value)
    }
  }

  /// The names that this board takes over with it, as `deviceId "phone"`: where another device still has them, the
  /// two throw each other off the broker.
  public var identity: [String] {
    ["deviceId", "clientId"].compactMap { name in
      guard changed.contains(name), let text = file[name]?.text, !text.isEmpty else { return nil }
      return "\(name) \(JSON.string(ConfigurationFile.brief(text)))".plainLine
    }
  }

  private mutating func take(_ name: String, _ value: JSON) {
    let key = ConfigurationKey.named(name)
    guard key?.isImported != false, key.map({ ConfigurationFile.isMasked($0, value) }) != true else {
      left.append(name)
      return
    }
    count += 1
    let before = file[name]
    if name == "waypoints" {
      file.set(name, .array(Self.merged(value.elements ?? [], into: before?.elements ?? [])))
    } else {
      let new: JSON? = value.isNull ? .none : .some(value)
      file.set(name, new)
    }
    if file[name] != before { changed.append(name) }
  }

  /// An entry takes the place of the one that it is, by the rule of docs/behaviour.md, "How regions come and go": the
  /// same id, else the same name and date, else, without an id, the same name. Two new entries never take one place.
  private static func merged(_ new: [JSON], into old: [JSON]) -> [JSON] {
    var all = old
    var places: [String: [Int]] = [:]
    var taken: Set<Int> = []
    func note(_ entry: JSON, at index: Int) {
      for name in names(of: entry) { places[name, default: []].append(index) }
    }
    for (index, entry) in all.enumerated() { note(entry, at: index) }
    for entry in new {
      let own = names(of: entry)
      // With an id of its own a bare name says too little.
      let identifying = entry["rid"]?.text == nil ? own : Array(own.dropLast())
      let index = identifying.lazy.flatMap { places[$0] ?? [] }.first { !taken.contains($0) }
      if let index {
        all[index] = entry
      } else {
        all.append(entry)
      }
      let place = index ?? all.count - 1
      taken.insert(place)
      note(entry, at: place)
    }
    return all
  }

  /// Names that may identify an entry, the surest first, its bare name last. Empty: there are none.
  private static func names(of entry: JSON) -> [String] {
    guard let name = entry["desc"]?.text else { return [] }
    var names: [String] = []
    if let rid = entry["rid"]?.text, !rid.isEmpty { names.append("rid \(rid)") }
    if let date = entry["tst"]?.double ?? entry["tst"]?.text.flatMap(DecimalText.number) {
      names.append("dated \(date) \(name)")
    }
    return names + ["named \(name)"]
  }
}
