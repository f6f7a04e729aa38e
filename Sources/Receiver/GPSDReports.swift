import CGPS
import Model
import Timebase

/// Makes readings of gpsd's lines. Position reports in the usual form are read in one pass; libgps decodes
/// every other line that matters, and the rest is passed over by its first bytes, because decoding it costs
/// more than everything else together.
final class GPSDReports {
  /// Satellites are counted this often: only a person at the status page asks for them.
  static let skyInterval = Span.seconds(30)
  /// A dilution or deviation older than this says nothing about the position at hand.
  static let dilutionLife = Span.seconds(10)
  /// gpsd's `status` of a fix without satellites, and of one that is made up.
  static let (deadReckoning, simulated): (Int32, Int32) = (5, 8)

  private let decoder: OpaquePointer?
  private var report = hw_gps_report()
  private(set) var receivers: GPSDReceivers
  /// True until a position brings its own error estimates.
  private var needsDilution = true
  private var lastSky: Instant?
  /// Said once, not with every report without a fix.
  private var saidNoFix = false
  /// The same of a place that is only repeated.
  private var saidVoid = false
  private var doubt = GPSDDoubt()
  /// Nil: the receiver is not asked about interference.
  let monitor: ReceiverMonitor?

  private(set) var version: String?
  private(set) var mode = 0
  private(set) var satellites: (used: Int, seen: Int)?
  /// The latest position report of any receiver.
  private(set) var lastReport: Instant?
  private(set) var malformed = 0
  /// Paths of gpsd's latest device list; nil before the first.
  private(set) var listed: [String]?
  /// The text of the last ERROR that gpsd sent.
  private(set) var errorText: String?

  init(device: String, isMonitored: Bool = false) {
    decoder = hw_gps_new()
    receivers = GPSDReceivers(wanted: device)
    monitor = isMonitored ? ReceiverMonitor() : nil
  }

  deinit {
    hw_gps_free(decoder)
  }

  /// A new connection: nothing that the last one said holds.
  func reset() {
    receivers = GPSDReceivers(wanted: receivers.wanted)
    version = nil
    listed = nil
    errorText = nil
    mode = 0
    satellites = nil
    lastSky = nil
    needsDilution = true
    (saidNoFix, saidVoid) = (false, false)
    doubt = GPSDDoubt()
    monitor?.reset()
  }

  /// Nobody watches for a while.
  func rest() {
    doubt.drop()
    monitor?.rest()
  }

  /// Whether gpsd is to repeat what the receiver says itself.
  var wantsWords: Bool { doubt.isAsking || monitor?.isAsking ?? false }
  /// The receiver repeats a place, and has no fix.
  var isVoid: Bool { doubt.isVoid }

  /// Readings held until they were known to be true, oldest first: they come before the one that `take` returned.
  func takeHeld() -> [Reading] {
    // With every line.
    doubt.holds && !doubt.isWaiting ? doubt.takeHeld() : []
  }

  /// When to call `patienceIsOver`, where no line comes; nil: nothing waits.
  var decidesAt: Instant? { doubt.isVoid ? nil : doubt.decidesAt }

  /// No report has come that would have decided about the one before. Returns a reading when it is news;
  /// what has waited is in `takeHeld`.
  func patienceIsOver(at now: Instant) -> Reading? {
    doubt.patienceIsOver(at: now) ? void() : nil
  }

  /// One line, zero-terminated; its bytes are overwritten. Returns a reading when it is news.
  func take(_ line: UnsafeMutablePointer<CChar>, _ length: Int, at now: Instant) -> Reading? {
    switch hw_gps_classify(line, length) {
    case HW_GPS_TPV.rawValue: takePosition(line, length, at: now)
    case HW_GPS_SKY.rawValue: takeSky(line, length, at: now)
    case HW_GPS_GST.rawValue: takeDeviation(line, length, at: now)
    case HW_GPS_DEVICE.rawValue: takeDevice(line, length)
    case HW_GPS_DEVICES.rawValue: takeDevices(line)
    case HW_GPS_VERSION.rawValue: takeVersion(line, length)
    case HW_GPS_ERROR.rawValue: takeError(line, length)
    case HW_GPS_OTHER.rawValue: takeOther(line, length)
    default: hear(line, length, at: now)
    }
  }

  private func takePosition(_ line: UnsafeMutablePointer<CChar>, _ length: Int, at now: Instant) -> Reading? {
    guard unpack(line, length) else { return refuse() }
    lastReport = now
    guard let number = receivers.number(of: report.device) else { return nil }
    let hasPlace = report.mode >= 2 && !report.latitude.isNaN && !report.longitude.isNaN
    let verdict = judge(number, hasPlace: hasPlace, at: now)
    guard receivers.heard(number, hasFix: hasPlace && verdict == .believed, at: now) else { return nil }
    monitor?.reported(at: now, canAsk: receivers.isAlone && UBX.understands(receivers))
    if verdict == .void { return void() }
    guard report.mode >= 2 else { return noFix(Int(report.mode)) }
    needsDilution = report.eph.isNaN && (report.epx.isNaN || report.epy.isNaN)
    let reading = reading(of: number, at: now)
    guard verdict == .believed else {
      doubt.hold(reading)
      return nil
    }
    mode = reading.mode
    (saidNoFix, saidVoid) = (false, false)
    return reading
  }

  private func judge(_ number: Int, hasPlace: Bool, at now: Instant) -> GPSDDoubt.Verdict {
    guard hasPlace else {
      if report.mode < 2 { receivers.lost(number, time: report.time) }
      return .believed
    }
    let sign = receivers.look(number, at: report)
    return doubt.judge(
      sign, isMoving: report.speed > RepeatedPlace.moving, canAsk: sign != .usual && receivers.isAlone,
      at: now)
  }

