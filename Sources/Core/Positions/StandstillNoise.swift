/// The plane that `Standstill` measures on, and the noise that it has learnt.
extension Standstill {
  /// East and north of an origin, as on a plane.
  struct Metres {
    static let perDegree = 111_195.0
    var east = 0.0
    var north = 0.0

    var length: Double { (east * east + north * north).squareRoot() }

    static func + (left: Metres, right: Metres) -> Metres {
      Metres(east: left.east + right.east, north: left.north + right.north)
    }
    static func - (left: Metres, right: Metres) -> Metres {
      Metres(east: left.east - right.east, north: left.north - right.north)
    }
    static func * (left: Metres, right: Double) -> Metres {
      Metres(east: left.east * right, north: left.north * right)
    }
  }

  /// The noise that a receiver reports of a vehicle that stands: learnt in an hour, and eight times as fast where there
  /// is more of it than assumed.
  struct Noise {
    /// Deviations of each axis, metres, squared.
    private var placesSquared = 256.0
    private var smoothSquared = 256.0
    /// Metres a second.
    private(set) var speeds = 0.1
    /// Metres from one fix to the next, of late.
    private(set) var steps = 5.0

    var places: Double { placesSquared.squareRoot() }
    var smooth: Double { smoothSquared.squareRoot() }

    mutating func stood(places: Double, smooth: Double, speed: Double?, _ seconds: Double) {
      Self.learn(&placesSquared, places * places / 2, seconds)
      Self.learn(&smoothSquared, smooth * smooth / 2, seconds)
      if let speed { speeds += (min(speed, 1) - speeds) * (seconds / (300 + seconds)) }
    }

    mutating func stepped(_ metres: Double, _ seconds: Double) {
      steps += (metres - steps) * (seconds / (10 + seconds))
    }

    private static func learn(_ known: inout Double, _ seen: Double, _ seconds: Double) {
      let lasting = seen > known ? 450.0 : 3600.0
      known += (seen - known) * (seconds / (lasting + seconds))
    }
  }
}
