import Model
import OwnTracks
import Timebase

/// gpsd's JSON reports, one a line, as `gpspipe -w` writes them. What the daemon leaves out of what a live gpsd says is
/// left out here: the other receivers, dilutions that are old, and places that are only repeated. What the receiver
/// itself says may stand between the reports, as `gpspipe -wr` writes it.
enum GPSDRecording {
  static func track(_ bytes: [UInt8]) -> Track {
    var track = Track()
    var reports = RecordedReports()
    let isArray = bytes.first { $0 > 32 } == UInt8(ascii: "[")
    for (number, piece) in isArray ? objects(of: bytes) : lines(of: bytes) {
      let text = withoutTime(piece)
      if reports.hear(text) { continue }
      guard let report = try? JSON.parse(Array(text)), report.members != nil else {
        track.faults.note(number, isArray ? "not a whole JSON object" : "not a JSON object")
        continue
      }
      track.faults.note(number, fault(of: report, on: reports.impossibleDay))
      reports.take(report, line: number, into: &track.entries)
    }
    track.remark = reports.remark
    return track
  }

  /// Why a position will not be used; nil: nothing is wrong, or it is none.
  private static func fault(of report: JSON, on day: String?) -> String? {
    guard report["class"]?.text == "TPV", (report["mode"]?.int ?? 0) >= 2 else { return nil }
    if let day { return "the receiver's date \(day) is impossible: there is no such day" }
    let reading = GPSDReport.reading(fromTPV: report, hdop: nil)
    let text = report["time"].map(\.description) ?? ""
    if reading.isDateImpossible { return "the time \(text) is impossible: there is no such day or hour" }
    guard reading.time != nil else {
      return text.isEmpty
        ? "a position without a time"
        : "the time \(text) is not understood, expected \"2026-07-01T08:00:00Z\""
    }
    return reading.coordinate == nil ? "a position without a place on the Earth" : nil
  }

  private static func lines(of bytes: [UInt8]) -> [(line: Int, ArraySlice<UInt8>)] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
      .filter { $0.element.contains { $0 > 32 } }
      .map { (line: $0.offset + 1, $0.element) }
  }

  /// Of an array, however it is broken into lines: from each brace to the one that closes it.
  private static func objects(of bytes: [UInt8]) -> [(line: Int, ArraySlice<UInt8>)] {
    var found: [(line: Int, ArraySlice<UInt8>)] = []
    var (line, depth) = (1, 0)
    var start: (index: Int, line: Int)?
    var (isInString, isEscaped) = (false, false)
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\n") { line += 1 }
      if isInString {
        isInString = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"):
        if depth == 0 { start = (index, line) }
        depth += 1
      case UInt8(ascii: "}"):
        depth = max(0, depth - 1)
        guard depth == 0, let begin = start else { continue }
        found.append((begin.line, bytes[begin.index...index]))
        start = nil
      default: break
      }
    }
    if let start { found.append((start.line, bytes[start.index...])) }
    return found
  }

  /// `gpspipe -t` and its like write when a report came before each; a replay goes by the reports' own times.
  private static func withoutTime(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let first = line.first, (48...57).contains(first),
      let start = line.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "$") })
    else { return line }
    return line[start...]
  }
}

/// Follows `GPSDReports` and `GPSDReceivers`, which have the numbers and their reasons.
private struct RecordedReports {
  private struct Receiver {
    var lastFix: Span?
    var interval = Span.zero
    var dilution: (hdop: Double, at: Span)?
    /// Metres, of the receiver's own standard deviations.
    var error: (metres: Double, at: Span)?
    var place = RepeatedPlace()
  }

  private enum Verdict { case believed, doubtful, void }

  /// Seconds after which a week number of ten bits begins anew.
  private static let rollover = 1024.0 * 7 * 86_400

  private var pace = Pace()
  private var receivers: [String: Receiver] = [:]
  private var chosen: String?
  private var needsDilution = true
  private var lastSky: Span?
  private var words = ReceiverWords()
  /// Of the report at hand; nil: it has no place.
  private var verdict: Verdict?
  /// Where in the entries the position before is, and of when, if it may be void.
  private var doubtful: (index: Int, time: WallTime?)?
  /// A remark about the whole recording, for people.
  private(set) var remark: String?

