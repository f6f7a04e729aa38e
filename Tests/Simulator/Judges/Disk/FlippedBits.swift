/// A bit that flips at rest costs what it hits and nothing else.
struct FlippedBits: Judge {
  struct Cost {
    var messages: Int
    var regions: Int
    var announced: Int
    /// Messages that are there, and are others now.
    var changed: [UInt64]
    /// It was one of the log.
    var isLog: Bool
  }

  /// One flip may cost one record of the tables. In the log it may cost the last batch, too: nobody can
  /// tell it from one that a power cut tore. A batch holds no more than the queue's events and a second.
  private static let most = (tables: 1, log: 64)

  func saw(_ what: Seen, in world: World) {
    switch what {
    case .flipped(let cost):
      for sequence in cost.changed { world.complain(.flips, "message \(sequence) has changed") }
      guard cost.messages + cost.regions + cost.announced > (cost.isLog ? Self.most.log : Self.most.tables)
      else { return }
      let regions = "\(cost.regions) regions and \(cost.announced) records of what was announced"
      world.complain(.flips, "one bit cost \(cost.messages) messages, \(regions)")
    case .repaired(let lost):
      let flips = world.ledger.counts[Fault.bitFlipped.rawValue]
      if flips == 0 { world.complain(.flips, "the store is damaged, and no bit has flipped") }
      if lost > flips { world.complain(.flips, "\(flips) flipped bits cost \(lost) messages") }
    default: break
    }
  }
}
