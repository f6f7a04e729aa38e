import Model

extension RegionEngine {
  /// What does not agree, in words; nil: all does.
  var inconsistency: String? {
    let inside = tracked.indices.filter { tracked[$0].presence.isWithin }
    if insideNow != inside { return "inside of \(inside), but \(insideNow) is kept" }
    let follows = tracked.indices.filter { tracked[$0].region.isFollow }
    let veils = tracked.indices.filter { tracked[$0].region.isVeil }
    if self.veils != veils { return "\(veils) are private, but \(self.veils) is kept" }
    if self.follows != follows { return "\(follows) follow, but \(self.follows) is kept" }
    if indexByID.count != tracked.count { return "\(tracked.count) regions, but \(indexByID.count) ids" }
    if boxes.count != tracked.count { return "\(tracked.count) regions, but \(boxes.count) boxes" }
    for (index, known) in tracked.enumerated() where indexByID[known.region.rid] != index {
      return "region \(known.region.rid) is at \(index), not where its id says"
    }
    for (box, known) in zip(boxes, tracked) where !box.covers(RegionBox(known)) {
      return "region \(known.region.rid) is not looked at where it should be"
    }
    for known in tracked {
      if known.heldSince != nil, !known.presence.isWithin {
        return "region \(known.region.rid) is held down, and \(known.presence)"
      }
      if case .dwelling = known.presence {
        if !known.region.canDwell { return "region \(known.region.rid) dwells, and cannot" }
      } else if known.dwellsSince != nil {
        return "region \(known.region.rid) dwells, and is \(known.presence)"
      }
    }
    return nil
  }
}
