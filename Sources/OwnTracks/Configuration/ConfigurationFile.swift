import Model

/// The configuration in the apps' own `.otrc` form: `{"_type":"configuration", …}`.
public enum ConfigurationFile {
  /// Bytes of a file with settings or regions: 10,000 regions in one take about 2 MB.
  public static let limit = 8 << 20

  /// One error, in words that name key, place, value and the expected value.
  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Empty: the file as a whole.
    public var key: String
    /// `line 12`, `not in the file`, or `override` for `--set`; empty: it goes without saying.
    public var place: String
    /// As written; `(hidden)` for secrets, empty where there is nothing to show.
    public var value: String
    /// The values that the key takes, or for a whole file its error.
    public var expected: String

    public var description: String {
      guard !key.isEmpty else { return "\(place): \(expected)".plainLine }
      return
        ((place.isEmpty ? "" : "\(place): ") + key + (value.isEmpty ? "" : " is \(value)")
        + ", expected \(expected)").plainLine
    }
  }

  /// The content of a file, and its errors.
  public struct Decoded: Sendable {
    /// Complete and within its ranges, whatever was wrong: bad keys have their defaults.
    public var configuration = Configuration()
    /// Its regions, without those in `skipped`.
    public var waypoints: [WaypointEntry] = []
    /// Any of these stops a start or a reload.
    public var problems: [Problem] = []
    /// Waypoint entries that were skipped; the others count.
    public var skipped: [Problem] = []
    /// Their places in the array.
    var skippedIndices: Set<Int> = []
    /// Worth a line in the journal, harmless.
    public var warnings: [String] = []
    /// Keys of the apps that change nothing here. They stay in the file.
    public var ignored: [String] = []
    /// Unknown keys. They stay in the file, too.
    public var unknown: [UnknownKey] = []
    /// The file as it was read, unknown keys included.
    public var raw: JSON = [:]
    var places = ConfigurationPlaces([])

    /// Everything that is worth a line in the journal though the file is taken: warnings, regions that were
    /// skipped, unknown keys. At most `remarkLimit` of each kind; the last line counts those beyond.
    public var remarks: [String] {
      Self.limited(warnings) + Self.limited(skipped.map { "skipped: \($0)" })
        + Self.limited(unknown.map(\.description))
    }

    private static let remarkLimit = 20

    private static func limited(_ lines: [String]) -> [String] {
      guard lines.count > remarkLimit else { return lines }
      return lines.prefix(remarkLimit) + ["and \(lines.count - remarkLimit) more of this kind"]
    }

    /// Files that it names and that are not there, which only who can look around on the board finds.
    public func missingFiles(isThere: (String) -> Bool) -> [Problem] {
      let tls = configuration.tls
      let named = [
        ("tlsCaFile", tls.caFile), ("tlsClientCert", tls.clientCertificate), ("tlsClientKey", tls.clientKey),
      ]
      return named.filter { !$0.1.isEmpty && !isThere($0.1) }.map { key, file in
        let shown = JSON.string(ConfigurationFile.brief(file)).description
        return Problem(
          key: key, place: places.place(of: key), value: shown, expected: "a file that is there")
      }
    }

    /// Whether the file has to be kept from other users' eyes.
    public var holdsSecret: Bool {
      let names = ConfigurationKey.all.filter(\.isSecret).map(\.name) + ["passphrase"]
      return names.contains { !(raw[$0]?.text ?? "").isEmpty }
    }
  }

  /// Whose configuration it is.
  public enum Purpose: Hashable, Sendable {
    /// A server has to be named.
    case daemon
    /// No broker is ever called: none has to be named.
    case replay
  }

  /// Reads everything and finds all problems, not only the first. `overrides` are `KEY=VALUE` pairs
  /// of a command line; they win over the file and obey the same rules. `credentials` are the same of the service
  /// manager, for what the file leaves open. `written`: Unix seconds of the file's last change, which date the
  /// regions that it gives no `tst`; nil: such regions are skipped.
  public static func decode(
    _ bytes: [UInt8], overrides: [(String, String)] = [], credentials: [(String, String)] = [],
    purpose: Purpose = .daemon, written: Int? = nil
  ) -> Decoded {
    var decoded = Decoded()
    do {
      decoded.raw = try parse(bytes)
    } catch {
      decoded.problems.append(error)
      return decoded
    }
    let places = ConfigurationPlaces(bytes)
    decoded.places = places
    if decoded.raw["_type"] == nil {
      decoded.warnings.append("_type is missing, taken for \"configuration\"")
    }
    for member in decoded.raw.members ?? [] where member.key != "_type" && member.key != "waypoints" {
      decoded.take(member.key, member.value, places.place(of: member.key))
    }
    for (name, text) in credentials { decoded.credential(name, text) }
    for (name, text) in overrides { decoded.override(name, text) }
    decoded.keepByNumber(overrides.map(\.0))
    decoded.applyPreset(typed: overrides.map(\.0))
    decoded.takeWaypoints(places, written: written)
    decoded.check(places, purpose)
    return decoded
  }

  /// The file with one key changed and every other one, known or not, left as it was. A nil value takes
  /// the key out, which means its default. A file with nothing in it begins as a new one.
  public static func setting(_ name: String, to text: String?, in bytes: [UInt8]) throws(Problem) -> [UInt8] {
    guard let key = ConfigurationKey.named(name) else { throw unknownKey(name, "override") }
    var file = isBlank(bytes) ? ["_type": "configuration"] : try parse(bytes)
    guard let text else {
      file.set(name, nil)
      return file.pretty()
    }
    var configuration = Configuration()
    guard ConfigurationValue.apply(TypedValue.json(text, for: key), key, to: &configuration) else {
      throw problem(key, "override", .string(text), isTyped: true)
    }
    file.set(name, ConfigurationValue.json(key, of: configuration))
    return file.pretty()
  }

  /// A secret that is not shown.
  static let mask = "***"

  /// An answer that is sent back, with other settings changed in it.
  static func isMasked(_ key: ConfigurationKey, _ value: JSON) -> Bool {
    key.isSecret && value.text == mask
  }

  /// Every key, sorted, with the regions. Secrets become `***` where `redacting`.
  public static func json(_ configuration: Configuration, regions: [Region] = [], redacting: Bool) -> JSON {
    var object: JSON = ["_type": "configuration"]
    for key in ConfigurationKey.all.sorted(by: { $0.name < $1.name }) {
      let value = ConfigurationValue.json(key, of: configuration)
      // An empty `tid` is none: the Booklet knows only those of one or two characters.
      if key == .trackerID, value == "" { continue }
      object.set(key.name, redacting && key.isSecret && value != "" ? .string(mask) : value)
    }
    if !regions.isEmpty { object.set("waypoints", Waypoints.array(regions)) }
    return object
  }

  /// As `json`, as the text of a file.
  public static func encode(_ configuration: Configuration, regions: [Region] = [], redacting: Bool)
    -> [UInt8]
  {
    json(configuration, regions: regions, redacting: redacting).pretty()
  }

  // MARK: - Pieces

  private static func parse(_ bytes: [UInt8]) throws(Problem) -> JSON {
    guard !isBlank(bytes) else {
      throw Problem(
        key: "", place: "line 1", value: "", expected: "the file is empty, expected an object, { … }")
    }
    let file: JSON
    do {
      file = try JSON.parseByHand(withoutMark(bytes), limit: limit, refusingDuplicates: true)
    } catch {
      throw Problem(
        key: "", place: "line \(error.line), column \(error.column)", value: "",
        expected: "not valid JSON: \(error.reason)")
    }
    guard file.members != nil else {
      throw Problem(key: "", place: "line 1", value: "", expected: "expected an object, { … }")
    }
    guard let type = file["_type"], type != "configuration" else { return file }
    throw Problem(key: "_type", place: "line 1", value: type.description, expected: "\"configuration\"")
  }

  /// Whether there is nothing in it, as in a file that was made and not yet written, or that a full disk has cut.
  public static func isBlank(_ bytes: [UInt8]) -> Bool { JSON.isBlank(withoutMark(bytes)) }

  /// Without the three bytes that editors of Windows put before UTF-8 text.
  public static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  /// Android's name for `extendedData` for a while.
  static let oldExtendedData = "pubExtendedData"

  static func key(_ name: String) -> ConfigurationKey? {
    ConfigurationKey.named(name == oldExtendedData ? "extendedData" : name)
  }

  static func unknownKey(_ name: String, _ place: String) -> Problem {
    let hint =
      name == "waypoints"
      ? "; regions are changed in the file, or by homeward region"
      : UnknownKey.nearest(to: name).map { "; did you mean \($0)?" } ?? ""
    return Problem(
      key: name, place: place, value: "", expected: "a known key; there is none of this name\(hint)")
  }

  /// `isTyped`: more words are taken than in a file.
  static func problem(
    _ key: ConfigurationKey, _ place: String, _ value: JSON, isTyped: Bool = false
  ) -> Problem {
    let shown = key.isSecret ? "(hidden)" : brief(ConfigurationValue.offender(value, key).description)
    let expected = isTyped ? TypedValue.expectation(key) : ConfigurationValue.expectation(key)
    return Problem(key: key.name, place: place, value: shown, expected: expected)
  }

  /// A person recognises a value by its beginning.
  static func brief(_ text: String) -> String {
    // One character to a person may be any number of scalars.
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: 60, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }
}
