import ArgumentParser
import Glibc
import OwnTracks

struct BeaconsLearn: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "learn", abstract: "Make a region of the strongest beacon in range that none has yet.",
    discussion: """
      Hold the beacon near the board. The region is where the board is now, if it knows.

      Example: homeward beacons learn Garage
      """)

  @Argument(help: "The region's name.") var name: String
  @Option(help: ArgumentHelp("How long to listen.", valueName: "seconds")) var seconds = 5
  @Flag(help: "Do not ask.") var yes = false
  @OptionGroup var options: CommonOptions

  func validate() throws {
    guard (1...300).contains(seconds) else {
      throw ValidationError("--seconds \(seconds): expected a whole number from 1 to 300")
    }
  }

  func run() throws {
    if !options.json { warn("Listening for \(seconds) s ...") }
    let strangers = try listen()
    guard let strongest = strangers.first else {
      throw Failure(
        .failed, "no beacon was heard that is not a region's already; \(Self.advice(try scanner()))")
    }
    if !options.json { describe(strongest, others: strangers.count - 1) }
    guard yes || agrees() else { throw Failure(.failed, "nothing was made") }
    let status = try DaemonConnection(path: options.socket).status()
    var words = ["region", "add", name]
    // Where it is unknown, a beacon's region needs no place.
    words += status.fix != nil ? ["--here"] : ["--lat", "0", "--lon", "0"]
    words += ["--uuid", Readable.text(strongest.uuid)]
    for (option, number) in [("--major", strongest.major), ("--minor", strongest.minor)] {
      // In a region 0 stands for any number.
      if let number, number > 0 { words += [option, String(number)] }
    }
    try RegionCommand.perform(words, options)
  }

  /// The strongest first. The daemon forgets them some seconds after the last question.
  private func listen() throws -> [BeaconRecord] {
    var strangers: [BeaconRecord] = []
    for _ in 0...seconds {
      let daemon = DaemonConnection(path: options.socket)
      strangers = BeaconRecord.all(try daemon.ask(["beacons", "strangers"], for: BeaconList.self).strangers)
      sleep(1)
    }
    return strangers
  }

  private func scanner() throws -> StatusRecord.Scanner? {
    try DaemonConnection(path: options.socket).ask(["beacons"], for: BeaconList.self).scanner
  }

  private static func advice(_ scanner: StatusRecord.Scanner?) -> String {
    if let cause = scanner?.cause { return "the radio: \(cause)" }
    return "is the beacon on, and does it send iBeacon frames?"
  }

  private func describe(_ beacon: BeaconRecord, others: Int) {
    var text = "Strongest: \(BeaconTable.name(beacon))"
    if let rssi = beacon.rssi { text += ", \(rssi) dBm" }
    if let count = beacon.count { text += ", heard \(count) times" }
    if others > 0 { text += " (and \(others) more)" }
    Terminal.say(text.plainLine)
  }

  private func agrees() -> Bool {
    guard !options.json else { return false }
    Terminal.say("Make the region \"\(name)\" of it? [y/N] ", terminator: "")
    Terminal.flush()
    let answer = readLine()?.lowercased() ?? ""
    return answer == "y" || answer == "yes"
  }
}
