import Model
import Timebase

/// Adding, changing and removing beacon regions, and questions about them.
extension BeaconEngine {
  /// Begins to watch a region, or goes on with a changed one. `presence` is its known presence; unknown
  /// for a new one, and then a beacon that was heard just now is no crossing: it only decides the presence
  /// returned.
  mutating func put(
    _ region: Region, presence: Presence, isSame: Bool, rules: Rules, at now: Instant
  ) -> Presence {
    guard region.isMonitored, region.kind == .beacon, let beacon = region.beacon,
      let uuid = BeaconUUID(beacon.uuid)
    else {
      remove(rid: region.rid)
      return presence
    }
    let index = watched.firstIndex { $0.rid == region.rid }
    if let index, isSame {
      watched[index].rename(region)
      return watched[index].state.presence
    }
    let entry = Watched(
      rid: region.rid, name: region.eventName, fullName: region.name, isHoldDown: region.isHoldDown,
      isShared: region.isShared, beacon: beacon, uuid: uuid,
      state: .unknown(until: clock.listened(at: now) + Self.settling), place: BeaconPlace(region))
    if let index { watched[index] = entry } else { watched.append(entry) }
    isIndexed = false
    return begin(index ?? watched.count - 1, presence, rules, at: now)
  }

  private mutating func begin(
    _ index: Int, _ presence: Presence, _ rules: Rules, at now: Instant
  ) -> Presence {
    let listened = clock.listened(at: now)
    let entry = watched[index]
    let here = heard.filter { beacon in
      entry.matches(beacon.number) && listened - beacon.last < (rules.lossTimeout ?? beacon.gaps.timeout)
    }
    let timeout = rules.lossTimeout ?? here.map(\.gaps.timeout).max() ?? BeaconGaps.unknown
    watched[index].timeout = timeout
    switch presence {
    case .inside, .dwelling: watched[index].state = .inside(until: listened + timeout)
    case .outside: watched[index].state = .outside(nil)
    case .unknown:
      if !here.isEmpty, beyond(entry.place, rules, at: now) == nil {
        watched[index].state = .inside(until: listened + timeout)
      }
      watched[index].lastAt = here.map(\.lastAt).max()
    }
    return watched[index].state.presence
  }

  mutating func remove(rid: String) {
    guard let index = watched.firstIndex(where: { $0.rid == rid }) else { return }
    watched.remove(at: index)
    isIndexed = false
  }

  /// Takes over the guards of regions that were left a moment ago, so that a stray packet enters none of them.
  mutating func goOn(from earlier: BeaconEngine) {
    for index in watched.indices {
      guard case .outside(nil) = watched[index].state,
        let before = earlier.watched.first(where: { $0.rid == watched[index].rid }),
        before.beacon == watched[index].beacon, case .outside(let left?) = before.state
      else { continue }
      watched[index].state = .outside(ReentryGuard(leftAt: left.leftAt, stay: left.stay))
    }
  }

  /// `beaconLossTimeout` was changed: silences are measured by it from the last sighting on.
  mutating func rulesChanged(to rules: Rules, from old: Rules) {
    guard rules.lossTimeout != old.lossTimeout else { return }
    for index in watched.indices {
      guard case .inside(let until) = watched[index].state else { continue }
      let learned = heard.filter { watched[index].matches($0.number) }.map(\.gaps.timeout).max()
      let timeout = rules.lossTimeout ?? learned ?? BeaconGaps.unknown
      watched[index].state = .inside(until: until - watched[index].timeout + timeout)
      watched[index].timeout = timeout
    }
  }

  // MARK: Questions

  /// Metres to the nearest beacon; nil where a region's beacon may be anywhere, or here.
  func distanceToNearest(from place: Coordinate) -> Double? {
    var nearest: Double?
    for entry in watched {
      guard entry.state.presence != .inside, let drawn = entry.place.drawn, !entry.place.travels else {
        return nil
      }
      let metres = drawn.distance(to: place)
      nearest = nearest.map { min($0, metres) } ?? metres
    }
    return nearest
  }

  /// The region that describes a beacon best: one that is inside and names most of its numbers.
  func region(of number: BeaconNumber) -> Watched? {
    func detail(_ entry: Watched) -> Int {
      (entry.state.presence == .inside ? 4 : 0) + (entry.beacon.major == nil ? 0 : 1)
        + (entry.beacon.minor == nil ? 0 : 1)
    }
    return watched.filter { $0.matches(number) }.max { detail($0) < detail($1) }
  }
}

extension BeaconEngine.Watched {
  mutating func rename(_ region: Region) {
    name = region.eventName
    fullName = region.name
    isHoldDown = region.isHoldDown
    isShared = region.isShared
  }
}
