import Glibc
import Model
import Testing

// behaviour: Areas with edges
@Suite struct PolygonTests {
  private static func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
    var longitude = longitude
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    return Coordinate(latitude: latitude, longitude: longitude)!
  }

  /// About 111 m north and 74 m east of one another at 48° north.
  private static let square = [place(48, 11), place(48.001, 11), place(48.001, 11.001), place(48, 11.001)]

  @Test func theDistanceIsThatToTheNearestEdgeAndBelowZeroInside() throws {
    let polygon = try Polygon(Self.square)
    let outside = polygon.distance(from: Self.place(48.0005, 11.002))
    #expect((outside - 74.4).magnitude < 0.2)
    let inside = polygon.distance(from: Self.place(48.0001, 11.0005))
    #expect((inside + 11.1).magnitude < 0.1)
    // Beyond a corner: the way to the corner itself.
    let corner = Self.place(47.999, 10.999)
    #expect((polygon.distance(from: corner) - corner.distance(to: Self.place(48, 11))).magnitude < 0.5)
  }

  @Test func aRepeatedFirstCornerChangesNothing() throws {
    let polygon = try Polygon(Self.square)
    #expect(try Polygon(Self.square + [Self.square[0]]) == polygon)
    #expect(try Polygon(Self.square.flatMap { [$0, $0] }).corners.count == 4)
    #expect(polygon.corners == Self.square)
  }

  @Test func theCircleAroundItHoldsEveryCorner() throws {
    for corners in [Self.square, [Self.place(10, 179), Self.place(12, -179), Self.place(9, -178)]] {
      let polygon = try Polygon(corners)
      let circle = try #require(polygon.circle)
      for corner in corners { #expect(circle.centre.distance(to: corner) <= circle.radius) }
      #expect(circle.radius < 400_000)
    }
  }

  @Test func invalidPolygonsAreRefused() {
    #expect(throws: Polygon.Refusal.tooFewCorners) {
      try Polygon([Self.square[0], Self.square[1], Self.square[0]])
    }
    #expect(throws: Polygon.Refusal.tooFewCorners) { try Polygon([]) }
    #expect(throws: Polygon.Refusal.tooManyCorners) {
      try Polygon((0...1000).map { Self.place(Double($0) * 0.001, $0 % 2 == 0 ? 0 : 0.01) })
    }
    #expect(throws: Polygon.Refusal.tooLarge) {
      try Polygon([Self.place(0, 0), Self.place(0, 31), Self.place(1, 0)])
    }
    #expect(throws: Polygon.Refusal.aroundPole) {
      try Polygon([Self.place(80, 0), Self.place(80, 120), Self.place(80, -120)])
    }
  }

  /// Against another way of asking: by how much one turns when the corners are looked at one after the other.
  @Test func tenThousandPlacesAreOnTheRightSideOfFiftyPolygons() throws {
    var dice = Chance(104)
    var (wrong, inside) = (0, 0)
    for number in 0..<50 {
      let middle = (
        latitude: dice.between(-70, 70),
        longitude: number % 5 == 0 ? dice.between(179, 181) : dice.between(-175, 175)
      )
      let (size, count) = (dice.between(0.001, 3), 3 + Int(dice.between(0, 40)))
      let corners = (0..<count).map { index in
        let (angle, length) = (2 * Double.pi * Double(index) / Double(count), size * dice.between(0.2, 1))
        return (
          latitude: middle.latitude + length * sin(angle), longitude: middle.longitude + length * cos(angle)
        )
      }
      let polygon = try Polygon(corners.map { Self.place($0.latitude, $0.longitude) })
      for _ in 0..<200 {
        let latitude = middle.latitude + dice.between(-1.2, 1.2) * size
        let longitude = middle.longitude + dice.between(-1.2, 1.2) * size
        let metres = polygon.distance(from: Self.place(latitude, longitude))
        let turn = Self.turn(corners.map { ($0.latitude - latitude, $0.longitude - longitude) })
        let isInside = turn.magnitude > Double.pi
        inside += isInside ? 1 : 0
        // A corner is kept to the centimetre.
        if metres.magnitude > 0.05, (metres < 0) != isInside { wrong += 1 }
      }
    }
    #expect(wrong == 0)
    #expect(inside > 1000 && inside < 9000)
  }

  private static func turn(_ corners: [(Double, Double)]) -> Double {
    var sum = 0.0
    for (index, corner) in corners.enumerated() {
      let next = corners[(index + 1) % corners.count]
      sum += atan2(corner.1 * next.0 - corner.0 * next.1, corner.0 * next.0 + corner.1 * next.1)
    }
    return sum
  }

  // MARK: In the tracker

  private static func metres(_ corners: [(Double, Double)]) throws -> Polygon {
    try Polygon(corners.map { Scene.place($0.0, $0.1) })
  }

  /// An L of 300 m, and where its circle is.
  private static func yard() throws -> WaypointEntry {
    let polygon = try metres([(0, 0), (300, 0), (300, 100), (100, 100), (100, 300), (0, 300)])
    let circle = try #require(polygon.circle)
    return WaypointEntry(
      rid: "yard", name: "Yard", coordinate: circle.centre, radius: circle.radius.rounded(.up), created: 1,
      polygon: polygon)
  }

  @Test func anAreaIsEnteredAndLeftAtItsEdges() throws {
    var scene = Scene()
    scene.connect()
    scene.post(.control(.regionImport([try Self.yard()]), from: 1), at: 0)
    // Through the corner that the area leaves out, then through its arm, at 10 m/s.
    for second in 1...60 { scene.fix(at: Double(second), 700 - 10 * Double(second), 200, speed: 10) }
    #expect(scene.tracker.status(at: scene.now).inside.isEmpty)
    for second in 61...65 { scene.fix(at: Double(second), 700 - 10 * Double(second), 200, speed: 10) }
    #expect(scene.tracker.status(at: scene.now).inside == ["Yard"])
    for second in 66...75 { scene.fix(at: Double(second), 700 - 10 * Double(second), 200, speed: 10) }
    #expect(scene.tracker.status(at: scene.now).inside.isEmpty)
  }

  private func polygon(_ scene: Scene) -> Polygon? { scene.tracker.knownRegions.first?.region.polygon }

  @Test func aCircleThatComesBackWithoutEdgesKeepsThem() throws {
    var scene = Scene()
    let entry = try Self.yard()
    scene.post(.control(.regionImport([entry]), from: 1), at: 0)
    #expect(polygon(scene) == entry.polygon)
    var returned = entry
    returned.polygon = nil
    scene.post(.control(.regionImport([returned]), from: 1), at: 1)
    #expect(polygon(scene) == entry.polygon)
    returned.radius += 1
    scene.post(.control(.regionImport([returned]), from: 1), at: 2)
    #expect(polygon(scene) == nil)
  }
}
