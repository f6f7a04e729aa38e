import Model

/// What was done of a command that may be obeyed.
struct Deed {
  /// Why there is no message, where it asks for one.
  private var withheld: Reason?
  /// Regions and settings, where it brings such.
  private var taken: Int?
  /// What there was no room for.
  private var passedOver: [String] = []
  /// What is still to come.
  private var notes: [String] = []

  static let done = Deed()

  private init() {}

  /// It asks for one message.
  init(_ told: Tracker.Outcome) { if case .withheld(let reason) = told { withheld = reason } }

  /// It brings a list of regions, of which this many could be read.
  static func merged(_ counts: Tracker.MergeCounts, of entries: Int) -> Deed {
    var deed = Deed()
    deed.took(entries, counts)
    return deed
  }

  /// It changes settings, and may bring regions as well.
  static func changed(_ change: SettingsChange, _ counts: Tracker.MergeCounts, isOnTrial: Bool) -> Deed {
    var deed = Deed()
    let settings = change.settings.count + (change.monitoring == nil ? 0 : 1)
    deed.took(settings + change.waypoints.count, counts)
    if isOnTrial {
      let seconds = Int(SettingsLayers.trialSpan.seconds)
      deed.notes.append("on trial: taken back after \(seconds) s unless the server is reached")
    }
    return deed
  }

  private mutating func took(_ count: Int, _ counts: Tracker.MergeCounts) {
    taken = count - counts.refused
    guard counts.refused > 0 else { return }
    let regions = counts.refused == 1 ? "1 region was" : "\(counts.refused) regions were"
    passedOver.append("\(regions) not taken: a board keeps at most \(Region.limit)")
  }

  /// For its sender.
  func result(of received: ReceivedCommand, _ id: CommandID) -> CommandResult {
    let action = received.command.action
    if let withheld { return CommandResult(id: id, action: action, .refused, reason: withheld.sentence) }
    let losses = received.problems + passedOver
    let outcome = losses.isEmpty ? CommandResult.Outcome.done : taken == 0 ? .refused : .partly
    let lines = losses + notes
    let reason = lines.isEmpty ? nil : lines.joined(separator: "; ")
    return CommandResult(id: id, action: action, outcome, reason: reason)
  }
}
