/// A history that goes by a number of points keeps so many, once it has had them. A power cut may take the last.
struct FullHistory: Judge {
  private var isFull = false

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    case .minute:
      let history = world.configuration.history
      guard world.living != nil, world.isDiskWell, !world.hasFlipped, !world.isBlind,
        let points = world.process.desk?.file?.points,
        let text = look(points: points, wanted: history.days < 0 ? history.positions : nil)
      else { return }
      world.complain(.window, text)
    default: break
    }
  }

  /// `wanted`: points; nil: it goes by something else.
  mutating func look(points: Int, wanted: Int?) -> String? {
    guard let wanted else { return nil }
    isFull = isFull || points >= wanted
    return isFull && points < wanted ? "the history was full and has \(points) points, not \(wanted)" : nil
  }
}
