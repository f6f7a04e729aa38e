import Model

/// Who enters for a dwell was inside for all of it, and who was inside for less has not entered, and does not leave. (That
/// enters come in time, where the vehicle stays, is looked at with all other crossings.)
struct DwellStays: Judge {
  /// Seconds of a dwell in which the vehicle may still be on its way in, and those of fixes that are not in time.
  private static let slack = (begin: 4.0, sound: 10.0)
  /// Beyond the edge, metres: where a fix does not say that it has left.
  private static let reach = 45.0
  /// Metres beyond the edge where it is surely outside, and seconds back to where a leave began.
  private static let outside = (metres: 60.0, seconds: 120.0)

  func saw(_ what: Seen, in world: World) {
    // Who comes back while a leave is held down has stayed.
    guard case .told(.transition(let told), because: let reason?) = what, !told.region.isHoldDown,
      world.isReceiverOn, let sound = world.receiver.soundSince, !world.receiver.haze.isSeen(since: sound)
    else { return }
    switch reason {
    case .dwelt(_, let seconds): judgeEnter(told.region, seconds, world)
    case .crossed where told.crossing == .leave && told.region.kind == .circular:
      judgePassing(told.region, world)
    default: break
    }
  }

  /// Metres from its middle, so many seconds ago.
  private func distance(_ region: Region, _ world: World, before seconds: Double) -> Double {
    world.place(before: seconds).coordinate.distance(to: region.coordinate)
  }

  private func judgeEnter(_ region: Region, _ seconds: Double, _ world: World) {
    let known = seconds + Self.slack.sound
    guard world.sound > known, world.age > known, world.silence < Self.slack.sound else { return }
    let all = stride(from: seconds - Self.slack.begin, through: 0, by: -1)
    guard let farthest = all.map({ distance(region, world, before: $0) }).max(),
      farthest > region.radius + Self.reach + world.noise
    else { return }
    world.complain(
      .truth,
      "\(region.name) is entered for a dwell of \(seconds) s, and it was \(Int(farthest)) m from its middle")
  }

  private func judgePassing(_ region: Region, _ world: World) {
    guard let dwell = region.dwell.map(Double.init), world.ledger.lives.began(world.life) != nil else {
      return
    }
    let edge = region.radius + Self.outside.metres + world.noise
    func isOutside(_ seconds: Double) -> Bool { distance(region, world, before: seconds) > edge }
    let left = stride(from: 0, through: Self.outside.seconds, by: 1).first { !isOutside($0) }
    guard let left, let entered = stride(from: left, through: left + dwell, by: 1).first(where: isOutside),
      case let known = entered + Self.outside.seconds, entered - left < dwell - 5,
      min(world.sound, world.age) > known, isUnchanged(for: known, world)
    else { return }
    world.complain(
      .truth, "\(region.name) is left after \(entered - left) s, and its dwell is \(dwell) s")
  }

  /// Nobody has changed a region for so long, seconds: what is changed around the board it is inside of at once.
  private func isUnchanged(for seconds: Double, _ world: World) -> Bool {
    guard let last = world.ledger.breaks.last else { return true }
    guard last.made < world.ledger.made.count else { return false }
    return world.seconds(since: world.ledger.made[last.made].at) > seconds
  }
}
