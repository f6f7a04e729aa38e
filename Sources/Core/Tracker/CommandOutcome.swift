import Model

/// The outcome of a command that may be obeyed.
struct CommandOutcome {
  /// It asks for a message, which has a reason of its own.
  private var hasMessage = false
  /// Why there is no message, where it asks for one.
  private var withheld: Reason?
  /// Regions and settings, where it brings such.
  private var taken: Int?
  /// Parts of the command for which there was no room.
  private var passedOver: [String] = []
  /// Remarks for the sender on what is still to come.
  private var notes: [String] = []

  static let done = CommandOutcome()

  /// Nothing of it is done.
  static func refused(_ why: String) -> CommandOutcome {
    var outcome = CommandOutcome()
    (outcome.taken, outcome.passedOver) = (0, [why])
    return outcome
  }

  private init() {}

  /// It asks for one message.
  init(_ outcome: Tracker.Outcome) {
    hasMessage = true
    if case .withheld(let reason) = outcome { withheld = reason }
  }

  /// It brings a list of regions, of which this many could be read.
  static func merged(_ counts: Tracker.MergeCounts, of entries: Int) -> CommandOutcome {
    var outcome = CommandOutcome()
    outcome.took(entries, counts)
    return outcome
  }

  /// It changes settings, and may bring regions as well. `without`: why one of them was not taken.
  static func changed(
    _ change: SettingsChange, _ counts: Tracker.MergeCounts, isOnTrial: Bool, without refusal: String? = nil
  ) -> CommandOutcome {
    var outcome = CommandOutcome()
    if let refusal { outcome.passedOver.append(refusal) }
    let settings = change.settings.count + (change.monitoring == nil ? 0 : 1)
    outcome.took(settings + change.waypoints.count, counts)
    if isOnTrial {
      let seconds = Int(SettingsLayers.trialSpan.seconds)
      outcome.notes.append("on trial: taken back after \(seconds) s unless the server takes a message")
    }
    return outcome
  }

  private mutating func took(_ count: Int, _ counts: Tracker.MergeCounts) {
    taken = count - counts.refused
    guard counts.refused > 0 else { return }
    let regions = counts.refused == 1 ? "1 region was" : "\(counts.refused) regions were"
    passedOver.append("\(regions) not taken: a board keeps at most \(Region.room)")
  }

  /// For its sender.
  func result(of received: ReceivedCommand, _ id: CommandID) -> CommandResult {
    let action = received.command.action
    if let withheld { return CommandResult(id: id, action: action, .refused, reason: withheld.sentence) }
    let lines = losses(of: received) + notes
    let reason = lines.isEmpty ? nil : lines.joined(separator: "; ")
    return CommandResult(id: id, action: action, outcome(of: received), reason: reason)
  }

  /// For those who ask why; nil: what it asked for has said so.
  func reason(of received: ReceivedCommand) -> Reason? {
    if hasMessage { return nil }
    let action = received.command.action
    let why = Self.brief(losses(of: received).joined(separator: "; "))
    return switch outcome(of: received) {
    case .done: .commandObeyed(action: action)
    case .partly: .commandPartly(action: action, why: why)
    case .refused: .commandSenseless(action: action, why: why)
    }
  }

  /// As much of a text by others as a line of a list has room for.
  static func brief(_ text: String) -> String {
    guard text.unicodeScalars.count > 200 else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(200))) + "…"
  }

  private func losses(of received: ReceivedCommand) -> [String] { received.problems + passedOver }

  private func outcome(of received: ReceivedCommand) -> CommandResult.Outcome {
    losses(of: received).isEmpty ? .done : taken == 0 ? .refused : .partly
  }
}
