import ArgumentParser
import OwnTracks

struct EnergyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "energy", abstract: "Work out how long a battery lasts.",
    discussion: """
      A day of a board that is switched off while the vehicle is parked, and wakes for
      check-ins: what each part of it takes, and with --battery the days that are left.
      Currents are those of the board's 5 V supply, with its receiver and modem: measure
      them, or take figures from docs/battery.md. It asks no tracker and knows no board.

      Example: homeward energy --on 600 --off 3 --check-ins 4 --battery 7000
      """)

  @Option(help: ArgumentHelp("What the board draws while the tracker runs.", valueName: "mA")) var on: Double
  @Option(help: ArgumentHelp("What it draws while it is off, with what stays on then.", valueName: "mA"))
  var off: Double
  @Option(help: ArgumentHelp("What it draws while it starts; without it as much as later.", valueName: "mA"))
  var starting: Double?
  @Option(help: ArgumentHelp("How long it starts, with --starting.", valueName: "seconds"))
  var startSeconds: Double = 30
  @Option(help: ArgumentHelp("Check-ins a day: 24 divided by parkedWake.", valueName: "number"))
  var checkIns: Double = 1
  @Option(
    help: ArgumentHelp("How long a check-in takes, its start included; without it 120.", valueName: "seconds")
  )
  var seconds: Double?
  @Option(help: ArgumentHelp("Hours a day that it drives on the battery alone.", valueName: "hours"))
  var driving: Double = 0
  @Option(help: ArgumentHelp("The battery's capacity.", valueName: "mAh")) var battery: Double?
  @Option(help: ArgumentHelp("The battery's voltage.", valueName: "V")) var volts: Double = 12
  @Option(help: ArgumentHelp("How much of the battery may be used.", valueName: "%")) var usable: Double = 80
  @Option(help: ArgumentHelp("How much the converter to 5 V passes on.", valueName: "%"))
  var efficiency: Double = 85
  @Flag(help: "Print JSON for programs instead of text for people.") var json = false

  func run() throws {
    let text = EnergyText(model: try model())
    if json { Terminal.say(text.json, sortingKeys: true) } else { Terminal.say(text.text) }
  }

  /// The model of the options. `measured`: how long the tracker's own check-ins took, where it knows.
  func model(measured: EnergyModel.OnTime? = nil) throws -> EnergyModel {
    try check("on", on, 0.1...20_000, "mA")
    try check("off", off, 0...20_000, "mA")
    if let starting { try check("starting", starting, 0.1...20_000, "mA") }
    try check("check-ins", checkIns, 0...86_400, "")
    if let seconds { try check("seconds", seconds, 1...86_400, "s") }
    try check("driving", driving, 0...24, "h")
    if let battery { try check("battery", battery, 1...10_000_000, "mAh") }
    try check("volts", volts, 1...100, "V")
    try check("usable", usable, 1...100, "%")
    try check("efficiency", efficiency, 1...100, "%")
    let onTime = seconds.map { EnergyModel.OnTime(seconds: $0, origin: .given) } ?? measured ?? .usual
    if starting != nil { try check("start-seconds", startSeconds, 0...onTime.seconds, "s") }
    let model = EnergyModel(
      draw: .init(on: on, off: off, starting: starting ?? on),
      day: .init(
        checkIns: checkIns, onTime: onTime, startSeconds: starting == nil ? 0 : startSeconds,
        drivingHours: driving),
      battery: battery.map {
        .init(capacity: $0, volts: volts, usable: usable / 100, efficiency: efficiency / 100)
      })
    guard model.hoursOn <= 24 else {
      let woken = "\(Readable.number(checkIns)) of \(Readable.number(onTime.seconds)) s"
      let hours = Readable.number(model.hoursOn, decimals: 2)
      throw Failure(
        .usage,
        "--check-ins: \(woken) and \(Readable.number(driving)) h of driving are \(hours) h, expected a day at most"
      )
    }
    return model
  }

  private func check(_ option: String, _ value: Double, _ range: ClosedRange<Double>, _ unit: String) throws {
    guard !range.contains(value) else { return }
    let (lowest, highest) = (Readable.number(range.lowerBound), Readable.number(range.upperBound))
    let words = "\(lowest) to \(highest)\(unit.isEmpty ? "" : " " + unit)"
    throw Failure(.usage, "--\(option): \(Readable.number(value, decimals: 3)), expected \(words)")
  }
}
