import Core
import Model
import Timebase

/// When each beacon was heard last in this life of the process.
struct LastHeard {
  private var times: [BeaconNumber: Instant] = [:]

  mutating func note(_ beacon: BeaconNumber, at now: Instant) { times[beacon] = now }

  func silence(of identity: BeaconIdentity, at now: Instant) -> Span? {
    times.filter { identity.matches($0.key) }.values.max().map { now - $0 }
  }
}

/// What is told of a beacon's region against what its beacon was heard to say.
extension World {
  /// Seconds that a timer, or another wake-up, may take.
  private static let tolerance = 5.0

  func judge(beacon report: Report, because reason: Reason?) {
    guard case .transition(let report) = report, report.region.kind == .beacon,
      let beacon = report.region.beacon
    else { return }
    let silence = lastHeard.silence(of: beacon, at: now)?.seconds
    let wanted = Double(configuration.beacons.lossTimeout)
    switch reason {
    case .beaconHeard:
      guard silence != 0 else { return }
      ledger.complain(.truth, "\(report.region.name) is entered, and its beacon was not heard now", at: now)
    case .beaconLost(_, let seconds):
      if wanted > 0, seconds != wanted {
        ledger.complain(.truth, "\(report.region.name) is left after \(seconds) s, not \(wanted)", at: now)
      }
      guard let silence else { return }
      let due = seconds + (report.region.isHoldDown ? Double(configuration.regions.holdDown) : 0)
      let isCalm = ledger.calmSince.map { now - $0 > .seconds(900) } ?? false
      if silence < due - 0.5 || (isCalm && radio.plan.duty == 100 && silence > due + Self.tolerance) {
        ledger.complain(
          .truth, "\(report.region.name) is left after \(silence) s of silence, not \(due)", at: now)
      }
    default: break
    }
  }
}
