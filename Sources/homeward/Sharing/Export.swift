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
        Without a file, to standard output.

        Example: homeward export gpx --from 2026-05-31 sunday.gpx
        """)

    @Argument(help: "The file to write.") var file: String?
    @OptionGroup var span: HistorySpan
    @OptionGroup var options: CommonOptions

    func run() throws {
      var track = Array(GPXTrack.head.utf8)
      try Pages(socket: options.socket).each(["history"] + span.words, "history") { points in
        for point in points { track += Array(Self.text(point).utf8) }
        if file == nil { Self.write(&track) }
      }
      track += Array(GPXTrack.foot.utf8)
      if let file { return try AtomicFile.write(track, to: file) }
      Self.write(&track)
    }

    private static func write(_ bytes: inout [UInt8]) {
      Terminal.write(bytes)
      bytes = []
    }

    private static func text(_ point: JSON) -> String {
      guard let latitude = point["lat"]?.double, let longitude = point["lon"]?.double,
        let seconds = point["tst"]?.double
      else { return "" }
      return GPXTrack.point(
        latitude: latitude, longitude: longitude, altitude: point["alt"]?.double,
        time: WallTime(seconds: seconds))
    }
  }
}
