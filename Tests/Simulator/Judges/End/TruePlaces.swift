import Model

/// Places were so.
struct TruePlaces: Judge {
  /// So often in a row is one place asked for, seconds.
  private static let mostShift = 10
  /// The same of a board whose receiver is off for hours.
  private static let mostShiftOfStep = 120

  func ending(_ court: inout Court) {
    let seconds = Set(court.consumer.locations.map(\.time))
    for told in court.consumer.locations
    where !court.hasJumped(around: told.time, within: isAgain(told) ? Self.mostShift : 1)
      && !court.isOfUnknownTime(told)
    {
      guard let latitude = told.payload["lat"]?.double, let longitude = told.payload["lon"]?.double,
        let place = Coordinate(latitude: latitude, longitude: longitude)
      else { continue }
      let shifts = shifts(told, among: seconds)
      let errors = shifts.map {
        court.road.position(at: told.second - Double($0)).point.coordinate.distance(to: place)
      }
      let error = errors.min() ?? 0
      let accuracy = Double(told.payload["acc"]?.int ?? 0)
      if error > 3 * accuracy + 40 + court.ledger.fixes.reach(at: told.time) {
        court.complain(.truth, "\(Int(error)) m from where the vehicle was: \(told.payload)", at: told.at)
      }
    }
  }

  /// How much later than its place it may be: two locations never share a second, so that one of the same fix has the
  /// next that no other has. A place that is told again says when that was.
  private func shifts(_ told: Consumer.Told, among seconds: Set<Int>) -> ClosedRange<Int> {
    if isAgain(told) {
      return 0...(told.payload["batteryStep"] == nil ? Self.mostShift : Self.mostShiftOfStep)
    }
    let taken = (1...Self.mostShift).prefix { seconds.contains(told.time - $0) }
    return 0...taken.count
  }

  private func isAgain(_ told: Consumer.Told) -> Bool { told.payload["created_at"] != nil }
}