  private func takeSky(_ line: UnsafeMutablePointer<CChar>, _ length: Int, at now: Instant) -> Reading? {
    let isDue = lastSky.map { now - $0 >= Self.skyInterval } ?? true
    guard isDue || needsDilution else { return nil }
    guard unpack(line, length, satellites: isDue) else { return refuse() }
    guard let number = receivers.number(of: report.device) else { return nil }
    if !report.hdop.isNaN { receivers.noteDilution(number, hdop: report.hdop, at: now) }
    if report.seen >= 0, receivers.chosen == nil || receivers.chosen == number {
      satellites = (Int(report.used), Int(report.seen))
      lastSky = now
    }
    return nil
  }

  /// Comes with every position of the receivers that say it, and is read as those are.
  private func takeDeviation(_ line: UnsafeMutablePointer<CChar>, _ length: Int, at now: Instant) -> Reading?
  {
    guard unpack(line, length), let number = receivers.number(of: report.device) else { return nil }
    receivers.noteDeviation(number, north: report.north, east: report.east, at: now)
    return nil
  }

  private func takeDevice(_ line: UnsafeMutablePointer<CChar>, _ length: Int) -> Reading? {
    guard unpack(line, length) else { return refuse() }
    let path = String(cString: report.device)
    if report.is_active, var listed, listed.count < GPSDReceivers.limit, !listed.contains(path) {
      listed.append(path)
      self.listed = listed
    }
    return noteDevice() ? noFix(0) : nil
  }

  private func takeDevices(_ line: UnsafeMutablePointer<CChar>) -> Reading? {
    var cursor: UnsafeMutablePointer<CChar>? = line
    var paths: [String] = []
    var lost = false
    while hw_gps_next_device(decoder, &cursor, &report) {
      guard report.device.pointee != 0, paths.count < GPSDReceivers.limit else { continue }
      paths.append(String(cString: report.device))
      lost = noteDevice() || lost
    }
    listed = paths
    return lost ? noFix(0) : nil
  }

  private func noteDevice() -> Bool {
    guard report.device.pointee != 0, let number = receivers.number(of: report.device) else { return false }
    let driver = String(cString: report.driver)
    return receivers.noteDevice(number, driver: driver, isActive: report.is_active)
  }

  private func takeVersion(_ line: UnsafeMutablePointer<CChar>, _ length: Int) -> Reading? {
    guard unpack(line, length) else { return refuse() }
    version = String(cString: report.text)
    return nil
  }

  private func takeError(_ line: UnsafeMutablePointer<CChar>, _ length: Int) -> Reading? {
    guard unpack(line, length) else { return refuse() }
    errorText = String(cString: report.text)
    return nil
  }

  private func unpack(_ line: UnsafeMutablePointer<CChar>, _ length: Int, satellites: Bool = false) -> Bool {
    hw_gps_unpack(decoder, line, length, satellites, &report) != HW_GPS_REFUSED.rawValue
  }

  private func refuse() -> Reading? {
    malformed += 1
    return nil
  }

  /// A line that is not gpsd's own: the receiver's, where gpsd was asked to repeat it.
  private func hear(_ line: UnsafeMutablePointer<CChar>, _ length: Int, at now: Instant) -> Reading? {
    guard doubt.hasAsked || monitor?.hasAsked ?? false, line[0] != CChar(UInt8(ascii: "{")) else {
      return refuse()
    }
    doubt.hear(line, length)
    monitor?.hear(UnsafeRawBufferPointer(start: line, count: length), at: now)
    return nil
  }

  private func takeOther(_ line: UnsafeMutablePointer<CChar>, _ length: Int) -> Reading? {
    guard doubt.isAsking else { return nil }
    let text = UnsafeRawBufferPointer(start: line, count: length)
    if text.starts(with: #"{"class":"WATCH""#.utf8) { doubt.confirmed() }
    return nil
  }

  private func void() -> Reading? {
    mode = 1
    _ = doubt.takeHeld()
    guard !saidVoid else { return nil }
    saidVoid = true
    var reading = Reading()
    reading.mode = 1
    reading.isVoid = true
    return reading
  }

  private func noFix(_ mode: Int) -> Reading? {
    self.mode = mode
    doubt.drop()
    guard !saidNoFix else { return nil }
    saidNoFix = true
    var reading = Reading()
    reading.mode = mode
    return reading
  }

  private func reading(of number: Int, at now: Instant) -> Reading {
    var reading = Reading()
    reading.mode = Int(report.mode)
    reading.time = given(report.time).map(WallTime.init(seconds:))
    reading.isDateImpossible = report.is_impossible
    reading.latitude = given(report.latitude)
    reading.longitude = given(report.longitude)
    reading.altitude = given(report.altitude)
    reading.eph = given(report.eph)
    reading.epx = given(report.epx)
    reading.epy = given(report.epy)
    reading.epv = given(report.epv)
    reading.speed = given(report.speed)
    reading.eps = given(report.eps)
    reading.track = given(report.track)
    reading.isReckoned = report.status == Self.deadReckoning
    reading.isSimulated = report.status == Self.simulated
    if let dilution = receivers.known[number].dilution, now - dilution.at <= Self.dilutionLife {
      reading.hdop = dilution.hdop
    }
    if let deviation = receivers.known[number].deviation, now - deviation.at <= Self.dilutionLife,
      let error = Reading.error(north: deviation.north, east: deviation.east)
    {
      reading.eph = error
    }
    return reading
  }

  private func given(_ number: Double) -> Double? { number.isNaN ? nil : number }
}
