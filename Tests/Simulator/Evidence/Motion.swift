import Timebase

/// The way of the vehicle, as it truly stands and drives.
struct Motion {
  /// What drives has a greater speed than that where the receiver tells none, metres a second.
  private static let crawl = 6.0
  /// So long after noise the way is still learnt from it, and without, seconds.
  private static let patience = (noisy: 40.0, usual: 5.0)
  /// Who has stood for so long, seconds, and is so far from there, metres, is known to have set out.
  static let departure = (stood: 100.0, metres: 30.0)

  private(set) var standsSince: Instant?
  private(set) var drivesSince: Instant?
  /// Where it stood last, and for how long, seconds.
  private var stand: (place: Point, seconds: Double)?
  /// The greatest noise of this stand.
  private(set) var loudest = 0.0
  /// Where it stood there was noise: what it crossed as it came may be told as it leaves.
  private var wasLoudUntil = Instant.zero
  /// Since when there has been no noise.
  private(set) var quietSince: Instant?

  /// `tellsSpeed`: the receiver does. Without, who turns round may look like who stands.
  mutating func drives(_ speed: Double, from place: Point, tellsSpeed: Bool, at now: Instant) {
    if speed == 0 { stand = (place, standsSince.map { (now - $0).seconds } ?? 0) }
    if speed > 0 {
      if loudest > 0 { wasLoudUntil = now + .seconds(Self.patience.noisy) }
      (standsSince, drivesSince, loudest) = (nil, drivesSince ?? now, 0)
    } else {
      (standsSince, drivesSince) = (standsSince ?? now, nil)
    }
    if !tellsSpeed, speed < Self.crawl { drivesSince = nil }
  }

  mutating func hears(noise: Double, at now: Instant) {
    loudest = max(loudest, noise)
    quietSince = noise > 0 ? nil : quietSince ?? now
  }

  /// Surely known to have set out.
  func hasDeparted(to place: Point) -> Bool {
    stand.map { $0.seconds > Self.departure.stood && $0.place.distance(to: place) > Self.departure.metres }
      ?? false
  }

  /// So long it has to drive before it is known where it is, seconds.
  func patience(at now: Instant) -> Double { now < wasLoudUntil ? Self.patience.noisy : Self.patience.usual }
}
