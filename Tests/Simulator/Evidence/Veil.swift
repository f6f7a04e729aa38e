import Model
import Timebase

/// Private regions: whether the board may be inside of one, and whether it surely is.
struct Veil {
  /// When the board was last near one, or its tracker believed that it is inside.
  var lastNear: Instant?
  /// Since when it surely is inside, or surely far from all.
  private(set) var insideSince: Instant?
  private(set) var farSince: Instant?

  /// Metres: what a fix may be off, and where it has surely left.
  private static let doubt = (inside: 25.0, near: 60.0, far: 130.0)
  /// Seconds: what was so shortly before may be so to the tracker; then it is known inside; and left.
  static let known = (near: 10.0, inside: 10.0, far: 110.0)

  mutating func look(_ truth: Road.Position, in world: World) {
    let (veils, now) = (world.veils, world.now)
    guard !veils.isEmpty else {
      (insideSince, farSince) = (nil, nil)
      return
    }
    let reach = max(world.noise, world.receiver.ground.reach.driving)
    var (isInside, isFar, isNear) = (false, true, false)
    for known in veils {
      if known.presence.isWithin { isNear = true }
      guard known.region.kind == .circular else {
        if known.presence.isWithin { isFar = false }
        continue
      }
      let beyond = known.region.distanceBeyondEdge(truth.point.coordinate)
      let heard = world.evidence.fixes.heard.last
      let nearest = min(beyond, heard.map { known.region.distanceBeyondEdge($0.place) } ?? .infinity)
      if beyond < -Self.doubt.inside - reach { isInside = true }
      if nearest < Self.doubt.near + reach { isNear = true }
      if nearest < Self.doubt.far + reach { isFar = false }
    }
    insideSince = isInside ? insideSince ?? now : nil
    farSince = isFar ? farSince ?? now : nil
    guard isNear else { return }
    lastNear = now
    world.ledger.veiled.formUnion(Int(world.second)...Int(world.second) + Int(Self.known.near))
  }
}

extension World {
  /// Nothing has to be told.
  var isVeiled: Bool { evidence.veil.lastNear.map { (now - $0).seconds <= Veil.known.near } ?? false }
  var veils: [Snapshot.KnownRegion] { tracker?.knownRegions.filter(\.region.hidesReports) ?? [] }
}
