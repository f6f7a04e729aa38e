import Timebase

/// Of one topic, nothing arrives after what was made later.
struct OrderOfTopics: Judge {
  func ending(_ court: inout Court) {
    var before: [String: [Int]] = [:]
    var newest: [String: Int] = [:]
    var arrivals: [Int: Instant] = [:]
    for told in court.consumer.told {
      guard let made = told.made else { continue }
      let content = Ledger.Content(topic: told.topic, payload: court.ledger.made[made].payload)
      // The manual names them: connections end over them, or they come from a store that could not be read while
      // newer ones were sent.
      if court.ledger.passing.passed.contains(content) { continue }
      // Made twice in the same words, as after a start without a store: which one it is, nobody can say.
      if court.ledger.indices(of: content).count > 1 { continue }
      if newest[told.topic] ?? 0 > made, !isBack(court, made, told) {
        // Of what came before, one that may not have passed it is enough, however many others may have.
        let beside = court.ledger.passing.turnedAway[content]
        let younger = before[told.topic]?.first { before in
          before > made && beside?.contains(court.ledger.made[before].content) != true
            && !isBlind(court, made, before)
            && !court.ledger.old.mayPass(made, at: told.at, before, at: arrivals[before] ?? .zero)
        }
        if let younger {
          let text = court.text(court.ledger.made[younger].payload)
          court.complain(.ordered, "after younger ones: \(told.payload), after \(text)", at: told.at)
        }
      }
      before[told.topic, default: []].append(made)
      arrivals[made] = told.at
      newest[told.topic] = max(newest[told.topic] ?? 0, made)
    }
  }

  /// Order of these is judged by itself only: a process that began without its store lies between them.
  private func isBlind(_ court: Court, _ made: Int, _ before: Int) -> Bool {
    court.ledger.lives.blind.contains {
      $0 >= court.ledger.made[made].life && $0 <= court.ledger.made[before].life
    }
  }

  /// A location that overflow took, and a crash brought back before the disk knew of that.
  private func isBack(_ court: Court, _ made: Int, _ told: Consumer.Told) -> Bool {
    guard court.ledger.losses.dropped > 0, !court.ledger.made[made].isEvent else { return false }
    return court.ledger.lives.crashes.contains { $0 <= told.at && $0 > court.ledger.made[made].at }
  }
}
