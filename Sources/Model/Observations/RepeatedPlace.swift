/// Notices a place that a receiver may only repeat. Many receivers that have lost the sky go on with their last place
/// under a running time and say elsewhere that it is void, which not every gpsd passes on: 3.22 reports a fix.
///
/// Where a receiver gives no speed gpsd works it out of two fixes in a row. So a report of gpsd's own that has a place
/// and no speed comes after a moment without a fix, whatever gpsd has said of that moment.
public struct RepeatedPlace: Sendable {
  /// A report of a place compared with those before it.
  public enum Sign: Hashable, Sendable {
    /// As it should.
    case usual
    /// The very place of the report before, to the last digit: void, or held by a receiver at rest.
    case same
    /// Another place, and no speed: void, or the first fix after none.
    case withoutSpeed
    /// The very place, and more that no receiver with a fix says.
    case frozen
    /// The very place, and gpsd has said "no fix" behind the report before, for the same second.
    case takenBack

    /// Enough where nobody can ask the receiver.
    public var isProof: Bool { self == .frozen || self == .takenBack }
  }

  /// Metres a second: a vehicle that was faster has not come to rest on the very digits of a moment before.
  public static let moving = 1.0
  /// Some receivers report more often than they look, seconds.
  static let shortest = 0.9
  /// A receiver at this speed, metres a second, has left its place after this time, seconds.
  static let (fast, longest) = (3.0, 2.0)

  private var place = (latitude: Double.nan, longitude: Double.nan)
  /// Of the report with another time than `time`.
  private var before = (latitude: Double.nan, longitude: Double.nan)
  private var time = Double.nan
  /// When the receiver came to this place, and how fast it was there; 0: it did not say.
  private var began = Double.nan
  private var speed = 0.0
  /// gpsd has said "no fix" for `time`, too; and for the time before that.
  private var isTakenBack = false
  private var wasTakenBack = false

  /// Nothing has been said yet.
  public init() {}

  /// A report with a place. Degrees, Unix seconds, metres a second; NaN: it has none. `hasTimeError`: it
  /// has an estimated error of the time, as all of gpsd's own reports with a time have.
  public mutating func look(
    latitude: Double, longitude: Double, time: Double, speed: Double, hasTimeError: Bool
  ) -> Sign {
    // A report without a time is of no use.
    guard !time.isNaN else { return .usual }
    if time != self.time {
      (before, self.time) = (place, time)
      (wasTakenBack, isTakenBack) = (isTakenBack, false)
    }
    place = (latitude, longitude)
    guard latitude == before.latitude, longitude == before.longitude else {
      (began, self.speed) = (time, speed.isNaN ? 0 : speed)
      return speed.isNaN && hasTimeError ? .withoutSpeed : .usual
    }
    guard time - began >= Self.shortest else { return .usual }
    if wasTakenBack { return .takenBack }
    if speed.isNaN { return hasTimeError || self.speed > Self.moving ? .frozen : .same }
    return speed >= Self.fast && time - began >= Self.longest ? .frozen : .same
  }

  /// A report without a fix, of this time (Unix seconds; NaN: none).
  public mutating func lost(time: Double) {
    if time == self.time { isTakenBack = true }
  }
}
