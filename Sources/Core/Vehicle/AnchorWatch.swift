import Model
import Timebase

/// Guards the place where the anchor was dropped. As a region is left, so is the circle around it: by fixes in a row
/// beyond radius and accuracy, of something that moves. What seems to stand out there for half an hour is out there,
/// too: no drift is too slow, and few reflections last so long. Where nobody has seen how it came there, two
/// minutes will do: after a gap a receiver may be wrong for a while.
///
///     off ──set──▶ holding ──outside──▶ dragging      anchor alarm, once
///                     └─────────────────────┴──ended──▶ off
struct AnchorWatch {
  /// How long what stands has to be outside, seconds, and what nobody saw come there.
  static let standing = (seen: 1800.0, unseen: 120.0)
  /// A position less accurate than this is no place to drop an anchor at, metres.
  static let worst = 50.0

  /// Nil: nothing is watched.
  private(set) var state: AnchorState?
  /// Fixes in a row that are outside, and since when, by their time.
  private var outside = 0
  private var since: WallTime?
  private var isUnseen = false

  init(_ stored: AnchorState?) { state = stored }

  mutating func drop(at fix: Fix) {
    self = AnchorWatch(AnchorState(place: TrackPoint(fix), isDragging: false))
  }

  mutating func end() { self = AnchorWatch(nil) }

  /// Metres from the anchor where it drags from now on. `ground`: whether what is seen of it is movement; `confirm`:
  /// fixes that have to agree in a row. `isHidden`: a private region hides where it is, and the alarm waits until it is
  /// out of that.
  mutating func consider(
    _ fix: Fix, _ ground: Standstill.Verdict, metres radius: Double, confirm: Int, isHidden: Bool
  ) -> Double? {
    guard let state, !state.isDragging else { return nil }
    var (here, isMoving) = (fix.coordinate, false)
    switch ground {
    case .free: isMoving = true
    case .arrived: isUnseen = true
    case .settled(let mean): here = mean.coordinate
    case .arriving, .held, .leapt: break
    }
    let metres = state.place.coordinate.distance(to: here)
    switch RegionSide.of(radius: radius, beyond: metres - radius, accuracy: fix.accuracy) {
    case .inside, .between:
      (outside, since, isUnseen) = (0, nil, false)
      return nil
    case .doubtful: return nil
    case .outside: break
    }
    // A clock that was set back begins anew.
    let began = since.map { min($0, fix.time) } ?? fix.time
    since = began
    if isMoving { outside += 1 }
    let needed = isUnseen ? Self.standing.unseen : Self.standing.seen
    guard outside >= confirm || (fix.time - began).seconds >= needed, !isHidden else { return nil }
    self.state?.isDragging = true
    return metres
  }
}
