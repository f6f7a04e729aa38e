import Timebase

/// A report of the receiver as it came: any part may be missing or wrong. `Core.FixFilter` makes a `Fix` of it or gives
/// the reason for refusing it.
public struct Reading: Hashable, Sendable {
  /// 0 not seen, 1 no fix, 2 two-dimensional, 3 three-dimensional. Of gpsd's `status` one value is kept, below: it
  /// never decides (it is absent for plain GPS in gpsd 3.22).
  public var mode: Int = 0
  /// By the receiver's clock, which may be wrong by years; nil: it does not know.
  public var time: WallTime?
  /// `time` is nil, because the receiver names a day that there is not.
  public var isDateImpossible = false
  /// Degrees, north positive; nil when absent or not finite.
  public var latitude: Double?
  /// Degrees, east positive; nil when absent or not finite.
  public var longitude: Double?
  /// Metres above mean sea level.
  public var altitude: Double?
  /// Estimated horizontal error, metres.
  public var eph: Double?
  /// Estimated error eastward, metres.
  public var epx: Double?
  /// Estimated error northward, metres.
  public var epy: Double?
  /// Estimated vertical error, metres.
  public var epv: Double?
  /// Horizontal dilution of precision of the latest sky view; it stands in where no error is given.
  public var hdop: Double?
  /// Metres a second over ground.
  public var speed: Double?
  /// Estimated error of the speed, metres a second.
  public var eps: Double?
  /// Degrees from true north.
  public var track: Double?
  /// By dead reckoning, without satellites.
  public var isReckoned = false
  /// Made up by the receiver, which simulates.
  public var isSimulated = false
  /// The receiver repeats a place and has no fix: `mode` is 1, and the place is left out.
  public var isVoid = false

  /// Of a receiver that has said nothing.
  public init() {}

  /// Metres within which the place is in 19 of 20 cases, as `eph` is meant: twice the root of what the standard
  /// deviations in two directions (metres) add up to. Nil: they are no errors of a place.
  public static func error(north: Double, east: Double) -> Double? {
    guard north >= 0, east >= 0, north + east > 0, north + east < 1_000_000 else { return nil }
    return 2 * (north * north + east * east).squareRoot()
  }

  /// Where it says to be; nil: nowhere on the Earth.
  public var coordinate: Coordinate? {
    guard let latitude, let longitude else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}

/// One usable position: has a time, a place and an accuracy.
public struct Fix: Hashable, Sendable {
  /// Believed: `Core.ReceiverClock` has judged it, and corrected a roll-over.
  public var time: WallTime
  /// Never 0, 0: `Core.FixFilter` takes that for a receiver without a fix.
  public var coordinate: Coordinate
  /// Metres, 0 or more.
  public var accuracy: Double
  /// Metres above mean sea level; only of three-dimensional fixes.
  public var altitude: Double?
  /// Metres.
  public var verticalAccuracy: Double?
  /// Metres a second.
  public var speed: Double?
  /// Metres a second.
  public var speedError: Double?
  /// Degrees from true north, 0..<360.
  public var course: Double?
  /// The board was inside a private beacon's region when it came: where that is nobody is told.
  public var isHidden = false

  /// Nil: the receiver does not know the value.
  public init(
    time: WallTime, coordinate: Coordinate, accuracy: Double, altitude: Double? = nil,
    verticalAccuracy: Double? = nil, speed: Double? = nil, speedError: Double? = nil, course: Double? = nil
  ) {
    self.time = time
    self.coordinate = coordinate
    self.accuracy = accuracy
    self.altitude = altitude
    self.verticalAccuracy = verticalAccuracy
    self.speed = speed
    self.speedError = speedError
    self.course = course
  }
}
