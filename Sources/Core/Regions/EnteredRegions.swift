import Model

/// The regions whose enter was published and whose leave was not.
///
/// A consumer believes it until it hears the leave: Home Assistant ignores every location of a board that it takes to
/// be in a region. So what was announced is kept as it was announced, though the region be changed or gone since.
struct EnteredRegions {
  /// Oldest first; few, because the board is in few at a time.
  private(set) var all: [EnteredRegion]
  /// Those whose leave was published since the start: what an earlier start announced, this one may not know.
  private var left: Set<String> = []

  init(_ all: [EnteredRegion]) { self.all = all }

  /// For a store of an earlier version, which holds no list: as if every enter had been announced.
  init(assuming known: [Snapshot.KnownRegion]) {
    all = known.compactMap { known in
      guard known.presence == .inside, !known.region.isFollow, Self.isNamed(known.region) else { return nil }
      return EnteredRegion(region: Self.plain(known.region), isChanged: false)
    }
  }

  /// A transition was published. False: nothing has changed by it.
  mutating func published(_ region: Region, _ crossing: Crossing) -> Bool {
    let before = all
    if crossing == .leave { left.insert(region.rid) }
    all.removeAll { $0.region.rid == region.rid && $0.region.eventName == region.eventName }
    if crossing == .enter, Self.isNamed(region) {
      all.append(EnteredRegion(region: Self.plain(region), isChanged: false))
    }
    return all != before
  }

  /// The announced enters, where a store held `earlier`, which was not known to this start. `name`: that of a region as
  /// it is now; one that has another is no longer what was announced.
  func merged(over earlier: [EnteredRegion], name: (_ rid: String) -> String?) -> EnteredRegions {
    let isOlder = { (entered: EnteredRegion) in
      !left.contains(entered.region.rid) && !all.contains { $0.region.rid == entered.region.rid }
    }
    let older = earlier.filter(isOlder).map { entered in
      var entered = entered
      if let name = name(entered.region.rid), name != entered.region.eventName { entered.isChanged = true }
      return entered
    }
    return EnteredRegions(older + all)
  }

  /// The region is gone, or no longer what was announced. False: it was not announced.
  mutating func changed(rid: String) -> Bool {
    guard let index = all.firstIndex(where: { $0.region.rid == rid && !$0.isChanged }) else { return false }
    all[index].isChanged = true
    return true
  }

  /// A consumer that gets no name keeps none.
  private static func isNamed(_ region: Region) -> Bool { region.isShared && !region.name.isEmpty }

  /// The part of a region that a leave needs: without edges and limits.
  private static func plain(_ region: Region) -> Region {
    var region = region
    region.polygon = nil
    region.speedLimit = nil
    return region
  }
}
