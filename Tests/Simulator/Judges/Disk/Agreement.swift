import Storage

/// What the tracker keeps twice agrees after every event, and what the store keeps twice after every order.
struct Agreement: Judge {
  /// Checked builds look at the tracker after each event by themselves, and stop.
  private static let isChecked: Bool = {
    var isChecked = false
    assert(
      {
        isChecked = true
        return true
      }())
    return isChecked
  }()

  func saw(_ what: Seen, in world: World) {
    switch what {
    case .decided where !Self.isChecked:
      if let wrong = world.tracker?.inconsistency { world.complain(.agreement, wrong) }
    // A flipped bit may make tables and counters disagree.
    case .diskWorked where world.card.disk.struck == nil && !world.hasFlipped:
      let (file, twin) = (world.process.desk?.file, world.card.twin)
      if case .none = world.card.disk.fault, let points = file?.points { twin.counted(points) }
      world.complainOfStore()
      if let wrong = world.asking({ file?.inconsistency(countingTo: StoreFile.fewRows) }) {
        world.complain(.agreement, "store: \(wrong)")
      }
    default: break
    }
  }
}
