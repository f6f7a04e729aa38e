import Model
import Timebase

/// A consumer knows, when the faults are over, where the vehicle is and what it is inside of.
struct PictureAtTheEnd: Judge {
  /// Regions are judged where the vehicle is clear of the boundary, metres.
  private static let margin = 60.0

  func ending(_ court: inout Court) {
    guard let end = court.ledger.final, court.ledger.calmSince != nil else { return }
    let checked = court.consumer.locations.filter {
      $0.made.map { court.ledger.made[$0].at <= end.at } ?? false
    }
    let last = checked.max { ($0.made ?? 0) < ($1.made ?? 0) }
    whereabouts(&court, last, end)
    let forgotten = court.ledger.regions.subtracting(end.regions.map(\.rid))
    if !forgotten.isEmpty { court.complain(.picture, "regions are forgotten: \(forgotten.sorted())") }
    regions(&court, last, end)
  }

  private func whereabouts(_ court: inout Court, _ last: Consumer.Told?, _ end: Ledger.Final) {
    guard end.mode == .significant || end.mode == .move else { return }
    guard let last else { return court.complain(.picture, "no location ever arrived") }
    // A receiver that rests between looks makes positions older than their telling.
    let told = end.isReceiverAwake ? last.time : BoardClock.truth(last.at).wholeSeconds
    let age = BoardClock.truth(end.at).wholeSeconds - told
    if court.isVeiled(end) { return }
    // It takes a fix after the moment of the ping, and a clock that may be trusted.
    let interval = Double(end.ping * 60 + end.window)
    let together = Double(end.together)
    if min(end.calm, end.pinging) > interval + together + 120,
      Double(age) > interval + together + 60 + Double(end.window)
    {
      court.complain(.picture, "the last location is \(age) s old, a ping comes every \(end.ping) min")
    }
    guard let latitude = last.payload["lat"]?.double, let longitude = last.payload["lon"]?.double,
      let place = Coordinate(latitude: latitude, longitude: longitude)
    else { return court.complain(.picture, "a location without a place: \(last.payload)") }
    let truth = court.road.position(at: Double(last.time) - BoardClock.epoch).point.coordinate
    let error = truth.distance(to: place)
    let accuracy = Double(last.payload["acc"]?.int ?? 0)
    if error > 3 * accuracy + 60, end.isReceiverAwake {
      court.complain(.picture, "the last location is \(Int(error)) m off: \(last.payload)")
    }
  }

  private func regions(_ court: inout Court, _ last: Consumer.Told?, _ end: Ledger.Final) {
    let inside = last?.payload["inrids"]?.elements?.compactMap(\.text) ?? []
    let transitions = Dictionary(grouping: court.consumer.transitions, by: \.rid)
    let broken = court.ledger.breaks.last { $0.rid == nil }?.made ?? 0
    for region in end.regions where region.kind == .circular && region.isMonitored && !region.isFollow {
      // What it has learnt from a wrong place it believes until it crosses.
      if court.ledger.isMisled(about: region.rid) { continue }
      if let last, let isInside = side(court, of: region, at: Double(last.time) - BoardClock.epoch) {
        if isInside != inside.contains(region.rid), end.isReceiverAwake, end.mode != .quiet {
          court.complain(.picture, "inrids is wrong about \(region.name) \(region.rid): \(last.payload)")
        }
      }
      let seconds = Span(nanoseconds: end.at.nanoseconds).seconds
      guard let told = transitions[region.rid]?.last, let made = told.made, made >= broken,
        let isInside = side(court, of: region, at: seconds), end.mode != .quiet, end.isReceiverAwake,
        !court.ledger.isVeiled(from: seconds - 120, to: seconds)
      else { continue }
      let isExcused = court.isExcused(
        region.rid, from: made, by: [.crashed, .cleared, .refused, .flipped])
      if (told.event == "enter") != isInside, !isExcused {
        court.complain(.picture, "\(region.name) was told as \(told.event), and is not so: \(told.payload)")
      }
    }
  }

  /// Where the vehicle truly was, if it was clear of the boundary for the last minute; nil: near it.
  private func side(_ court: Court, of region: Region, at seconds: Double) -> Bool? {
    var known: Bool?
    for back in stride(from: 0.0, through: 60 + Double(region.dwell ?? 0), by: 2) {
      let metres = court.metres(to: region, at: seconds - back)
      let isInside = metres < region.radius
      guard (metres - region.radius).magnitude > Self.margin || (isInside && metres < region.radius * 0.6),
        known == nil || known == isInside
      else { return nil }
      known = isInside
    }
    return known
  }
}
