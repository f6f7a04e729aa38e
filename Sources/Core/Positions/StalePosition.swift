import Model

/// The last known place, while the receiver has no fix: how far from there the board may be by now.
enum StalePosition {
  /// Metres that the error grows each second, and altogether. Bounded, because Home Assistant puts a tracker into every
  /// zone that its error reaches: a van in a tunnel would be "home" from far away.
  private static let moving = (each: 1.0, most: 1000.0)
  /// The same for a vehicle that stood: it may be pushed out of the garage.
  private static let standing = (each: 1.0 / 60, most: 50.0)
  /// A vehicle slower than this stands, metres a second.
  private static let slowest = 0.5

  /// `fix` as it is to be published: with its place, but without its movement. `age` in seconds; nil: unknown.
  static func of(_ fix: Fix, age: Double?) -> Fix {
    assert(fix.accuracy >= 0, "`FixFilter` lets no other fix through")
    let growth = stood(fix) ? standing : moving
    var old = fix
    old.accuracy += age.map { min(max(0, $0) * growth.each, growth.most) } ?? growth.most
    (old.speed, old.speedError, old.course) = (nil, nil, nil)
    return old
  }

  /// By its own speed; unknown: it may have moved.
  static func stood(_ fix: Fix) -> Bool { fix.speed.map { $0 < slowest } ?? false }
}
