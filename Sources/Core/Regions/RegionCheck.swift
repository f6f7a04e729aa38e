import Model

/// What must agree in the region engine after every step, as in `OutboxCheck.swift`.
extension RegionEngine {
  /// What does not agree, in words; nil: all does.
  var inconsistency: String? {
    let inside = tracked.indices.filter { tracked[$0].presence == .inside }
    if lists.inside != inside { return "inside of \(inside), but \(lists.inside) is kept" }
    let follows = tracked.indices.filter { tracked[$0].region.isFollow }
    if lists.follows != follows { return "\(follows) follow, but \(lists.follows) is kept" }
    if lists.count != tracked.count { return "\(tracked.count) regions, but \(lists.count) ids" }
    for (index, known) in tracked.enumerated() where self.index(of: known.region.rid) != index {
      return "region \(known.region.rid) is at \(index), not where its id says"
    }
    for known in tracked where known.heldSince != nil && known.presence != .inside {
      return "region \(known.region.rid) is held down, and \(known.presence)"
    }
    return nil
  }
}
