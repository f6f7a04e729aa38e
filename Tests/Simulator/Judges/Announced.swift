import Model
import Timebase

/// Where a consumer takes the vehicle to be that believes every enter until it hears the leave, as Home Assistant does.
extension Court {
  private struct Name: Hashable {
    var rid: String
    var desc: String
  }

  mutating func announced() {
    guard let end = ledger.final, !isVeiled(end), end.mode != .quiet, end.isReceiverAwake, end.calm > 120
    else { return }
    var entered: [Name: Consumer.Told] = [:]
    for told in consumer.transitions {
      guard let made = told.made, ledger.made[made].at <= end.at, let desc = told.payload["desc"]?.text
      else { continue }
      let name = Name(rid: told.rid, desc: desc)
      if told.event == "enter" { entered[name] = told } else { entered[name] = nil }
    }
    for (name, told) in entered {
      guard let made = told.made, !isExcused(name, from: made) else { continue }
      let region = end.regions.first { $0.rid == name.rid }
      if let region, region.eventName == name.desc, region.isShared {
        guard region.kind == .circular, isOutside(region, end) else { continue }
        complain(.announced, "it is not in \(name.desc) any more: \(told.payload)", at: told.at)
      } else {
        complain(.announced, "\(name.desc) was changed, and not left: \(told.payload)", at: told.at)
      }
    }
  }

  /// The leave came to nothing in a way that the manual names, or the store forgot what it had told.
  private func isExcused(_ name: Name, from made: Int) -> Bool {
    if ledger.flippedAway > 0 || !ledger.blindLives.isEmpty || !ledger.undurable.isEmpty { return true }
    return ledger.made[made...].contains {
      guard case .transition(let report) = $0.report, report.region.rid == name.rid else { return false }
      return $0.excuse == .cleared || $0.excuse == .refused || $0.excuse == .flipped
    }
  }

  /// For so long that it has to have been told: a leave may be held down, and late fixes confirm it.
  private func isOutside(_ region: Region, _ end: Ledger.Final) -> Bool {
    let last = Span(nanoseconds: end.at.nanoseconds).seconds
    return stride(from: last - end.holdDown - 120, through: last, by: 5).allSatisfy { second in
      road.position(at: second).point.coordinate.distance(to: region.coordinate) > region.radius + 130
    }
  }
}

extension Ledger.Made {
  /// Of a transition, as it was told; nil without a name, and for everything else.
  var eventName: String? {
    guard case .transition(let report) = report, report.region.isShared else { return nil }
    return report.region.eventName
  }
}
