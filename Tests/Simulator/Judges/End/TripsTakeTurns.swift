/// A trip that has begun ends before the next one begins.
struct TripsTakeTurns: Judge {
  func ending(_ court: inout Court) {
    var open: (id: String, made: Int)?
    let told = court.consumer.told.filter { $0.kind == "trip" && $0.made != nil }
    for told in told.sorted(by: { ($0.made ?? 0) < ($1.made ?? 0) }) {
      guard let made = told.made else { continue }
      let id = told.payload["id"]?.text ?? ""
      if told.event == "stop" {
        if open?.id == id { open = nil }
        continue
      }
      if let before = open, before.id != id, !isInterrupted(court, between: before.made, made) {
        court.complain(
          .alternating, "a trip begins, and \(before.id) never ended: \(told.payload)", at: told.at)
      }
      open = (id, made)
    }
  }

  /// People changed something, nobody might be told, or a message of the trip came to nothing.
  private func isInterrupted(_ court: Court, between one: Int, _ other: Int) -> Bool {
    if court.ledger.breaks.contains(where: { $0.rid == nil && $0.made > one && $0.made <= other }) {
      return true
    }
    return court.ledger.made[one...other].contains {
      guard case .trip = $0.report else { return false }
      return $0.excuse != nil
    }
  }
}
