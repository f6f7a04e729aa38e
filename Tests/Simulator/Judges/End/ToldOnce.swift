/// Nothing arrives that was not made so, and nothing twice in different words.
struct ToldOnce: Judge {
  func ending(_ court: inout Court) {
    if court.consumer.unreadable > 0 {
      court.complain(.once, "\(court.consumer.unreadable) messages make no sense")
    }
    var crossings: [String: Int] = [:]
    for told in court.consumer.told {
      guard let made = told.made else {
        court.complain(.once, "nobody made this: \(told.payload)", at: told.at)
        continue
      }
      let happening: String
      switch told.kind {
      case "transition": happening = "\(told.topic) \(told.rid) \(told.event) \(told.time)"
      // A trip begins once and ends once, whatever happens meanwhile.
      case "trip": happening = "\(told.topic) \(told.payload["id"]?.text ?? "") \(told.event)"
      default: continue
      }
      if let before = crossings.updateValue(made, forKey: happening),
        !isForgotten(court, between: before, made, told),
        !isOfAnother(court, before), !isOfAnother(court, made)
      {
        court.complain(.once, "twice, in other words: \(told.payload)", at: told.at)
      }
    }
  }

  /// It told that a region was left which has been changed: that one is another, of the same `rid`.
  private func isOfAnother(_ court: Court, _ made: Int) -> Bool {
    if case .leftSince(_, isChanged: true) = court.ledger.made[made].reason { true } else { false }
  }

  /// A trip was told as over and the disk took nothing of it: the next process knows it as still under way.
  private func isForgotten(_ court: Court, between one: Int, _ other: Int, _ told: Consumer.Told) -> Bool {
    guard told.kind == "trip" else { return false }
    return court.ledger.lives.undurable.contains { $0 > min(one, other) && $0 <= max(one, other) }
  }
}
