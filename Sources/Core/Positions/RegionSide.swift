import Model

/// Which side of a region's edge a fix shows.
enum RegionSide {
  case inside, outside
  /// Between the limits: the present state is confirmed.
  case between
  /// The fix is too inaccurate to decide.
  case doubtful

  /// A fix worse than the circle counts only where even its error leaves no doubt. `beyond`: metres from the edge,
  /// below 0 inside.
  static func of(_ region: Region, beyond: Double, accuracy: Double) -> RegionSide {
    of(radius: region.radius, beyond: beyond, accuracy: accuracy)
  }

  /// The same for any circle.
  static func of(radius: Double, beyond: Double, accuracy: Double) -> RegionSide {
    assert(accuracy >= 0, "known to \(accuracy) m")
    if accuracy > max(100, radius) {
      if beyond + accuracy <= 0 { return .inside }
      return beyond - accuracy > 0 ? .outside : .doubtful
    }
    if beyond <= 0 { return .inside }
    return beyond > min(max(accuracy, 10), 100) ? .outside : .between
  }
}
