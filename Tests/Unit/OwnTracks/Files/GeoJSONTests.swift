import Model
import OwnTracks
import Testing

// behaviour: Areas with edges
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

  @Test func invalidFeaturesAreNamedAndTheRestIsTaken() {
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

  /// A map program's metres delete nothing.
  @Test func placesThatAreNoDegreesAreNamed() {
    let point = feature(
      ["type": "Point", "coordinates": [500123.4, 4816123.9]], ["name": "Mast", "radius": 150])
    let (entries, problems) = entries([
      "type": "FeatureCollection", "features": [point],
      "crs": ["type": "name", "properties": ["name": "urn:ogc:def:crs:EPSG::25833"]],
    ])
    #expect(entries.isEmpty)
    #expect(
      problems == [
        "features[0] \"Mast\": a place is 500123.4, 4816123.9: expected degrees, longitude first, as in 11.5, 48.1; "
          + "the file is in urn:ogc:def:crs:EPSG::25833"
      ])
    let mark = feature(["type": "Point", "coordinates": [0, -1_000_000]], ["name": "Mast", "radius": 150])
    #expect(self.entries(mark).entries.isEmpty && self.entries(mark).problems.count == 1)
    let text = feature(["type": "Point", "coordinates": ["11", 48]], ["name": "Mast", "radius": 150])
    #expect(self.entries(text).problems.first?.contains("not [longitude, latitude]") == true)
    #expect(self.entries(feature(["type": "Point"], ["name": "Mast", "radius": 150])).problems.count == 1)
  }

  @Test(
    arguments: [("radius", "150"), ("Radius", " 150 m"), ("rad", "150.0"), ("RAD", "150m")]
      as [(String, String)])
  func aRadiusMayBeATextAndKeysMayHaveCapitals(_ key: String, _ text: String) throws {
    var properties: JSON = ["Name": "Gate"]
    properties.set(key, .string(text))
    let (entries, problems) = entries(feature(["type": "Point", "coordinates": [11, 48]], properties))
    #expect(problems.isEmpty)
    #expect(entries.first?.name == "Gate" && entries.first?.radius == 150)
  }

  @Test func anAreaAloneIsNamedAfterItsFile() {
    let area: JSON = ["type": "Polygon", "coordinates": [yard]]
    let found = GeoJSON.waypoints(in: area, created: 0, unnamed: "yard")
    #expect(found?.problems == [] && found?.waypoints.first?["desc"] == "yard")
    #expect(entries(area).problems == ["features[0]: it has no name: expected one in properties.name"])
    let two: JSON = ["type": "FeatureCollection", "features": [feature(area, [:]), feature(area, [:])]]
    #expect(GeoJSON.waypoints(in: two, created: 0, unnamed: "yard")?.problems.count == 2)
  }

  /// RFC 7946, 3.1.9: in two parts, either of them in either direction.
  @Test(arguments: [(false, false), (false, true), (true, false), (true, true)] as [(Bool, Bool)])
  func anAreaThatTheDateLineCutsIsOne(_ isWestReversed: Bool, _ isEastReversed: Bool) throws {
    var west: [JSON] = [[179, -17], [180, -17], [180, -16], [179, -16]]
    var east: [JSON] = [[-180, -16], [-180, -17], [-179, -17], [-179, -16]]
    if isWestReversed { west.reverse() }
    if isEastReversed { east.reverse() }
    let rings: JSON = [[.array(west + [west[0]])], [.array(east + [east[0]])]]
    let (entries, problems) = entries(feature(["type": "MultiPolygon", "coordinates": rings]))
    #expect(problems.isEmpty)
    let polygon = try #require(entries.first?.polygon)
    #expect(entries.first?.coordinate == Coordinate(latitude: -16.5, longitude: 180))
    for (longitude, isInside) in [(179.5, true), (-179.5, true), (178.5, false), (-178.5, false), (0, false)]
    {
      let place = try #require(Coordinate(latitude: -16.3, longitude: longitude))
      #expect((polygon.distance(from: place) < 0) == isInside, "\(longitude)")
    }
  }

  @Test func partsThatDoNotMeetAtTheDateLineAreNotOne() {
    let west: JSON = [[[179, -17], [180, -17], [180, -16], [179, -16], [179, -17]]]
    let other: JSON = [[[-180, -15], [-180, -17], [-179, -17], [-179, -15], [-180, -15]]]
    let (entries, problems) = entries(feature(["type": "MultiPolygon", "coordinates": [west, other]]))
    #expect(entries.isEmpty && problems.first?.hasSuffix("give each a feature of its own") == true)
  }

  @Test func foreignFileFormatsAreNamed() {
    for (text, words) in [
      ("<?xml version=\"1.0\"?>\n<kml xmlns=\"http://www.opengis.net/kml/2.2\">", "it is KML"),
      ("<gpx version=\"1.1\"><wpt/></gpx>", "it is GPX"), ("<html>", "it is XML"),
      ("name,lat,lon\nHome,1,2\n", "CSV"), ("name;lat;lon\n", "CSV"), ("PK\u{3}\u{4}rest", "KMZ"),
    ] {
      let sentence = ForeignFile.sentence(Array(text.utf8))
      #expect(sentence?.contains(words) == true && sentence?.contains("ogr2ogr") == true, "\(text)")
    }
    for text in ["{\"a\": 1, }", "[1, 2", "", "hello"] {
      #expect(ForeignFile.sentence(Array(text.utf8)) == nil)
    }
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
