import Model

/// Areas and places that a map program has drawn, as waypoint objects.
///
/// A feature needs a name (`properties.name` or `title`). A polygon becomes a region with these edges, a point with
/// `properties.radius` in metres a circle. What a region may also say (`rid`, `share`, `speedLimit`, `dwell`, `private`) is
/// taken from the properties.
public enum GeoJSON {
  /// The waypoints, and a line for each feature that is none.
  public struct Found: Hashable, Sendable {
    /// To be decoded as any other waypoints.
    public var waypoints: [JSON] = []
    /// `features[3] "Yard": ...`
    public var problems: [String] = []
  }

  private struct Refusal: Error {
    var reason: String
  }

  private static let kept = ["rid", "share", "speedLimit", "dwell", "private"]

  /// Nil: it is no GeoJSON. `created`: the time of the new regions, Unix seconds.
  public static func waypoints(in json: JSON, created: Int) -> Found? {
    let features: [JSON]
    switch json["type"]?.text {
    case "FeatureCollection": features = json["features"]?.elements ?? []
    case "Feature": features = [json]
    default: return nil
    }
    var found = Found()
    for (index, feature) in features.enumerated() {
      let name = name(of: feature)
      do {
        found.waypoints.append(try waypoint(feature, name, created))
      } catch {
        let shown = name.map { " \"\(ConfigurationFile.brief($0))\"" } ?? ""
        found.problems.append("features[\(index)]\(shown): \(error.reason)".plainLine)
      }
    }
    return found
  }

  private static func name(of feature: JSON) -> String? {
    let properties = feature["properties"]
    return [properties?["name"]?.text, properties?["title"]?.text].lazy.compactMap { $0 }.first {
      !$0.isEmpty
    }
  }

  private static func waypoint(_ feature: JSON, _ name: String?, _ created: Int) throws(Refusal) -> JSON {
    guard let name else { throw Refusal(reason: "it has no name: expected one in properties.name") }
    let properties = feature["properties"] ?? [:]
    var waypoint: JSON = ["_type": "waypoint", "desc": .string(name), "tst": .integer(Int64(created))]
    for key in kept { waypoint.set(key, properties[key]) }
    let geometry = feature["geometry"]
    let coordinates = geometry?["coordinates"]
    switch geometry?["type"]?.text {
    case "Polygon": waypoint.set("polygon", try ring(coordinates))
    case "MultiPolygon":
      guard let parts = coordinates?.elements, parts.count == 1 else {
        throw Refusal(reason: "it has several parts: give each a feature of its own")
      }
      waypoint.set("polygon", try ring(parts[0]))
    case "Point":
      guard let radius = properties["radius"]?.double, radius > 0 else {
        throw Refusal(reason: "a point needs its radius in metres in properties.radius")
      }
      waypoint.set("lon", coordinates?[0])
      waypoint.set("lat", coordinates?[1])
      waypoint.set("rad", .real(radius))
    case let type:
      throw Refusal(reason: "its geometry is \(type ?? "nothing"): expected Polygon, or Point with a radius")
    }
    return waypoint
  }

  private static func ring(_ rings: JSON?) throws(Refusal) -> JSON {
    guard let outer = rings?[0] else { throw Refusal(reason: "its polygon has no corners") }
    guard rings?.elements?.count == 1 else {
      throw Refusal(reason: "it has a hole, and a region cannot have one")
    }
    return outer
  }
}
