import Model

/// Nothing is told from inside of a private region, and what is kept back for one is near it.
struct PrivateRegions: Judge {
  func saw(_ what: Seen, in world: World) {
    switch what {
    case .told(let report, because: _): judge(report, world)
    case .withheld(.insidePrivateRegion(let name)): judge(hiddenBy: name, world)
    default: break
    }
  }

  private func judge(_ report: Report, _ world: World) {
    let veils = world.veils.map(\.region)
    guard !veils.isEmpty else { return }
    if let secret = secret(in: report, veils) {
      world.complain(.secret, "told from inside of a private region: \(secret)")
    }
    let inside = world.seconds(since: world.evidence.veil.insideSince)
    guard case .location(let told) = report, told.trigger != .sos, inside > Veil.known.inside,
      world.sound > Veil.known.inside + 20
    else { return }
    world.complain(.secret, "told, \(Int(inside)) s inside: \(told.trigger)")
  }

  /// Nil: it tells of nothing that is inside.
  private func secret(in report: Report, _ veils: [Region]) -> String? {
    // The middle of one stands for all that is inside of it, though another one may be around it.
    func isHidden(_ place: Coordinate) -> Bool {
      !veils.contains { $0.kind == .circular && $0.coordinate == place }
        && veils.contains { $0.kind == .circular && $0.distanceBeyondEdge(place) <= 0 }
    }
    func hidden(_ regions: [Region]) -> String? {
      regions.first { !$0.hidesReports && !$0.isFollow && isHidden($0.coordinate) }.map {
        "where \($0.name) is"
      }
    }
    switch report {
    case .location(let told) where told.trigger == .sos: return nil
    case .location(let told): return isHidden(told.fix.coordinate) ? "\(told.trigger)" : nil
    case .transition(let told) where told.region.hidesReports:
      if !told.region.isShared { return "that \(told.region.name) is crossed" }
      return told.coordinate == told.region.coordinate ? nil : "where \(told.region.name) is crossed"
    case .transition(let told): return isHidden(told.coordinate) ? "a crossing of \(told.region.name)" : nil
    case .trip(let told):
      return isHidden(told.trip.start.coordinate) || isHidden(told.trip.last.coordinate) ? "a trip" : nil
    // Who calls for help is to be found.
    case .alarm(let told) where told.kind.isOfSOS: return nil
    case .alarm(let told): return told.fix.map { isHidden($0.coordinate) } == true ? "an alarm" : nil
    case .waypoint(let region): return hidden([region])
    case .waypoints(let regions, _): return hidden(regions)
    case .dump(let dump): return hidden(dump.regions)
    default: return nil
    }
  }

  private func judge(hiddenBy name: String, _ world: World) {
    guard !world.evidence.telling.isOfOrder, world.isReceiverOn, !world.isBlind else { return }
    let veils = world.veils
    // A beacon's is the radio's word.
    let named = veils.filter { $0.region.eventName == name }
    if named.contains(where: { $0.region.kind == .beacon && $0.presence.isWithin }) { return }
    if named.isEmpty { world.complain(.secret, "\(name) is no private region, and hides something") }
    let wait = Veil.known.far + Double(world.configuration.regions.holdDown)
    guard let since = world.evidence.veil.farSince, case let far = world.seconds(since: since), far > wait,
      world.heard > wait, world.silence < 5, !world.receiver.haze.isSeen(since: since), world.sound > wait,
      !veils.contains(where: { world.ledger.isMisled(about: $0.region.rid) })
    else { return }
    world.complain(.secret, "\(name) hides something, \(far) s away from it")
  }
}
