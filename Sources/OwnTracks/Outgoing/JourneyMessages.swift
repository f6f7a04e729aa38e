import Model
import Timebase

extension Encoder {
  /// `trip`: the beginning or the end of one; never retained. The place and the time are those of the
  /// event itself, which a tracker finds out later: `created_at` says when.
  func encode(_ report: TripReport) -> Message {
    let trip = report.trip
    let isStart = report.event == .start
    let place = isStart ? trip.start : trip.last
    var writer = JSONWriter(capacity: 384)
    writer.beginObject()
    writer.member("_type", "trip")
    writer.member("acc", Self.accuracy(place.accuracy))
    if case .stop(let cause) = report.event { writer.member("cause", cause.rawValue) }
    if let created = Self.createdAt(report.created, tst: place.time) { writer.member("created_at", created) }
    if !isStart {
      writer.member("distance", Self.whole(trip.distance) ?? 0)
      writer.member("duration", trip.last.time.wholeSeconds - trip.start.time.wholeSeconds)
    }
    writer.member("event", isStart ? "start" : "stop")
    if !isStart { Self.write(from: trip.start, to: &writer) }
    writer.member("id", trip.id)
    writer.member("lat", place.coordinate.latitude, decimals: 6)
    writer.member("lon", place.coordinate.longitude, decimals: 6)
    if let metres = report.odometer { Self.write(odometer: metres, to: &writer) }
    return finish(writer, topics.topic(.trip), at: place.time.wholeSeconds)
  }

  /// `alarm`: never retained; `tow` and `anchor` once, `overspeed` when it begins and when it ends, harsh driving
  /// (`braking`, `acceleration`, `cornering`) once a manoeuvre. Each has `alarm`, `event`, `from` and the `distance` from
  /// there, place and time, so that one template serves all of them.
  func encode(_ report: AlarmReport) -> Message {
    guard let fix = report.fix else { return placeless(report) }
    var writer = JSONWriter(capacity: 320)
    writer.beginObject()
    writer.member("_type", "alarm")
    writer.member("acc", Self.accuracy(fix.accuracy))
    switch report.kind {
    case .tow: writer.member("alarm", "tow")
    case .anchor: writer.member("alarm", "anchor")
    case .speeding, .spedNoMore: writer.member("alarm", "overspeed")
    case .harsh(let manoeuvre): writer.member("alarm", manoeuvre.kind.rawValue)
    case .sos, .helped: writer.member("alarm", "sos")
    case .disturbed(let state, _), .undisturbed(let state, _): writer.member("alarm", state.kind.rawValue)
    }
    if let created = Self.createdAt(report.created, tst: fix.time) { writer.member("created_at", created) }
    switch report.kind {
    case .tow(let from, let metres), .anchor(let from, let metres):
      writer.member("distance", Self.whole(metres) ?? 0)
      writer.member("event", "begin")
      Self.write(from: from, to: &writer)
    case .speeding(let speeding):
      if let region = speeding.region { writer.member("desc", region) }
      writer.member("distance", Self.distance(from: speeding.start, to: fix))
      writer.member("event", "begin")
      Self.write(from: speeding.start, to: &writer)
    case .spedNoMore(let speeding):
      if let region = speeding.region { writer.member("desc", region) }
      writer.member("distance", Self.distance(from: speeding.start, to: fix))
      writer.member("duration", fix.time.wholeSeconds - speeding.start.time.wholeSeconds)
      writer.member("event", "end")
      Self.write(from: speeding.start, to: &writer)
    case .harsh(let manoeuvre):
      writer.member("distance", Self.distance(from: manoeuvre.start, to: fix))
      writer.member("event", "begin")
      Self.write(from: manoeuvre.start, to: &writer)
      writer.member("g", manoeuvre.force, decimals: 2)
    case .sos(let sos), .helped(let sos):
      writer.member("count", sos.times)
      let start = sos.start ?? TrackPoint(fix)
      writer.member("distance", Self.distance(from: start, to: fix))
      writer.member("event", report.kind.isHelped ? "end" : sos.times > 1 ? "repeat" : "begin")
      Self.write(from: start, to: &writer)
    case .disturbed(let state, _), .undisturbed(let state, _):
      let start = state.start ?? TrackPoint(fix)
      writer.member("distance", Self.distance(from: start, to: fix))
      Self.write(event: report.kind, to: &writer)
      Self.write(from: start, to: &writer)
    }
    writer.member("lat", fix.coordinate.latitude, decimals: 6)
    switch report.kind {
    case .tow, .anchor, .harsh, .sos, .helped, .disturbed, .undisturbed: break
    case .speeding(let speeding), .spedNoMore(let speeding): writer.member("limit", speeding.limit)
    }
    writer.member("lon", fix.coordinate.longitude, decimals: 6)
    Self.write(state: report.kind, to: &writer)
    return finish(
      writer, topics.topic(.alarm), at: fix.time.wholeSeconds, top: report.kind.top,
      speed: fix.speed)
  }

