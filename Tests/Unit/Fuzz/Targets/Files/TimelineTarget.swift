import Model
import Timebase

@testable import Replay

/// A timeline, read line by line until one is refused: time never goes back, a refusal names its line.
enum TimelineTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    var reader = TimelineReader(file: "drive.jsonl", numberBase: .auto)
    var entries: [TimelineEntry] = []
    var last = Span.zero
    var number = 0
    do throws(ReplayError) {
      for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        number += 1
        guard let entry = try reader.entry(line) else { continue }
        claim(entry.line == number, "line \(entry.line) is called \(number)")
        claim(entry.at >= last, "time goes back to \(entry.at.seconds)")
        last = entry.at
        RecordingTarget.isSound(entry.what)
        entries.append(entry)
      }
    } catch {
      claim(error.line == number, "line \(number) is called \(error.line ?? 0)")
      RecordingTarget.refused(error, input)
    }
    var drive = Drive()
    drive.play(entries)
  }
}
