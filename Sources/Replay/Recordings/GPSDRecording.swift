import Model
import OwnTracks
import Timebase

/// gpsd's JSON reports, one a line, as `gpspipe -w` writes them. What the daemon leaves out of what a live gpsd says is
/// left out here: the other receivers, and dilutions that are old.
enum GPSDRecording {
  static func track(_ bytes: [UInt8]) -> Track {
    var track = Track()
    var reports = RecordedReports()
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where line.contains(where: { $0 > 32 }) {
      guard let report = try? JSON.parse(Array(line)), report.members != nil else {
        track.faults.note(index + 1, "not a JSON object")
        continue
      }
      track.entries += reports.take(report, line: index + 1)
    }
    return track
  }
}

/// Follows `GPSDReports` and `GPSDReceivers`, which have the numbers and their reasons.
private struct RecordedReports {
  private struct Receiver {
    var lastFix: Span?
    var interval = Span.zero
    var dilution: (hdop: Double, at: Span)?
  }

  private var pace = Pace()
  private var receivers: [String: Receiver] = [:]
  private var chosen: String?
  private var needsDilution = true
  private var lastSky: Span?

  mutating func take(_ report: JSON, line: Int) -> [TimelineEntry] {
    let device = report["device"]?.text ?? ""
    switch report["class"]?.text {
    case "SKY": sky(report, device)
    case "TPV": return position(report, device, line: line)
    default: break
    }
    return []
  }

  private mutating func sky(_ report: JSON, _ device: String) {
    let isDue = lastSky.map { pace.last - $0 >= .seconds(30) } ?? true
    guard isDue || needsDilution else { return }
    if let hdop = GPSDReport.sky(report).hdop {
      receivers[device, default: .init()].dilution = (hdop, pace.last)
    }
    if chosen == nil || chosen == device { lastSky = pace.last }
  }

  private mutating func position(_ report: JSON, _ device: String, line: Int) -> [TimelineEntry] {
    var reading = GPSDReport.reading(fromTPV: report, hdop: nil)
    var timed = pace
    var entries = timed.entries(reading, line: line)
    guard isUsed(device, hasFix: reading.mode >= 2 && reading.latitude != nil, at: timed.last) else {
      return []
    }
    pace = timed
    if reading.mode >= 2 { needsDilution = reading.eph == nil && (reading.epx == nil || reading.epy == nil) }
    if let dilution = receivers[device]?.dilution, pace.last - dilution.at <= .seconds(10) {
      reading.hdop = dilution.hdop
    }
    if let last = entries.indices.last { entries[last].what = .reading(reading) }
    return entries
  }

  private mutating func isUsed(_ device: String, hasFix: Bool, at now: Span) -> Bool {
    defer { if hasFix { noteFix(device, at: now) } }
    guard let current = chosen else {
      if hasFix { chosen = device }
      return true
    }
    if current == device { return true }
    guard hasFix, isSilent(receivers[current], at: now) else { return false }
    chosen = device
    return true
  }

  private func isSilent(_ receiver: Receiver?, at now: Span) -> Bool {
    guard let receiver, let last = receiver.lastFix else { return true }
    let ownPace = Span(nanoseconds: receiver.interval.nanoseconds * 3)
    return now - last > max(.seconds(5), min(ownPace, .minutes(1)))
  }

  private mutating func noteFix(_ device: String, at now: Span) {
    let last = receivers[device]?.lastFix
    if let last { receivers[device]?.interval = now - last }
    receivers[device, default: Receiver()].lastFix = now
  }
}
