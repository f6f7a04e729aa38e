import Model
import Timebase

/// Which commands the tracker obeys (docs/behaviour.md, "Who is obeyed"). Permission first, then age, then
/// rate: a command that would be refused anyway uses up no turn.
struct CommandPolicy {
  /// Commands in a row, and how long until one more: ten a minute.
  static let burst = 10
  static let turn = Span.seconds(6)
  /// Refusals in a row that are reported to their senders; afterwards as many as commands.
  static let refusalBurst = 30
  static let locationGap = Span.seconds(1)
  /// How far ahead of ours a sender's clock may be, seconds.
  static let clockError = 60.0
  /// Encrypted commands remembered; beyond that, older ones are refused by their time.
  static let memory = 256

  private(set) var seen: [SeenCommand]
  private var turns = RateLimit(burst: CommandPolicy.burst, span: CommandPolicy.turn)
  private var refusals = RateLimit(burst: CommandPolicy.refusalBurst, span: CommandPolicy.turn)
  private var lastLocation: Instant?

  init(seen: [SeenCommand] = []) { self.seen = seen }

  /// Nil: the command may be obeyed, and counts as obeyed.
  mutating func refusal(
    of received: ReceivedCommand, _ configuration: Configuration, wall: WallTime?, at now: Instant
  ) -> CommandRefusal? {
    if let refusal = CommandGate.refusal(
      of: received.command.action, isRetained: received.isRetained, isEncrypted: received.isEncrypted,
      configuration)
    {
      return refusal
    }
    if let refusal = age(of: received, configuration, wall: wall) { return refusal }
    if received.command == .reportLocation, let lastLocation, now - lastLocation < Self.locationGap {
      return .tooMany
    }
    guard turns.take(at: now) else { return .tooMany }
    if received.command == .reportLocation { lastLocation = now }
    if configuration.commands.requireEncrypted, let sent = received.sent {
      remember(.init(digest: received.digest, time: sent.wholeSeconds))
    }
    return nil
  }

  private func age(
    of received: ReceivedCommand, _ configuration: Configuration, wall: WallTime?
  ) -> CommandRefusal? {
    let isStrict = configuration.commands.requireEncrypted
    guard let sent = received.sent else { return isStrict ? .undated : nil }
    let limit = Double(configuration.commands.maxAge)
    if limit > 0 || isStrict {
      guard let wall else { return .undated }
      let age = wall.seconds - sent.seconds
      if age < -Self.clockError || (limit > 0 && age > limit) { return .notOfNow }
    }
    guard isStrict else { return nil }
    if seen.contains(where: { $0.digest == received.digest }) { return .repeated }
    // A forgotten command is older than every remembered one.
    if seen.count == Self.memory, let oldest = seen.map(\.time).min(), sent.wholeSeconds <= oldest {
      return .repeated
    }
    return nil
  }

  /// True if a refusal may be reported to its sender; counts as reported. A flood of refused commands must not
  /// become a flood of answers.
  mutating func mayAnswerRefusal(at now: Instant) -> Bool { refusals.take(at: now) }

  private mutating func remember(_ command: SeenCommand) {
    if seen.count == Self.memory, let oldest = seen.indices.min(by: { seen[$0].time < seen[$1].time }) {
      seen.remove(at: oldest)
    }
    seen.append(command)
    assert(seen.count <= Self.memory, "\(seen.count) commands are remembered")
  }
}
