import CGPS
import Model
import Timebase

/// Makes readings of gpsd's lines. Position reports in the usual form are read in one pass; libgps decodes
/// every other line that matters, and the rest is passed over by its first bytes, because decoding it costs
/// more than everything else together.
final class GPSDReports {
  /// Satellites are counted this often: nobody but a person at the status page asks for them.
  static let skyInterval = Span.seconds(30)
  /// A dilution older than this says nothing about the position at hand.
  static let dilutionLife = Span.seconds(10)
  /// gpsd's `status` of a fix without satellites.
  static let deadReckoning: Int32 = 5

  private let decoder: OpaquePointer?
  private var report = hw_gps_report()
  private(set) var receivers: GPSDReceivers
  /// True until a position brings its own error estimates.
  private var needsDilution = true
  private var lastSky: Instant?
  /// Said once, not with every report without a fix.
  private var saidNoFix = false

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

  init(device: String) {
    decoder = hw_gps_new()
    receivers = GPSDReceivers(wanted: device)
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
    saidNoFix = false
  }

  /// One line, zero-terminated; its bytes are overwritten. Returns a reading when it is news.
  func take(_ line: UnsafeMutablePointer<CChar>, _ length: Int, at now: Instant) -> Reading? {
    switch hw_gps_classify(line, length) {
    case HW_GPS_TPV.rawValue: takePosition(line, length, at: now)
    case HW_GPS_SKY.rawValue: takeSky(line, length, at: now)
    case HW_GPS_DEVICE.rawValue: takeDevice(line, length)
    case HW_GPS_DEVICES.rawValue: takeDevices(line)
    case HW_GPS_VERSION.rawValue: takeVersion(line, length)
    case HW_GPS_ERROR.rawValue: takeError(line, length)
    case HW_GPS_OTHER.rawValue: nil
    default: refuse()
    }
  }

  private func takePosition(_ line: UnsafeMutablePointer<CChar>, _ length: Int, at now: Instant) -> Reading? {
    guard unpack(line, length) else { return refuse() }
    lastReport = now
    guard let number = receivers.number(of: report.device) else { return nil }
    let hasFix = report.mode >= 2 && !report.latitude.isNaN && !report.longitude.isNaN
    guard receivers.heard(number, hasFix: hasFix, at: now) else { return nil }
    mode = Int(report.mode)
    guard mode >= 2 else { return noFix(mode) }
    saidNoFix = false
    needsDilution = report.eph.isNaN && (report.epx.isNaN || report.epy.isNaN)
    return reading(dilution: receivers.known[number].dilution, at: now)
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

  private func noFix(_ mode: Int) -> Reading? {
    self.mode = mode
    guard !saidNoFix else { return nil }
    saidNoFix = true
    var reading = Reading()
    reading.mode = mode
    return reading
  }

  private func reading(dilution: (hdop: Double, at: Instant)?, at now: Instant) -> Reading {
    var reading = Reading()
    reading.mode = mode
    reading.time = given(report.time).map(WallTime.init(seconds:))
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
    if let dilution, now - dilution.at <= Self.dilutionLife {
      reading.hdop = dilution.hdop
    }
    return reading
  }

  private func given(_ number: Double) -> Double? { number.isNaN ? nil : number }
}
