import Model

/// A question or an order that neither the tracker nor the disk answers.
public enum DaemonRequest: Hashable, Sendable {
  /// Read the configuration file again.
  case reload
  /// Controls the connection to the server.
  case link(LinkOrder)
  /// Erase all location data; `isWhole`: settings and odometer, too.
  case wipe(isWhole: Bool)
  /// All keys with their values.
  case settings
  /// The newest of the reasons that are kept.
  case why(WhyRequest)
  /// The beacons that the tracker knows; `ofStrangers`: those that the radio hears besides.
  case beacons(ofStrangers: Bool)
  /// Where the recordings are.
  case recordings

  /// A person's order for the connection to the server.
  public enum LinkOrder: String, CaseIterable, Sendable {
    /// Ends `disconnect`; otherwise what waits to be tried is tried at once.
    case connect
    /// Until one of the others, or a restart; published messages wait meanwhile.
    case disconnect
    /// Another connection in the place of the present one.
    case reconnect
  }

  init(_ command: String, _ words: ArraySlice<String>) throws(ControlError) {
    switch command {
    case "reload": self = try words.standingFor(.reload, "reload")
    case "wipe":
      let line = try RequestWords(words, flags: ["--settings"], usage: "wipe [--settings]")
      _ = try line.operands(0)
      self = .wipe(isWhole: line.has("--settings"))
    case "why": self = .why(try WhyRequest(words))
    case "beacons" where words.first == "strangers":
      self = try words.dropFirst().standingFor(.beacons(ofStrangers: true), "beacons strangers")
    case "beacons": self = try words.standingFor(.beacons(ofStrangers: false), "beacons [strangers]")
    case "record": self = try words.standingFor(.recordings, "record")
    case _:
      guard let order = LinkOrder(rawValue: command) else {
        let commands = Request.commands.joined(separator: ", ")
        throw ControlError("unknown command \"\(command)\"; expected one of \(commands)")
      }
      self = try words.standingFor(.link(order), command)
    }
  }
}
