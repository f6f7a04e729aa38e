import ArgumentParser
import Glibc
import OwnTracks

struct BeaconsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "beacons", abstract: "Watch the beacons, or make a region of one.",
    discussion: """
      At a terminal the table is kept up to date until Ctrl-C.

      Example: homeward beacons
               homeward beacons learn Garage
      """,
    subcommands: [Show.self, BeaconsLearn.self], defaultSubcommand: Show.self)

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show what is known of each beacon.",
      discussion: "Example: homeward beacons --once")

    @Flag(help: "Print the table once.") var once = false
    @OptionGroup var options: CommonOptions

    func run() throws {
      let isLive = !once && !options.json && Terminal.isLive
      var height = 0
      while true {
        let answer = try DaemonConnection(path: options.socket).ask(["beacons"])
        let text = BeaconTable(BeaconList(answer: answer) ?? BeaconList()).text
        guard isLive else { return printAnswer(answer, options) { _ in text } }
        Terminal.goBack(lines: height)
        Terminal.say(text)
        Terminal.flush()
        height = text.split(separator: "\n", omittingEmptySubsequences: false).count
        sleep(1)
      }
    }
  }
}

/// The table of `homeward beacons`.
struct BeaconTable {
  var text: String

  init(_ answer: BeaconList) {
    let beacons = BeaconRecord.all(answer.beacons)
    var lines = [Self.radio(answer.scanner).plainLine]
    if beacons.isEmpty {
      lines.append("No region has a beacon. Make one: homeward beacons learn Garage")
    } else {
      var table = Table()
      table.add(" ", "region", "beacon", "RSSI", "distance", "heard", "")
      for beacon in beacons { table.add(Self.row(beacon)) }
      lines.append(table.text)
    }
    text = lines.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static func radio(_ scanner: StatusRecord.Scanner?) -> String {
    guard let scanner, let state = scanner.state, state != "idle" else { return "" }
    var words = "The radio is \(state)"
    if let way = scanner.way { words += " (\(way), \(scanner.duty.map(String.init) ?? "-") % duty)" }
    if let cause = scanner.cause { words += ": \(cause)" }
    return words
  }

  private static func row(_ beacon: BeaconRecord) -> [String] {
    [
      beacon.inside == true ? "*" : " ", Readable.text(beacon.region), name(beacon),
      beacon.rssi.map { "\($0) dBm" } ?? "-",
      beacon.distance.map { Readable.number($0, decimals: $0 < 10 ? 1 : 0) + " m" } ?? "-",
      beacon.age.map { "\(Readable.span($0)) ago" } ?? "never",
      (beacon.hints ?? []).joined(separator: "; "),
    ]
  }

  /// UUID/major/minor, `*` for any.
  static func name(_ beacon: BeaconRecord) -> String {
    let numbers = [beacon.major, beacon.minor].map { $0.map(String.init) ?? "*" }
    return ([Readable.text(beacon.uuid)] + numbers).joined(separator: "/")
  }
}
