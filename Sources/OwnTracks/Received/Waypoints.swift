import Model

/// Arrays of waypoint objects, as `.otrw` files, the `waypoints` key of a configuration and
/// `setWaypoints` commands hold them. A bad entry costs only itself.
public enum Waypoints {
  /// Why one entry is passed over.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// Counts from 0.
    public var index: Int
    /// The entry's `desc` where it has one.
    public var name: String?
    /// In plain words, with the expected value where that is not plain.
    public var reason: String

    public var description: String {
      ("waypoints[\(index)]" + (name.map { " \"\($0)\"" } ?? "") + ": \(reason)").plainLine
    }
  }

  /// The good entries, and the others' problems.
  public struct Decoded: Hashable, Sendable {
    /// Checked, in the order of the array, at most `Region.limit`.
    public var entries: [WaypointEntry] = []
    /// Of the entries that were passed over; `omitted` counts those beyond the limit.
    public var problems: [Problem] = []
    /// Further ones, beyond the limit.
    public var omitted = 0

    fileprivate mutating func note(_ problem: @autoclosure () -> Problem, limit: Int) {
      if problems.count < limit { problems.append(problem()) } else { omitted += 1 }
    }
  }

  /// The origin of the entries. Only a replay's timeline may leave `_type` and `tst` out and say `inside`.
  public enum Source: Hashable, Sendable {
    /// A phone or a command: any place that cannot be deletes.
    case message
    /// A file of the board's owner: only -1000000 deletes; 98 degrees north, or metres, are a mistake. `written`: Unix
    /// seconds, the date of regions without `tst`; nil: such regions are refused.
    case file(written: Int?)
    /// A recorded situation.
    case timeline
  }

  /// An array, an object of `_type` `waypoints`, or one waypoint. Anything else is one problem. More entries
  /// than a board has room for are not even looked at, and no more than `problemLimit` problems are reported.
  public static func decode(
    _ json: JSON, numberBase: BeaconNumberBase = .auto, source: Source = .message, problemLimit: Int = .max
  ) -> Decoded {
    var decoded = Decoded()
    var owners: [String: (index: Int, name: String)] = [:]
    let elements = elements(of: json)
    for (index, element) in elements.enumerated() {
      guard decoded.entries.count < Region.limit else {
        let left = elements.count - index
        let reason =
          "the last \(left) of \(elements.count) were skipped: at most \(Region.limit) are taken"
        decoded.note(Problem(index: index, name: nil, reason: reason), limit: problemLimit)
        break
      }
      do throws(WaypointFields.Refusal) {
        let entry = try WaypointFields(element, source).entry(numberBase)
        // One id is one region: of two entries the later would take the place of the earlier, or delete it under
        // another name.
        if let rid = entry.rid {
          if let owner = owners[rid], entry.coordinate != nil || entry.name != owner.name {
            let name = elements[owner.index]["desc"]?.text
            let first = name.map { " \"\(ConfigurationFile.brief($0))\"" } ?? ""
            throw WaypointFields.Refusal(
              reason: "it has the rid of waypoints[\(owner.index)]\(first): give it one of its own, or none")
          }
          if entry.coordinate != nil { owners[rid] = (index, entry.name) }
        }
        decoded.entries.append(entry)
      } catch {
        let name = element["desc"]?.text.map { ConfigurationFile.brief($0) }
        decoded.note(Problem(index: index, name: name, reason: error.reason), limit: problemLimit)
      }
    }
    return decoded
  }

  /// Entries that a file does not date, with a date: who takes them has only their text.
  public static func dated(_ json: JSON, _ seconds: Int) -> JSON {
    .array(
      elements(of: json).map { element in
        guard element.members != nil, (element["tst"] ?? .null).isNull else { return element }
        var dated = element
        dated.set("tst", .integer(Int64(min(max(seconds, 0), WaypointFields.lastSecond))))
        return dated
      })
  }

  private static func elements(of json: JSON) -> [JSON] {
    if let elements = json.elements { return elements }
    if json["_type"]?.text == "waypoints" { return json["waypoints"]?.elements ?? [json] }
    return [json]
  }

  /// An `.otrw` file.
  public static func file(_ regions: [Region]) -> [UInt8] {
    JSON.object([.init("_type", "waypoints"), .init("waypoints", array(regions))]).pretty()
  }

  /// The `waypoints` of a file or of an answer: all that are given, unshared ones too.
  public static func array(_ regions: [Region]) -> JSON { .array(regions.map { object($0) }) }

  /// One region. A beacon stands in it twice: in `desc`, where the iOS app looks for it, and in the
  /// keys that the Booklet names. `share` is there only to say no; such regions are never published. `inside`: whether
  /// the board is, where that is asked for and known.
  public static func object(_ region: Region, inside: Bool? = nil) -> JSON {
    var record = RegionRecord()
    (record.type, record.name, record.rid) = ("waypoint", region.exportName, region.rid)
    record.latitude = degrees(region.coordinate.latitude)
    record.longitude = degrees(region.coordinate.longitude)
    (record.radius, record.created) = (Encoder.radius(region.radius), region.created)
    record.uuid = region.beacon?.uuid
    record.major = region.beacon?.major.map(Int.init)
    record.minor = region.beacon?.minor.map(Int.init)
    record.share = region.isShared ? nil : false
    record.speedLimit = region.speedLimit
    record.polygon = region.polygon.map(PolygonCorners.json)
    record.isPrivate = region.isPrivate ? true : nil
    (record.dwell, record.inside) = (region.dwell, inside)
    return record.answer
  }

  /// Six decimals, a tenth of a metre.
  private static func degrees(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 + 0 }
}
