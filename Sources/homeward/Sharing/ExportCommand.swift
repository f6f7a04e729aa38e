import ArgumentParser
import Glibc
import OwnTracks
import Timebase

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the history in another program's form.",
    discussion: "Example: homeward export gpx track.gpx", subcommands: [GPX.self])

  struct GPX: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "gpx", abstract: "Write the history as a GPX 1.1 track.",
      discussion: """
        Without a file, to standard output. Times as in `homeward history`.

        Example: homeward export gpx --trip last drive.gpx
        """)

    @Argument(help: "The file to write.") var file: String?
    @OptionGroup var span: HistorySpan
    @OptionGroup var options: CommonOptions

    func run() throws {
      var track = Array(GPXTrack.head.utf8)
      var count = 0
      var times: (first: Double, last: Double)?
      let words = try ["history"] + span.words(socket: options.socket)
      try Pages(socket: options.socket).each(words, HistoryPage.self) { page in
        for point in PointRecord.all(page.points) {
          guard let text = GPXTrack.point(point), let time = point.place.time else { continue }
          track += Array(text.utf8)
          count += 1
          times = (times?.first ?? Double(time), Double(time))
        }
        if file == nil { try Self.write(&track) }
      }
      track += Array(GPXTrack.foot.utf8)
      guard let file else { return try Self.write(&track) }
      try AtomicFile.write(track, to: file)
      report(count, times, file)
    }

    private func report(_ count: Int, _ times: (first: Double, last: Double)?, _ file: String) {
      var answer: JSON = ["ok": true, "file": .string(file), "points": .integer(Int64(count))]
      answer.set("from", times.map { .integer(Int64($0.first)) })
      answer.set("to", times.map { .integer(Int64($0.last)) })
      printAnswer(answer, options) { _ in
        guard let times else {
          return "wrote \(file.plainLine): an empty track, nothing is kept of that time"
        }
        return "wrote \(file.plainLine): \(Readable.count(count, "point")), \(Readable.time(times.first)) to "
          + Readable.time(times.last)
      }
    }

    private static func write(_ bytes: inout [UInt8]) throws {
      try Terminal.write(bytes)
      bytes = []
    }
  }
}
