import Model

/// A region's `polygon`: pairs of longitude and latitude in degrees, in this order, as GeoJSON writes a ring.
enum PolygonCorners {
  /// The error, in words.
  struct Refusal: Error {
    var reason: String
  }

  static func decode(_ json: JSON) throws(Refusal) -> Polygon {
    guard let pairs = json.elements else {
      throw Refusal(reason: "polygon is not a list of [longitude, latitude]")
    }
    var corners: [Coordinate] = []
    for (index, pair) in pairs.enumerated() {
      guard let longitude = pair[0]?.double, let latitude = pair[1]?.double,
        let corner = Coordinate(latitude: latitude, longitude: longitude)
      else { throw Refusal(reason: "polygon[\(index)] is not [longitude, latitude] in degrees") }
      corners.append(corner)
    }
    do {
      return try Polygon(corners)
    } catch {
      throw Refusal(reason: "polygon: \(words(for: error))")
    }
  }

  static func json(_ polygon: Polygon) -> JSON {
    .array(polygon.corners.map { [.real(seventh($0.longitude)), .real(seventh($0.latitude))] })
  }

  private static func words(for refusal: Polygon.Refusal) -> String {
    switch refusal {
    case .tooFewCorners: "it needs three different corners"
    case .tooManyCorners: "it has more than \(Polygon.most) corners"
    case .aroundPole: "it goes around a pole"
    case .tooLarge: "it is more than \(Int(Polygon.widest)) degrees wide"
    }
  }

  /// As a polygon keeps them.
  private static func seventh(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 + 0 }
}

extension Polygon {
  /// The circle around it in the whole metres and the six decimals that messages have: what comes back from a phone
  /// is still the same.
  var publishedCircle: (centre: Coordinate, radius: Double)? {
    guard let circle,
      let centre = Coordinate(
        latitude: (circle.centre.latitude * 1e6).rounded() / 1e6,
        longitude: (circle.centre.longitude * 1e6).rounded() / 1e6)
    else { return nil }
    return (centre, (corners.map { centre.distance(to: $0) }.max() ?? 0).rounded(.up))
  }
}
