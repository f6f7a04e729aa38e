import Model

/// When does a drive need another point? Where it turns, where its speed changes, and now and then. The
/// way between two points is drawn as a straight line: what counts is how far it leaves that line.
///
/// The middle of an arc of that length (metres) and turn (radians) is metres x radians / 8 away from its chord: a
/// sharp corner is worth a point at once, a wide bend later, noise never.
struct AdaptiveRecording: Hashable {
  /// Metres after which a point is due in any case.
  var distance: Double
  /// Degrees.
  var heading: Double
  /// Kilometres an hour.
  var speed: Double

  /// How far the way may leave the line, metres: with a turn that is worth a point, and without one.
  static let deviation = (turning: 4.0, straight: 5.5)
  /// A change of speed nearer than this to the last point is the same manoeuvre, metres.
  static let spacing = 20.0
  /// Below this a course is noise, metres a second.
  static let slowest = 2.0

  /// Why `fix` is worth a point after `reference`; nil: it is not.
  func reason(for fix: Fix, after reference: Fix) -> Reason? {
    let metres = reference.coordinate.distance(to: fix.coordinate)
    assert(distance >= 0 && heading >= 0 && speed >= 0, "a measure below nothing")
    if metres >= distance { return .moved(metres: metres, needed: distance) }
    if let turned = Self.turn(from: reference, to: fix, metres: metres) {
      let deviation = metres * turned * .pi / 180 / 8
      let isTurn = turned >= heading && deviation >= Self.deviation.turning
      if isTurn || deviation >= Self.deviation.straight { return .turned(degrees: turned, metres: metres) }
    }
    if metres >= Self.spacing, let before = reference.speed, let now = fix.speed,
      (now - before).magnitude * 3.6 >= speed
    {
      return .speedChanged(before: before * 3.6, now: now * 3.6)
    }
    return nil
  }

  /// Degrees, 0...180; nil: no course to go by.
  private static func turn(from reference: Fix, to fix: Fix, metres: Double) -> Double? {
    let courses = [reference, fix].map { $0.speed ?? slowest >= slowest ? $0.course : nil }
    var turns: [Double] = []
    if let before = courses[0], let now = courses[1] { turns.append(angle(between: before, and: now)) }
    // To the chord an arc has half of its turn at either end. That also finds a way that bends and bends
    // back, and does for a course that is not known because the vehicle stood.
    if metres >= spacing {
      let chord = reference.coordinate.bearing(to: fix.coordinate)
      for case let course? in courses { turns.append(min(180, 2 * angle(between: chord, and: course))) }
    }
    assert(turns.allSatisfy { (0...180).contains($0) }, "nothing turns by more than half a circle")
    return turns.max()
  }

  private static func angle(between one: Double, and other: Double) -> Double {
    let difference = (one - other).magnitude.truncatingRemainder(dividingBy: 360)
    return min(difference, 360 - difference)
  }
}
