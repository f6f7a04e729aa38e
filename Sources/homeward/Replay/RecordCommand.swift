import ArgumentParser
import OwnTracks
import Replay

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Copy what the tracker has recorded of a drive.",
    discussion: """
      Records nothing by itself: the key record says how many MiB the tracker keeps.
      Without a file, the drives that there are, the newest at the bottom.

      Example: homeward record drive.jsonl
               homeward replay --config /etc/homeward/homeward.otrc drive.jsonl
      """)

  @Argument(help: "The file to write; - is standard output.") var output: String?
  @Option(help: ArgumentHelp("Which drive, as it is numbered; the newest without it.", valueName: "number"))
  var drive: Int?
  @OptionGroup var place: ConfigurationPlace
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if drive != nil, output == nil { throw ValidationError("--drive goes with a file to write") }
  }

  func run() throws {
    let folder = try folder()
    let drives = try drives(in: folder)
    guard let output else { return list(drives) }
    guard !drives.isEmpty else { throw Failure(.failed, "\(folder): nothing is recorded yet") }
    let number = drive ?? drives.count
    guard (1...drives.count).contains(number) else {
      throw Failure(.usage, "--drive \(number): expected a number from 1 to \(drives.count)")
    }
    let timeline = drives[number - 1].timeline
    if output == "-" { return try Terminal.write(timeline) }
    try AtomicFile.write(timeline, to: output)
    if options.json { return Terminal.say(["ok": true, "bytes": .integer(Int64(timeline.count))]) }
    Terminal.say("\(output.plainLine): \(words(drives[number - 1]).joined(separator: ", "))")
  }

  /// The daemon writes first what it has in hand; where none runs, the files are what there is.
  private func folder() throws -> String {
    do {
      return try DaemonConnection(path: options.socket).ask(["record"], for: OutcomeRecord.self).folder ?? ""
    } catch let failure as Failure where failure.isAbsent {
      let board = try ConfigurationText(place.file).decoded.configuration.board
      return board.recordDir.isEmpty ? Folder.of(board.controlSocket) : board.recordDir
    }
  }

  private func drives(in folder: String) throws -> [RecordedDrive] {
    let names = Folder.names(in: folder).filter { $0.hasPrefix("drive.") && $0.hasSuffix(".jsonl") }
    return RecordedDrive.drives(
      in: try names.map { try FileText.read("\(folder)/\($0)", atMost: FileText.recordingLimit) })
  }

  private func list(_ drives: [RecordedDrive]) {
    if options.json {
      let all = drives.enumerated().map { index, drive -> JSON in
        var json: JSON = [
          "drive": .integer(Int64(index + 1)), "seconds": .real(drive.seconds),
          "positions": .integer(Int64(drive.positions)),
        ]
        json.set("begin", drive.begin.map { .real($0) })
        return json
      }
      return Terminal.say(["ok": true, "drives": .array(all)])
    }
    guard !drives.isEmpty else { return Terminal.say("Nothing is recorded yet.") }
    var table = Table()
    for (index, drive) in drives.enumerated() { table.add(["\(index + 1)"] + words(drive)) }
    Terminal.say(table.text)
  }

  private func words(_ drive: RecordedDrive) -> [String] {
    [
      drive.begin.map(Readable.time) ?? "(no clock)", Readable.span(drive.seconds),
      Readable.count(drive.positions, "position"),
    ]
  }
}
