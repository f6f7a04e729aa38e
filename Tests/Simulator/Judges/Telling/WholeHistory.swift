/// The history of the calm part, when no disk fails and no power is cut, has every location that is told.
struct WholeHistory: Judge {
  /// When it began to be looked at: points on the disk, and locations made.
  private var start: (points: Int, made: Int)?

  /// Points of one wake-up may be under way, and the one that is being made.
  private static let slack = 3

  mutating func saw(_ what: Seen, in world: World) {
    guard case .minute = what, let points = world.living?.status(at: world.moment).historyCount
    else { return }
    let isKept = world.calm > 180 && world.configuration.history.days > 0 && world.isDiskWell
    let told = isKept ? world.ledger.made.count(where: \.isPlace) : 0
    if let text = look(points: points, made: told, isKept: isKept) { world.complain(.window, text) }
  }

  /// `points`: what the tracker says of its history, with what waits. Nil: all are there.
  mutating func look(points: Int, made: Int, isKept: Bool) -> String? {
    guard isKept else {
      start = nil
      return nil
    }
    guard let start else {
      start = (points, made)
      return nil
    }
    let (more, told) = (points - start.points, made - start.made)
    return more + Self.slack < told ? "the history has \(more) more points, \(told) locations were told" : nil
  }
}
