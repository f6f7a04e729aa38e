import Model
import Timebase

/// How beacon regions come, change and go, and what can be asked about them.
extension BeaconEngine {
  /// Begins to watch a region, or goes on with a changed one. `presence` is what is known of it; unknown
  /// where it is new, and then a beacon that was heard just now is no crossing: what it says is the
  /// returned presence.
  mutating func put(
    _ region: Region, presence: Presence, isSame: Bool, rules: Rules, at now: Instant
  ) -> Presence {
    guard region.isMonitored, region.kind == .beacon, let beacon = region.beacon,
      let uuid = BeaconUUID(beacon.uuid)
    else {
      remove(rid: region.rid)
      return presence
    }
    let position = watched.firstIndex { $0.rid == region.rid }
    if let position, isSame {
      watched[position].rename(region)
      return watched[position].state.presence
    }
    let entry = Watched(
      rid: region.rid, name: region.eventName, fullName: region.name, isHoldDown: region.isHoldDown,
      isShared: region.isShared, beacon: beacon, uuid: uuid,
      state: .unknown(until: clock.listened(at: now) + Self.settling), place: BeaconPlace(region))
    if let position { watched[position] = entry } else { watched.append(entry) }
    isIndexed = false
    return begin(position ?? watched.count - 1, presence, rules, at: now)
  }

  private mutating func begin(
    _ position: Int, _ presence: Presence, _ rules: Rules, at now: Instant
  ) -> Presence {
    let listened = clock.listened(at: now)
    let entry = watched[position]
    let here = heard.filter { beacon in
      entry.matches(beacon.number) && listened - beacon.last < (rules.lossTimeout ?? beacon.gaps.timeout)
    }
    let timeout = rules.lossTimeout ?? here.map(\.gaps.timeout).max() ?? BeaconGaps.unknown
    watched[position].timeout = timeout
    switch presence {
    case .inside: watched[position].state = .inside(until: listened + timeout)
    case .outside: watched[position].state = .outside(nil)
    case .unknown:
      if !here.isEmpty, beyond(entry.place, rules, at: now) == nil {
        watched[position].state = .inside(until: listened + timeout)
      }
      watched[position].lastAt = here.map(\.lastAt).max()
    }
    return watched[position].state.presence
  }

  mutating func remove(rid: String) {
    guard let position = watched.firstIndex(where: { $0.rid == rid }) else { return }
    watched.remove(at: position)
    isIndexed = false
  }

  /// Another `beaconLossTimeout`: silence is measured by it from the last sighting on.
  mutating func rulesChanged(to rules: Rules, from old: Rules) {
    guard rules.lossTimeout != old.lossTimeout else { return }
    for position in watched.indices {
      guard case .inside(let until) = watched[position].state else { continue }
      let learned = heard.filter { watched[position].matches($0.number) }.map(\.gaps.timeout).max()
      let timeout = rules.lossTimeout ?? learned ?? BeaconGaps.unknown
      watched[position].state = .inside(until: until - watched[position].timeout + timeout)
      watched[position].timeout = timeout
    }
  }

  // MARK: Questions

  /// How far the nearest beacon can be, metres: nil where a region's beacon may be anywhere, or here.
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
