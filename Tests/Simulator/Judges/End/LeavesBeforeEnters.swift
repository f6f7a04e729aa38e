import Timebase

/// What one fix leaves is told before what it enters.
struct LeavesBeforeEnters: Judge {
  func ending(_ court: inout Court) {
    var entered: (wakeup: Int, time: WallTime, name: String)?
    for made in court.ledger.made {
      // Who waits (-Name) is left when its time has come.
      guard case .transition(let report) = made.report, report.region.kind == .circular,
        !report.region.isHoldDown
      else { continue }
      guard report.crossing == .leave else {
        entered = (made.wakeup, report.time, report.region.name)
        continue
      }
      if let before = entered, before.wakeup == made.wakeup, before.time == report.time {
        court.complain(
          .ordered, "\(report.region.name) is left after \(before.name) was entered, with one fix",
          at: made.at)
      }
    }
  }
}
