import Model

/// Areas and places that a map program has drawn, as waypoint objects.
///
/// A feature needs a name (`properties.name` or `title`, in any case). A polygon becomes a region with these edges, a
/// point with `properties.radius` (or `rad`) in metres a circle. What a region may also say (`rid`, `share`, `speedLimit`,
/// `dwell`, `private`) is taken from the properties. Nothing in such a file deletes.
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

  /// Nil: it is no GeoJSON. `created`: the time of the new regions, Unix seconds. `unnamed`: what a file's only place is
  /// called where it has no name.
  public static func waypoints(in json: JSON, created: Int, unnamed: String? = nil) -> Found? {
    let features: [JSON]
    switch json["type"]?.text {
    case "FeatureCollection": features = json["features"]?.elements ?? []
    case "Feature": features = [json]
    case "Polygon", "MultiPolygon", "Point", "MultiPoint", "LineString", "MultiLineString",
      "GeometryCollection":
      features = [["type": "Feature", "properties": [:], "geometry": json]]
    default: return nil
    }
    var found = Found()
    for (index, feature) in features.enumerated() {
      let name = name(of: feature) ?? (features.count == 1 ? unnamed : nil)
      do {
        found.waypoints.append(try waypoint(feature, name, created, json["crs"]))
      } catch {
        let shown = name.map { " \"\(ConfigurationFile.brief($0))\"" } ?? ""
        found.problems.append("features[\(index)]\(shown): \(error.reason)".plainLine)
      }
    }
    return found
  }

  private static func name(of feature: JSON) -> String? {
    for key in ["name", "title"] {
      if let text = property(key, of: feature)?.text, !text.isEmpty { return text }
    }
    return nil
  }

  /// Programs do not agree on capitals; the key as it is documented counts first.
  private static func property(_ key: String, of feature: JSON) -> JSON? {
    let properties = feature["properties"]
    if let value = properties?[key] { return value }
    return properties?.members?.first { $0.key.lowercased() == key }?.value
  }

  /// Metres; a text may end with the unit.
  private static func radius(of feature: JSON) -> Double? {
    guard let value = property("radius", of: feature) ?? property("rad", of: feature) else { return nil }
    if let number = value.double { return number }
    guard let text = value.text?.trimmed else { return nil }
    return DecimalText.number(text.hasSuffix("m") ? String(text.dropLast()).trimmed : text)
  }

  private static func waypoint(
    _ feature: JSON, _ name: String?, _ created: Int, _ crs: JSON?
  ) throws(Refusal) -> JSON {
    guard let name else { throw Refusal(reason: "it has no name: expected one in properties.name") }
    let properties = feature["properties"] ?? [:]
    var waypoint: JSON = ["_type": "waypoint", "desc": .string(name), "tst": .integer(Int64(created))]
    for key in kept { waypoint.set(key, properties[key]) }
    let geometry = feature["geometry"]
    let coordinates = geometry?["coordinates"]
    switch geometry?["type"]?.text {
    case "Polygon": waypoint.set("polygon", try checked(ring(coordinates), crs))
    case "MultiPolygon":
      let parts = coordinates?.elements ?? []
      var rings: [JSON] = []
      for part in parts { rings.append(try checked(ring(part), crs)) }
      guard let whole = rings.count == 1 ? rings[0] : DateLine.joined(rings) else {
        throw Refusal(reason: "it has several parts: give each a feature of its own")
      }
      waypoint.set("polygon", whole)
    case "Point":
      guard let radius = radius(of: feature), radius > 0 else {
        throw Refusal(reason: "a point needs its radius in metres in properties.radius")
      }
      let pair = try checked([coordinates ?? .null], crs)[0]
      waypoint.set("lon", pair?[0])
      waypoint.set("lat", pair?[1])
      waypoint.set("rad", .real(radius))
    case let type:
      throw Refusal(reason: "its geometry is \(type ?? "nothing"): expected Polygon, or Point with a radius")
    }
    return waypoint
  }

  private static func ring(_ rings: JSON?) throws(Refusal) -> JSON {
    guard let outer = rings?[0], outer.elements != nil else {
      throw Refusal(reason: "its polygon has no corners")
    }
    guard rings?.elements?.count == 1 else {
      throw Refusal(reason: "it has a hole, and a region cannot have one")
    }
    return outer
  }

  /// Places in degrees, longitude first (RFC 7946, 3.1.1), and nothing else: other numbers are another map's.
  private static func checked(_ places: JSON, _ crs: JSON?) throws(Refusal) -> JSON {
    for place in places.elements ?? [] {
      guard let longitude = place[0]?.double, let latitude = place[1]?.double else {
        throw Refusal(
          reason: "a place is \(ConfigurationFile.brief(place.description)), not [longitude, latitude]")
      }
      guard Coordinate(latitude: latitude, longitude: longitude) == nil else { continue }
      let other =
        crs?["properties"]?["name"]?.text.map { "; the file is in \(ConfigurationFile.brief($0))" } ?? ""
      throw Refusal(
        reason:
          "a place is \(longitude), \(latitude): expected degrees, longitude first, as in 11.5, 48.1\(other)")
    }
    return places
  }
}
