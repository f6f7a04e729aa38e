import Glibc
import Model
import Timebase

@testable import Receiver

/// gpsd's bytes as they come from its socket: however the stream is cut, the same readings come out of it,
/// all of them numbers, and nothing grows.
enum GPSDTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    let whole = play(input, in: GPSDLines.capacity)
    let pieces = play(input, in: 7)
    claim(whole.readings == pieces.readings, "cut in pieces it says something else")
    claim(whole.summary == pieces.summary, "\(whole.summary) or, in pieces, \(pieces.summary)")
  }

  private struct Outcome {
    var readings: [Reading] = []
    var summary = ""
  }

  private static func play(_ input: UnsafeRawBufferPointer, in size: Int) -> Outcome {
    let lines = GPSDLines()
    let reports = GPSDReports(device: "", isMonitored: true)
    var outcome = Outcome()
    var rest = input[...]
    // A second a line, so that sky views are looked at more than once.
    var now = Instant.zero
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(min(size, lines.free)))
      rest = rest.dropFirst(piece.count)
      if let start = piece.baseAddress { lines.space.copyMemory(from: start, byteCount: piece.count) }
      lines.accept(piece.count) { line, length in
        now = now + .seconds(11)
        guard let reading = take(line, length, reports, now) else { return }
        isSound(reading)
        outcome.readings.append(reading)
      }
    }
    claim(reports.receivers.known.count <= GPSDReceivers.limit, "too many receivers")
    claim(reports.listed?.count ?? 0 <= GPSDReceivers.limit, "too long a list of receivers")
    let texts = [reports.version, reports.errorText].map { $0 ?? "-" }
    outcome.summary = "\(texts) \(reports.malformed) \(lines.overlong) \(reports.mode)"
    return outcome
  }

  /// A copy of exactly this size, so that the address checker sees a step beyond it.
  private static func take(
    _ line: UnsafeMutablePointer<CChar>, _ length: Int, _ reports: GPSDReports, _ now: Instant
  ) -> Reading? {
    claim(strlen(line) <= length, "the line does not end where it ends")
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: length + 1)
    defer { copy.deallocate() }
    copy.update(from: line, count: length + 1)
    return reports.take(copy, length, at: now)
  }

  private static func isSound(_ reading: Reading) {
    claim((0...3).contains(reading.mode), "mode \(reading.mode)")
    Claim.isFinite(
      [
        reading.time?.seconds, reading.latitude, reading.longitude, reading.altitude, reading.eph,
        reading.epx,
        reading.epy, reading.epv, reading.hdop, reading.speed, reading.eps, reading.track,
      ], "reading")
  }
}
