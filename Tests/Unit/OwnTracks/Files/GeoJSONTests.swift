import Model
import OwnTracks
import Testing

@Suite struct GeoJSONTests {
  private let yard: JSON = [[11, 48], [11.001, 48], [11.001, 48.001], [11, 48.001], [11, 48]]

  private func feature(_ geometry: JSON, _ properties: JSON = ["name": "Yard"]) -> JSON {
    ["type": "Feature", "properties": properties, "geometry": geometry]
  }

  private func entries(_ json: JSON) -> (entries: [WaypointEntry], problems: [String]) {
    guard let found = GeoJSON.waypoints(in: json, created: 1_700_000_000) else { return ([], ["no GeoJSON"]) }
    let decoded = Waypoints.decode(.array(found.waypoints))
    return (decoded.entries, found.problems + decoded.problems.map(\.description))
  }

  @Test func aPolygonBecomesARegionWithItsEdgesAndACircleAroundThem() throws {
    let (entries, problems) = entries(
      ["type": "FeatureCollection", "features": [feature(["type": "Polygon", "coordinates": [yard]])]])
    #expect(problems.isEmpty)
    let entry = try #require(entries.first)
    #expect(entry.name == "Yard" && entry.polygon?.corners.count == 4 && entry.created == 1_700_000_000)
    #expect(entry.coordinate == Coordinate(latitude: 48.0005, longitude: 11.0005) && entry.radius == 67)
  }

  @Test func aPointWithARadiusIsACircleAndItsPropertiesCount() throws {
    let (entries, problems) = entries(
      feature(
        ["type": "Point", "coordinates": [11, 48]],
        ["title": "Gate", "radius": 80, "share": false, "speedLimit": 30, "dwell": 60]))
    #expect(problems.isEmpty)
    let entry = try #require(entries.first)
    #expect(entry.name == "Gate" && entry.radius == 80 && entry.polygon == nil)
    #expect(!entry.isShared && entry.speedLimit == 30 && entry.dwell == 60)
  }

  @Test func whatIsNoRegionIsNamedAndTheRestIsTaken() {
    let hole: JSON = [yard, yard]
    let (entries, problems) = entries([
      "type": "FeatureCollection",
      "features": [
        feature(["type": "LineString", "coordinates": yard]),
        feature(["type": "Polygon", "coordinates": hole]),
        feature(["type": "Polygon", "coordinates": [yard]], [:]),
        feature(["type": "Point", "coordinates": [1, 2]]),
        feature(["type": "MultiPolygon", "coordinates": [[yard]]]),
        feature(["type": "MultiPolygon", "coordinates": [[yard], [yard]]]), 5,
      ],
    ])
    #expect(entries.count == 1 && problems.count == 6)
    #expect(
      problems.first
        == "features[0] \"Yard\": its geometry is LineString: expected Polygon, or Point with a radius")
    #expect(problems[2] == "features[2]: it has no name: expected one in properties.name")
  }

  @Test func otherFilesAreNoGeoJSON() {
    #expect(GeoJSON.waypoints(in: ["_type": "waypoints", "waypoints": []], created: 0) == nil)
    #expect(GeoJSON.waypoints(in: [1, 2], created: 0) == nil)
  }

  @Test func cornersThatAreNoneAreNamed() {
    for (polygon, words): (JSON, String) in [
      (5, "polygon is not a list of [longitude, latitude]"),
      ([[11, 48], [11, 95], [12, 48]], "polygon[1] is not [longitude, latitude] in degrees"),
      ([[11, 48], [11, 48.1], [11, 48]], "polygon: it needs three different corners"),
      ([[0, 1], [40, 1], [40, 2]], "polygon: it is more than 30 degrees wide"),
    ] {
      let decoded = Waypoints.decode([["_type": "waypoint", "desc": "Y", "tst": 1, "polygon": polygon]])
      #expect(decoded.entries.isEmpty && decoded.problems.first?.reason == words)
    }
  }

  @Test func aRegionIsWrittenAsItIsRead() throws {
    let polygon = try Polygon(
      [(48.1234567, 11.7654321), (48.2, 11.8), (48.2, 11.7)].map {
        Coordinate(latitude: $0.0, longitude: $0.1)!
      })
    let region = Region(
      rid: "a", name: "Yard", coordinate: Coordinate(latitude: 48.16, longitude: 11.75)!, radius: 5000,
      created: 1,
      polygon: polygon)
    let entry = Waypoints.decode(Waypoints.object(region)).entries.first
    #expect(entry?.polygon == polygon && entry?.rid == "a")
  }
}
