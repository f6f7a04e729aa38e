import Model
import Timebase

/// A consumer that believes every enter until it hears the leave, as Home Assistant does, takes the vehicle to be where it is.
struct AnnouncedRegions: Judge {
  private struct Name: Hashable {
    var rid: String
    var desc: String
  }

  func ending(_ court: inout Court) {
    guard let end = court.ledger.final, !court.isVeiled(end), end.mode != .quiet, end.isReceiverAwake,
      end.calm > 120
    else { return }
    var entered: [Name: Consumer.Told] = [:]
    for told in court.consumer.transitions {
      guard let made = told.made, court.ledger.made[made].at <= end.at, let desc = told.payload["desc"]?.text
      else { continue }
      let name = Name(rid: told.rid, desc: desc)
      if told.event == "enter" { entered[name] = told } else { entered[name] = nil }
    }
    for (name, told) in entered {
      guard let made = told.made, !isExcused(court, name, from: made) else { continue }
      let region = end.regions.first { $0.rid == name.rid }
      if let region, region.eventName == name.desc, region.isShared {
        guard region.kind == .circular, isOutside(court, region, end) else { continue }
        court.complain(.announced, "it is not in \(name.desc) any more: \(told.payload)", at: told.at)
      } else {
        court.complain(.announced, "\(name.desc) was changed, and not left: \(told.payload)", at: told.at)
      }
    }
  }

  /// The leave came to nothing in a way that the manual names, or the store forgot what it had told.
  private func isExcused(_ court: Court, _ name: Name, from made: Int) -> Bool {
    court.ledger.losses.flippedAway > 0 || !court.ledger.lives.blind.isEmpty
      || !court.ledger.lives.undurable.isEmpty || court.isExcused(name.rid, from: made)
  }

  /// For so long that it has to have been told: a leave may be held down, and late fixes confirm it.
  private func isOutside(_ court: Court, _ region: Region, _ end: Ledger.Final) -> Bool {
    let last = Span(nanoseconds: end.at.nanoseconds).seconds
    return stride(from: last - end.holdDown - 120, through: last, by: 5).allSatisfy { second in
      court.metres(to: region, at: second) > region.radius + 130
    }
  }
}
