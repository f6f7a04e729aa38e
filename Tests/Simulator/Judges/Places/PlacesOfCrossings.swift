import Core
import Model

/// A crossing publishes a transition, and then one location for all of them.
struct PlacesOfCrossings: Judge {
  /// A crossing was told in this event.
  private var crossed: Reason?
  private var hasPlace = false
  private var isPlaceWithheld = false

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started, .event: self = Self()
    case .told(let report, because: let reason):
      told(report, because: reason, isPlaceKnown: world.evidence.telling.lastPublish != nil)
    case .withheld(let reason): withheld(reason)
    case .handled:
      if let lonely { world.complain(.picture, "no place was told beside: \(lonely)") }
    default: break
    }
  }

  /// `isPlaceKnown`: there is one that could be told beside what only a radio has heard.
  mutating func told(_ report: Report, because reason: Reason?, isPlaceKnown: Bool) {
    switch (report, reason) {
    case (.location, _): hasPlace = true
    case (.transition, .crossed), (.transition, .dwelt): crossed = reason
    case (.transition, .beaconHeard), (.transition, .beaconLost), (.transition, .beaconFar):
      if isPlaceKnown { crossed = reason }
    default: break
    }
  }

  mutating func withheld(_ reason: Reason) {
    switch reason {
    // It comes in a second that is free.
    case .sameTime: isPlaceWithheld = true
    case .inaccurate, .neverAnyFix, .noIdentity, .insidePrivateRegion, .offline: isPlaceWithheld = true
    default: break
    }
  }

  /// The crossing that was told without its place.
  var lonely: Reason? { hasPlace || isPlaceWithheld ? nil : crossed }
}
