/// Enter and leave of a region take turns.
struct EnterAndLeave: Judge {
  func ending(_ court: inout Court) {
    var last: [String: (event: String, made: Int)] = [:]
    for told in court.consumer.transitions {
      guard let made = told.made else { continue }
      if let before = last[told.rid], before.event == told.event {
        // To a consumer a region of another name is another one.
        let isRenamed = court.ledger.made[before.made].eventName != court.ledger.made[made].eventName
        let isBroken = court.ledger.breaks.contains {
          $0.made > before.made && $0.made <= made && ($0.rid == nil || $0.rid == told.rid)
        }
        let isExcused = court.isExcused(told.rid, from: before.made, through: made)
        // What was changed or removed inside of a private region is left when that ends, and may be there anew by then.
        let isAnew =
          if case .leftSince(_, isChanged: true) = court.ledger.made[before.made].reason { true } else {
            false
          }
        if !isBroken, !isExcused, !isRenamed, !isAnew {
          court.complain(.alternating, "\(told.event) after \(before.event): \(told.payload)", at: told.at)
        }
      }
      last[told.rid] = (told.event, made)
    }
  }
}
