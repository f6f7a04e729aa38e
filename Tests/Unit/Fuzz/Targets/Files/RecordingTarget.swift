import Model
import OwnTracks
import Timebase

@testable import Replay

/// Recordings of drives in the forms that `homeward replay` reads. Positions come in order and with numbers,
/// what was passed over is told in one line, and the tracker can live with the rest.
enum RecordingTarget {
  @Sendable static func reports(_ input: UnsafeRawBufferPointer) {
    check(GPSDRecording.track(Array(input)), input)
  }

  @Sendable static func gpx(_ input: UnsafeRawBufferPointer) {
    do {
      check(try GPXRecording.track(Array(input), "drive.gpx"), input)
    } catch {
      refused(error, input)
    }
  }

  static func refused(_ error: ReplayError, _ input: UnsafeRawBufferPointer) {
    let text = error.sentence
    Claim.isPlain(text, "replay")
    let lines = mostLines(input)
    claim((1...lines).contains(error.line ?? 1), "line \(error.line ?? 0) of \(lines)")
    claim(text.hasPrefix("\(error.file):"), "does not begin with the file: \(text)")
  }

  /// expat begins a line behind a lone carriage return too.
  private static func mostLines(_ input: UnsafeRawBufferPointer) -> Int {
    input.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
  }

  private static func check(_ track: Track, _ input: UnsafeRawBufferPointer) {
    if let summary = track.faults.summary { Claim.isPlain(summary, "recording") }
    let lines = mostLines(input)
    var last = Span.zero
    for entry in track.entries {
      claim((1...lines).contains(entry.line), "line \(entry.line) of \(lines)")
      claim(entry.at >= last && entry.at < .seconds(366 * 86_400), "second \(entry.at.seconds)")
      last = entry.at
      isSound(entry.what)
    }
    var drive = Drive()
    drive.play(track.entries)
  }

  static func isSound(_ what: TimelineEntry.Happening) {
    switch what {
    case .clock(let seconds): claim((0..<1e11).contains(seconds), "the clock says \(seconds)")
    case .zone(let seconds): claim(abs(seconds) <= 14 * 3600, "the zone is \(seconds) s east")
    case .reading(let reading): isSound(reading)
    case .pressure(let pressure): Claim.isFinite([pressure], "pressure")
    case .vehicleVolts(let volts): Claim.isFinite([volts], "volts")
    case .battery(let battery):
      claim((0...100).contains(battery?.level ?? 0), "battery \(battery?.level ?? 0)")
    case .sighting(let sighting): claim(sighting.address < 1 << 48, "address \(sighting.address)")
    case .stored(let state):
      for known in state.regions { Claim.isFinite([known.region.radius], "stored region") }
    case .carried(let bytes): claim(bytes >= 0, "\(bytes) bytes carried")
    case .network, .broker, .scanner, .ignition, .sos, .interference, .control, .message, .restart,
      .unanswered,
      .end:
      break
    }
  }

  private static func isSound(_ reading: Reading) {
    Claim.isFinite(
      [
        reading.time?.seconds, reading.latitude, reading.longitude, reading.altitude, reading.eph,
        reading.epx,
        reading.epy, reading.epv, reading.hdop, reading.speed, reading.eps, reading.track,
      ], "reading")
  }
}
