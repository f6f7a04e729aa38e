import Model

/// A circle that goes along lies around each place that is told, so wide that it lasts for the seconds of its name.
struct CirclesThatGoAlong: Judge {
  /// The fix that was told last in this event.
  private var told: Fix?

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .event: told = nil
    case .told(.location, because: .fixLost): told = nil
    case .told(.location(let location), because: _): told = location.fix
    case .handled: look(world)
    default: break
    }
  }

  private func look(_ world: World) {
    // An old place, which says nothing of its speed, is told with another accuracy.
    guard let tracker = world.tracker, let told, told.speed != nil || !world.receiver.ground.tellsSpeed,
      !world.evidence.telling.isOfOrder,
      tracker.status(at: world.moment).fixAge.map({ $0 < .seconds(25) }) ?? false
    else { return }
    for known in tracker.knownRegions where known.region.isFollow && known.region.radius > 0 {
      if let lie = Self.lie(known.region, around: told) { world.complain(.truth, lie) }
    }
  }

  static func lie(_ region: Region, around fix: Fix) -> String? {
    let away = region.coordinate.distance(to: fix.coordinate)
    if away > 0.5 { return "\(region.name) is \(away) m from the place that was told" }
    let number = region.name.dropFirst().prefix { $0.isNumber || $0 == "." }
    let seconds = Double(number).flatMap { $0 > 0 ? $0 : nil } ?? 30
    let wanted = max(50, fix.speed.map { $0 * seconds } ?? fix.accuracy)
    return (region.radius - wanted).magnitude > 0.5
      ? "\(region.name) reaches \(region.radius) m, not \(wanted)" : nil
  }
}
