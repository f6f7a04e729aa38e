/// Nothing tells a place that is known worse than people want.
struct WantedAccuracy: Judge {
  func saw(_ what: Seen, in world: World) {
    // An old place is told with what may have come of it meanwhile.
    guard case .told(.location(let told), because: _) = what, told.trigger != .sos,
      world.evidence.fixes.heard.contains(where: {
        $0.time == told.fix.time && $0.accuracy == told.fix.accuracy
      })
    else { return }
    let limit = Double(world.configuration.reports.ignoreInaccurateLocations)
    if limit > 0, told.fix.accuracy > limit {
      world.complain(
        .reasons, "told though it is known to \(told.fix.accuracy) m, and \(limit) are asked for")
    }
  }
}
