import Model

extension RegionEngine {
  /// First violated invariant, or nil.
  var inconsistency: String? {
    let inside = tracked.indices.filter { tracked[$0].presence.isWithin }
    if insideNow != inside { return "inside of \(inside), but \(insideNow) is kept" }
    let follows = tracked.indices.filter { tracked[$0].region.isFollow }
    let hidingRegions = tracked.indices.filter { tracked[$0].region.hidesReports }
    if self.hidingRegions != hidingRegions {
      return "\(hidingRegions) are private, but \(self.hidingRegions) is kept"
    }
    if self.follows != follows { return "\(follows) follow, but \(self.follows) is kept" }
    if indexByID.count != tracked.count { return "\(tracked.count) regions, but \(indexByID.count) ids" }
    if boxes.count != tracked.count { return "\(tracked.count) regions, but \(boxes.count) boxes" }
    // By their indices: a copy of each region after each event would take more than all that is decided.
    for index in tracked.indices {
      if indexByID[tracked[index].region.rid] != index {
        return "region \(tracked[index].region.rid) is at \(index), not where its id says"
      }
      if !boxes[index].covers(RegionBox(tracked[index])) {
        return "region \(tracked[index].region.rid) is not looked at where it should be"
      }
      if let wrong = contradiction(at: index) { return "region \(tracked[index].region.rid) \(wrong)" }
    }
    return nil
  }

  private func contradiction(at index: Int) -> String? {
    let presence = tracked[index].presence
    if tracked[index].heldSince != nil, !presence.isWithin { return "is held down, and \(presence)" }
    if case .dwelling = presence {
      return tracked[index].region.canDwell ? nil : "dwells, and cannot"
    }
    return tracked[index].dwellsSince == nil ? nil : "dwells, and is \(presence)"
  }
}
