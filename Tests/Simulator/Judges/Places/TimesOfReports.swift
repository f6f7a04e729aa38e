import Timebase

/// Nothing tells of the future, and no board tells another date, whatever its receiver says.
struct TimesOfReports: Judge {
  /// Before this program was made, or far ahead; Unix seconds.
  private static let possible = BoardClock.epoch - 100 * 86_400...BoardClock.epoch + 3800 * 86_400

  func saw(_ what: Seen, in world: World) {
    guard case .told(let report, because: _) = what else { return }
    let time: WallTime
    switch report {
    case .location(let location): time = location.time
    case .transition(let transition): time = transition.time
    default: return
    }
    if !Self.possible.contains(time.seconds) { world.complain(.times, "impossible: \(report)") }
    let ahead = (time - BoardClock.truth(world.now)).seconds
    if world.isTimeKnown, ahead > 2 { world.complain(.times, "\(ahead) s ahead: \(report)") }
  }
}
