import Model

extension Encoder {
  /// `location`: keys in sorted order, none that the Booklet does not know.
  ///
  /// `isOfThePast`: the owner's keys are of now; what they were then is in no history.
  func encode(_ report: LocationReport, isOfThePast: Bool = false) -> Message {
    let fix = report.fix
    let tst = report.time.wholeSeconds
    var writer = JSONWriter(capacity: 384)
    writer.beginObject()
    if isExtended, case .wifi(let ssid, let bssid, _) = report.network {
      if let bssid { writer.member("BSSID", bssid) }
      if let ssid { writer.member("SSID", ssid) }
    }
    // The Recorder skips messages with this key: it has the place already, and would keep it twice.
    if report.isRepeat { writer.member("_demo", isTrue: true) }
    writer.member("_type", "location")
    writer.member("acc", Self.accuracy(fix.accuracy))
    if isExtended, let altitude = fix.wholeAltitude { writer.member("alt", altitude) }
    if let battery = report.battery { writer.member("batt", battery.level) }
    if isExtended, let word = Self.batteryStep(report) {
      add("batteryStep", to: &writer) { $0.member("batteryStep", word) }
    }
    if let state = report.battery?.state, state != .unknown { writer.member("bs", state.rawValue) }
    if isExtended, let course = fix.wholeCourse { writer.member("cog", course) }
    if isExtended, let letter = Self.letter(of: report.network) { writer.member("conn", letter) }
    if let created = Self.createdAt(report.created, tst: report.time) { writer.member("created_at", created) }
    // Seconds: Traccar makes hours of them.
    if isExtended, let seconds = Self.whole(report.vehicle.engineSeconds) {
      add("hmc", to: &writer) { $0.member("hmc", seconds) }
    }
    if isExtended, let isOn = report.vehicle.ignition {
      add("ign", to: &writer) { $0.member("ign", isTrue: isOn) }
    }
    if let image = report.image {
      writer.member("image", image.data)
      writer.member("imagename", image.name)
    }
    writer.member("inregions", report.inside.lazy.compactMap(\.name))
    writer.member("inrids", report.inside.lazy.map(\.rid))
    writer.member("lat", fix.coordinate.latitude, decimals: 6)
    writer.member("lon", fix.coordinate.longitude, decimals: 6)
    if isExtended { writer.member("m", report.mode.rawValue) }
    if isExtended, let isMoving = report.vehicle.isMoving {
      add("motion", to: &writer) { $0.member("motion", isTrue: isMoving) }
    }
    if let odometer = report.odometer { Self.write(odometer: odometer, to: &writer) }
    if isExtended, let pressure = report.pressure, pressure.isFinite {
      writer.member("p", pressure, decimals: 3)
    }
    if let poi = report.poi, !poi.isEmpty { writer.member("poi", poi) }
    if let type = report.trigger.reportType { writer.member("rty", type) }
    if let letter = report.trigger.letter { writer.member("t", letter) }
    if let tag = report.tag, !tag.isEmpty { writer.member("tag", tag) }
    if !topics.trackerID.isEmpty { writer.member("tid", topics.trackerID) }
    writer.member("tst", tst)
    if isExtended, let volts = report.vehicle.volts {
      add("uext", to: &writer) { $0.member("uext", volts, decimals: 2) }
    }
    if isExtended { writeErrorAndSpeed(of: fix, to: &writer) }
    if !isOfThePast { for extra in additions.extras { writer.extra(extra.name, extra.value) } }
    writer.endObject()
    return Message(
      topic: topics.base, payload: writer.bytes, qos: qos, isRetained: retainsLocations,
      isEvent: report.trigger.isEvent, time: tst)
  }

  /// A key that the owner may give, too: then theirs counts.
  private func add(_ name: String, to writer: inout JSONWriter, _ write: (inout JSONWriter) -> Void) {
    if !additions.extras.contains(where: { $0.name == name }) { write(&writer) }
  }

  /// Nil: none is in force, and the location does not tell the end of one.
  private static func batteryStep(_ report: LocationReport) -> String? {
    report.vehicle.batteryStep?.word ?? (report.trigger == .batteryWell ? "none" : nil)
  }

  private func writeErrorAndSpeed(of fix: Fix, to writer: inout JSONWriter) {
    if let error = Self.verticalError(of: fix) { writer.member("vac", error) }
    if let speed = fix.wholeSpeed { writer.member("vel", speed) }
  }

  /// The nearest metre, but an error never rounds to none.
  private static func verticalError(of fix: Fix) -> Int? {
    guard let error = fix.verticalAccuracy, error >= 0, let rounded = whole(error) else { return nil }
    return rounded == 0 && error > 0 ? 1 : rounded
  }

  /// A wire has no letter: the key is left out.
  private static func letter(of network: Network) -> String? {
    switch network {
    case .wifi: "w"
    case .mobile: "m"
    case .none: "o"
    case .wired, .unknown: nil
    }
  }
}

/// As a location has them, for all who tell of a fix.
extension Fix {
  /// Below this many metres a second a course is noise.
  static let slowestCourse = 0.5

  /// Whole metres above mean sea level; nil: the receiver does not know.
  public var wholeAltitude: Int? { Encoder.whole(altitude) }

  /// Whole degrees from true north, 0..<360: due north is 0 and is published. Nil: unknown, or the board stands.
  public var wholeCourse: Int? {
    guard (speed ?? Self.slowestCourse) >= Self.slowestCourse, let course = Encoder.whole(course), course >= 0
    else { return nil }
    return course % 360
  }

  /// Whole kilometres an hour over ground, 0 or more; nil: the receiver does not know.
  public var wholeSpeed: Int? {
    guard let speed = Encoder.whole(speed.map { $0 * 3.6 }), speed >= 0 else { return nil }
    return speed
  }
}