  /// True: the line is not gpsd's own, but an echo of the receiver's output.
  mutating func hear(_ line: ArraySlice<UInt8>) -> Bool {
    guard ReceiverWords.canBe(line) else { return false }
    words.take(Array(line))
    return true
  }

  mutating func take(_ report: JSON, line: Int, into entries: inout [TimelineEntry]) {
    let device = report["device"]?.text ?? ""
    switch report["class"]?.text {
    case "SKY": sky(report, device)
    case "GST": deviation(report, device)
    case "TPV":
      let made = position(report, device, line: line)
      if let verdict { follow(verdict, made, in: &entries) }
      entries += made
    default: break
    }
  }

  /// The daemon waits for what the receiver says after the first place that is repeated; here that one is taken back,
  /// with all reports of its second.
  private mutating func follow(
    _ verdict: Verdict, _ made: [TimelineEntry], in entries: inout [TimelineEntry]
  ) {
    guard case .reading(let reading)? = made.last?.what else { return }
    if verdict == .void, let doubtful {
      for index in doubtful.index..<entries.count {
        guard case .reading(let before) = entries[index].what, before.mode >= 2 else { continue }
        entries[index].what = .reading(Self.void(at: before.time))
      }
    }
    if verdict != .doubtful {
      doubtful = nil
    } else if doubtful?.time != reading.time {
      doubtful = (entries.count + made.count - 1, reading.time)
    }
  }

  private static func void(at time: WallTime?) -> Reading {
    var reading = Reading()
    (reading.mode, reading.isVoid, reading.time) = (1, true, time)
    return reading
  }

  private mutating func deviation(_ report: JSON, _ device: String) {
    guard let metres = GPSDReport.error(report) else { return }
    receivers[device, default: Receiver()].error = (metres, pace.last)
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
    // gpsd makes 3 March of it, or leaves the time out.
    if impossibleDay != nil { (reading.time, reading.isDateImpossible) = (nil, true) }
    if remark == nil { lookForRollover(reading) }
    if isVoid(reading, hasTimeError: report["ept"] != nil, device) {
      reading = Self.void(at: reading.time)
    }
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
    if let error = receivers[device]?.error, reading.mode >= 2, pace.last - error.at <= .seconds(10) {
      reading.eph = error.metres
    }
    if let last = entries.indices.last { entries[last].what = .reading(reading) }
    return entries
  }

  /// The receiver's date, if the calendar has no such day; otherwise nil.
  var impossibleDay: String? {
    guard let day = words.day, UTC.midnight(year: day.year, month: day.month, day: day.day) == nil else {
      return nil
    }
    func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    return "\(day.year)-\(padded(day.month))-\(padded(day.day))"
  }

  /// gpsd takes a date that is older than itself for one of a receiver whose week number has rolled over.
  private mutating func lookForRollover(_ reading: Reading) {
    guard let time = reading.time, let day = words.day,
      let midnight = UTC.midnight(year: day.year, month: day.month, day: day.day)
    else { return }
    let ahead = time.seconds - Double(midnight)
    let moves = (ahead / Self.rollover).rounded()
    guard moves >= 1, (ahead - moves * Self.rollover).magnitude < 2 * 86_400 else { return }
    let (said, made) = (ISO8601.text(WallTime(seconds: Double(midnight))), ISO8601.text(time))
    remark =
      "gpsd has moved its dates by \(Int(moves) * 1024) weeks: what the receiver dates \(said.prefix(10)) is played as of "
      + "\(made.prefix(10))"
  }

  /// `GPSDDoubt` has the reasons. What the receiver says itself is there from the start, or not at all.
  private mutating func isVoid(_ reading: Reading, hasTimeError: Bool, _ device: String) -> Bool {
    verdict = nil
    var place = receivers[device]?.place ?? RepeatedPlace()
    defer { receivers[device, default: Receiver()].place = place }
    let time = reading.time?.seconds ?? .nan
    guard reading.mode >= 2, let latitude = reading.latitude, let longitude = reading.longitude else {
      if reading.mode < 2 { place.lost(time: time) }
      return false
    }
    let sign = place.look(
      latitude: latitude, longitude: longitude, time: time, speed: reading.speed ?? .nan,
      hasTimeError: hasTimeError)
    let isVoid =
      words.isEmpty || receivers.count > 1 ? sign.isProof : sign != .usual && words.saysVoid
    verdict = isVoid ? Verdict.void : sign == .usual ? Verdict.believed : Verdict.doubtful
    return isVoid
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
