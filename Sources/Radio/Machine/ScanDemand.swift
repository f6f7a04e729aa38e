import Model

/// The demand for listening: the tracker's plan, and whether people look at the beacons heard.
struct ScanDemand: Hashable {
  var plan = ScanPlan.off
  /// People look at the beacons heard: everything counts, whatever the plan says.
  var isWatched = false

  var isEmpty: Bool { plan.wanted.isEmpty && !isWatched }
  var wantsToHear: Bool { isWatched || plan.duty > 0 && !plan.wanted.isEmpty }
  /// Percent of the time that the radio is to listen.
  var duty: Int { isWatched ? 100 : plan.duty }

  /// Whether the radio has to do something about the change from `before`.
  func differs(from before: Self) -> Bool {
    before.wantsToHear != wantsToHear || before.duty != duty || isEmpty
  }
}
