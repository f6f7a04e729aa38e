import Model

/// Which region each entry of one list means (docs/behaviour.md, "How regions come and go").
///
/// Two entries never mean the same region: several of one name, even of one date, are several regions, and they are
/// found again when the list comes again.
struct RegionMatching {
  /// The region that an entry means.
  struct Match {
    /// Nil: it is not known yet.
    var known: Region?
    /// Its date, Unix seconds, where the entry has one: a second later for each namesake of that date before it.
    var created: Int?
  }

  /// The ids of all regions of a name, in the order in which they were made.
  private var named: [String: [String]] = [:]
  /// Ids that entries of this list stand for.
  private var taken: Set<String> = []

  init(_ tracked: [RegionEngine.Tracked]) {
    for known in tracked { named[known.region.name, default: []].append(known.region.rid) }
  }

  func match(_ entry: WaypointEntry, in regions: RegionEngine) -> Match {
    let created = entry.created.map { entry.coordinate == nil ? $0 : free(entry, from: $0) }
    if let rid = entry.rid, let known = regions.region(rid: rid) {
      return Match(known: known.region, created: entry.created)
    }
    if let created {
      let computed = RegionIdentity.computed(name: entry.name, created: created)
      // One with an id of its own is not the namesake that the list has made under this one.
      let isFree = entry.coordinate == nil || !taken.contains(computed)
      if isFree, let known = regions.region(rid: computed) {
        return Match(known: known.region, created: created)
      }
    }
    guard entry.rid == nil else { return Match(known: nil, created: entry.created) }
    let candidates = named[entry.name] ?? []
    // A deletion means the first of that name, whatever the list has made of it.
    let rid =
      entry.coordinate == nil ? candidates.first : candidates.first { rid in !taken.contains(rid) }
    return Match(known: rid.flatMap { regions.region(rid: $0)?.region }, created: created)
  }

  /// The date of a region that is new, so that its id is its own.
  func free(_ entry: WaypointEntry, from created: Int) -> Int {
    guard entry.rid == nil else { return created }
    var date = created
    while taken.contains(RegionIdentity.computed(name: entry.name, created: date)) { date += 1 }
    return date
  }

  /// An entry of the list stands for this region now.
  mutating func take(_ region: Region) {
    taken.insert(region.rid)
    if named[region.name] == nil { named[region.name] = [region.rid] }
  }
}