  /// A call for help, and what the receiver says of itself, are told without a place as well.
  private func placeless(_ report: AlarmReport) -> Message {
    var writer = JSONWriter(capacity: 128)
    writer.beginObject()
    writer.member("_type", "alarm")
    switch report.kind {
    case .sos(let sos):
      writer.member("alarm", "sos")
      writer.member("count", sos.times)
      writer.member("event", sos.times > 1 ? "repeat" : "begin")
    case .helped(let sos):
      writer.member("alarm", "sos")
      writer.member("count", sos.times)
      writer.member("event", "end")
    case .disturbed(let state, _), .undisturbed(let state, _):
      writer.member("alarm", state.kind.rawValue)
      Self.write(event: report.kind, to: &writer)
      Self.write(state: report.kind, to: &writer)
    case .tow, .anchor, .speeding, .spedNoMore, .harsh: assertionFailure("\(report.kind) without a place")
    }
    return finish(writer, topics.topic(.alarm), at: report.created?.wholeSeconds)
  }

  /// The last keys in their order, and the message: an event, which nothing thins out. `tst`: nil where it is not known.
  private func finish(
    _ begun: JSONWriter, _ topic: String, at tst: Int?, top: Double? = nil, speed: Double? = nil
  ) -> Message {
    var writer = begun
    if !topics.trackerID.isEmpty { writer.member("tid", topics.trackerID) }
    if let top = Self.whole(top.map { $0 * 3.6 }) { writer.member("top", top) }
    if let tst { writer.member("tst", tst) }
    if let speed = Self.whole(speed.map { $0 * 3.6 }) { writer.member("vel", speed) }
    writer.endObject()
    return Message(
      topic: topic, payload: writer.bytes, qos: qos, isRetained: false, isEvent: true,
      time: tst ?? 0)
  }

  /// Of a receiver that is disturbed, or no longer is.
  private static func write(event kind: AlarmReport.Kind, to writer: inout JSONWriter) {
    if case .undisturbed(_, let seconds) = kind { writer.member("duration", whole(seconds) ?? 0) }
    let event =
      switch kind {
      case .disturbed(_, isWorse: true): "repeat"
      case .undisturbed: "end"
      default: "begin"
      }
    writer.member("event", event)
  }

  /// How bad it is; at its end, how bad it was.
  private static func write(state kind: AlarmReport.Kind, to writer: inout JSONWriter) {
    switch kind {
    case .disturbed(let state, _), .undisturbed(let state, _): writer.member("state", state.level.rawValue)
    default: break
    }
  }

  /// Whole metres, as the crow flies.
  private static func distance(from place: TrackPoint, to fix: Fix) -> Int {
    whole(place.coordinate.distance(to: fix.coordinate)) ?? 0
  }

  private static func write(from place: TrackPoint, to writer: inout JSONWriter) {
    writer.key("from")
    writer.beginObject()
    writer.member("lat", place.coordinate.latitude, decimals: 6)
    writer.member("lon", place.coordinate.longitude, decimals: 6)
    writer.member("tst", place.time.wholeSeconds)
    writer.endObject()
  }

  /// Kilometres, as Traccar reads them; tenths, as vehicles show them.
  static func write(odometer metres: Double, to writer: inout JSONWriter) {
    writer.member("odometer", min(max(0, metres), 1e12) / 1000, decimals: 1)
  }
}

extension AlarmReport.Kind {
  fileprivate var isHelped: Bool { if case .helped = self { true } else { false } }

  /// The fastest of what is over.
  fileprivate var top: Double? { if case .spedNoMore(let speeding) = self { speeding.top } else { nil } }
}
