import Core
import Model
import Timebase

/// Private regions as the world sees them: whether the board may be inside of one, and whether it surely is. Kept by the
/// world.
struct Veil {
  /// When the board was last near one, or its tracker believed that it is inside.
  fileprivate var lastNear: Instant?
  /// Since when it surely is inside, or surely far from all.
  fileprivate var insideSince: Instant?
  fileprivate var farSince: Instant?

  /// Metres: what a fix may be off, and where it has surely left.
  fileprivate static let doubt = (inside: 25.0, near: 60.0, far: 130.0)
  /// Seconds: what was so shortly before may be so to the tracker; then it is known inside; and left.
  fileprivate static let known = (near: 10.0, inside: 10.0, far: 110.0)
}

extension Ledger {
  /// Crossings may have happened of which nobody was told.
  mutating func hidden(at now: Instant) {
    if let last = breaks.last, last.made == made.count, last.rid == nil {
      breaks[breaks.count - 1].at = now
    } else {
      breaks.append(Break(made: made.count, at: now, rid: nil, isMisled: false))
    }
  }

  func isVeiled(from: Double, to: Double) -> Bool {
    !veiled.isEmpty && from <= to && (Int(from)...Int(to)).contains(where: veiled.contains)
  }
}

extension World {
  /// Nothing has to be told.
  var isVeiled: Bool { veil.lastNear.map { (now - $0).seconds <= Veil.known.near } ?? false }

  private var veils: [Snapshot.KnownRegion] { tracker?.knownRegions.filter(\.region.isVeil) ?? [] }

  /// Once a second.
  func lookForVeils(_ truth: Road.Position) {
    let veils = veils
    guard !veils.isEmpty else {
      (veil.insideSince, veil.farSince) = (nil, nil)
      return
    }
    let reach = max(receiver.ground.reach.standing, receiver.ground.reach.driving)
    var (isInside, isFar, isNear) = (false, true, false)
    for known in veils {
      if known.presence.isWithin { isNear = true }
      guard known.region.kind == .circular else {
        if known.presence.isWithin { isFar = false }
        continue
      }
      let beyond = known.region.distanceBeyondEdge(truth.point.coordinate)
      let heard = approach.heard.last.map { known.region.distanceBeyondEdge($0.place) } ?? .infinity
      if beyond < -Veil.doubt.inside - reach { isInside = true }
      if min(beyond, heard) < Veil.doubt.near + reach { isNear = true }
      if min(beyond, heard) < Veil.doubt.far + reach { isFar = false }
    }
    veil.insideSince = isInside ? veil.insideSince ?? now : nil
    veil.farSince = isFar ? veil.farSince ?? now : nil
    guard isNear else { return }
    veil.lastNear = now
    for second in 0...Int(Veil.known.near) {
      ledger.veiled.insert(Int(Span(nanoseconds: now.nanoseconds).seconds) + second)
    }
  }

  // MARK: What is told

  func judge(secretsOf report: Report) {
    let veils = veils.map(\.region)
    guard !veils.isEmpty else { return }
    if let secret = secret(in: report, veils) {
      ledger.complain(.secret, "told from inside of a private region: \(secret)", at: now)
    }
    guard case .location(let told) = report, let inside = veil.insideSince,
      (now - inside).seconds > Veil.known.inside, let sound = receiver.soundSince,
      (now - sound).seconds > Veil.known.inside + 20
    else { return }
    ledger.complain(.secret, "told, \(Int((now - inside).seconds)) s inside: \(told.trigger)", at: now)
  }

  /// Nil: it tells of nothing that is inside.
  private func secret(in report: Report, _ veils: [Region]) -> String? {
    // The middle of one stands for all that is inside of it, though another one may be around it.
    func isHidden(_ place: Coordinate) -> Bool {
      !veils.contains { $0.kind == .circular && $0.coordinate == place }
        && veils.contains { $0.kind == .circular && $0.distanceBeyondEdge(place) <= 0 }
    }
    func hidden(_ regions: [Region]) -> String? {
      regions.first { !$0.isVeil && !$0.isFollow && isHidden($0.coordinate) }.map { "where \($0.name) is" }
    }
    switch report {
    case .location(let told): return isHidden(told.fix.coordinate) ? "\(told.trigger)" : nil
    case .transition(let told) where told.region.isVeil:
      if !told.region.isShared { return "that \(told.region.name) is crossed" }
      return told.coordinate == told.region.coordinate ? nil : "where \(told.region.name) is crossed"
    case .transition(let told): return isHidden(told.coordinate) ? "a crossing of \(told.region.name)" : nil
    case .trip(let told):
      return isHidden(told.trip.start.coordinate) || isHidden(told.trip.last.coordinate) ? "a trip" : nil
    case .alarm(let told): return isHidden(told.fix.coordinate) ? "an alarm" : nil
    case .waypoint(let region): return hidden([region])
    case .waypoints(let regions, _): return hidden(regions)
    case .dump(let dump): return hidden(dump.regions)
    default: return nil
    }
  }

  /// What is kept back for a private region is near one.
  func judge(hidden reason: Reason) {
    guard case .insidePrivateRegion(let name) = reason else { return }
    // The last place that the tracker knows may be an old one.
    veil.lastNear = now
    guard !judging.isOfOrder,
      configuration.receiver.dutyCycle == 0, !ledger.blindLives.contains(life)
    else { return }
    // A beacon's is the radio's word.
    let named = veils.filter { $0.region.eventName == name }
    if named.contains(where: { $0.region.kind == .beacon && $0.presence.isWithin }) { return }
    if named.isEmpty {
      ledger.complain(.secret, "\(name) is no private region, and hides something", at: now)
    }
    let wait = Veil.known.far + Double(configuration.regions.holdDown)
    guard let far = veil.farSince, (now - far).seconds > wait, let heard = receiver.heard,
      (now - heard.since).seconds > wait, (now - heard.last).seconds < 5,
      !receiver.haze.isSeen(since: far), let sound = receiver.soundSince, (now - sound).seconds > wait,
      !veils.contains(where: { ledger.isMisled(about: $0.region.rid, before: ledger.made.count) })
    else { return }
    ledger.complain(.secret, "\(name) hides something, \((now - far).seconds) s away from it", at: now)
  }
}
