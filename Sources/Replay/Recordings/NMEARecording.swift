import Model
import Timebase

/// Raw NMEA 0183 as a receiver speaks it. All sentences of one time of day make one reading; the date
/// comes from RMC or ZDA. Meant for trying settings on a log; the daemon leaves NMEA to gpsd.
enum NMEARecording {
  static func track(_ bytes: [UInt8]) -> Track {
    var decoder = NMEADecoder()
    let lines = bytes.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\n") }
    for (index, line) in lines.enumerated() where line.contains(where: { $0 > 32 }) {
      decoder.take(line, number: index + 1)
    }
    return decoder.finished()
  }
}

/// Collects the sentences of one epoch.
struct NMEADecoder {
  private var track = Track()
  private var pace = Pace()
  private var epoch = Epoch()
  /// The beginning of the day, Unix seconds; lasts until the next sentence that has a date.
  private var midnight: Int?

  private struct Epoch {
    /// Seconds since midnight, UTC.
    var time: Double?
    var line = 0
    var reading = Reading()
    var hasAltitude = false
    /// What GSA says, and whether any sentence says that there is a position.
    var gsaMode: Int?
    var isValid = false
  }

  mutating func take(_ line: ArraySlice<UInt8>, number: Int) {
    guard let start = line.firstIndex(of: UInt8(ascii: "$")) else {
      return track.faults.note(number, "no NMEA sentence")
    }
    let sentence = NMEASentence.parsed(line[start...])
    switch sentence {
    case .failure(let fault): track.faults.note(number, fault.text)
    case .success(let sentence): take(sentence, number)
    }
  }

  mutating func finished() -> Track {
    closeEpoch()
    return track
  }

  private mutating func take(_ sentence: NMEASentence, _ number: Int) {
    switch sentence.type {
    case "RMC": recommendedMinimum(sentence, number)
    case "GGA": position(sentence, number, hdop: 8, altitude: 9, isValid: (sentence.whole(6) ?? 0) > 0)
    case "GNS":
      position(
        sentence, number, hdop: 8, altitude: 9, isValid: sentence[6].contains { $0 != "N" })
    case "GSA":
      epoch.gsaMode = sentence.whole(2)
      epoch.reading.hdop = sentence.number(16) ?? epoch.reading.hdop
    case "VTG":
      epoch.reading.track = sentence.number(1) ?? epoch.reading.track
      epoch.reading.speed = sentence.number(7).map { $0 / 3.6 } ?? epoch.reading.speed
    case "ZDA":
      begin(sentence.timeOfDay(1), number)
      midnight = sentence.midnight(day: 2, month: 3, year: 4) ?? midnight
    default: break
    }
  }

  private mutating func recommendedMinimum(_ sentence: NMEASentence, _ number: Int) {
    begin(sentence.timeOfDay(1), number)
    midnight = sentence.packedMidnight(9) ?? midnight
    guard sentence[2] == "A" else { return }
    epoch.isValid = true
    place(sentence, from: 3)
    epoch.reading.speed = sentence.number(7).map { $0 * 1852 / 3600 } ?? epoch.reading.speed
    epoch.reading.track = sentence.number(8) ?? epoch.reading.track
  }

  private mutating func position(
    _ sentence: NMEASentence, _ number: Int, hdop: Int, altitude: Int, isValid: Bool
  ) {
    begin(sentence.timeOfDay(1), number)
    guard isValid else { return }
    epoch.isValid = true
    place(sentence, from: 2)
    epoch.reading.hdop = sentence.number(hdop) ?? epoch.reading.hdop
    if let metres = sentence.number(altitude) {
      epoch.reading.altitude = metres
      epoch.hasAltitude = true
    }
  }

  private mutating func place(_ sentence: NMEASentence, from field: Int) {
    guard let latitude = sentence.degrees(field, negative: "S"),
      let longitude = sentence.degrees(field + 2, negative: "W")
    else { return }
    epoch.reading.latitude = latitude
    epoch.reading.longitude = longitude
  }

  /// Another time of day is another epoch. GSA and VTG have none and belong to the one that runs.
  private mutating func begin(_ time: Double?, _ number: Int) {
    if let time, let running = epoch.time, time != running { closeEpoch() }
    if epoch.time == nil {
      epoch.time = time
      epoch.line = number
    }
  }

  private mutating func closeEpoch() {
    var reading = epoch.reading
    let time = epoch.time
    let line = epoch.line
    reading.mode = !epoch.isValid ? 1 : epoch.gsaMode.map { max($0, 2) } ?? (epoch.hasAltitude ? 3 : 2)
    // The sky changes slowly, and some receivers send GSA every few seconds only.
    let (hdop, gsaMode) = (epoch.reading.hdop, epoch.gsaMode)
    epoch = Epoch()
    epoch.reading.hdop = hdop
    epoch.gsaMode = gsaMode
    guard let time else { return }
    guard let midnight else { return track.faults.note(line, "no date yet: neither RMC nor ZDA came before") }
    reading.time = WallTime(seconds: Double(midnight) + time)
    track.entries += pace.entries(reading, line: line)
  }
}
