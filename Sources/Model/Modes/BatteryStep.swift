/// How far a board goes to spare a battery that runs down (`batterySteps`). Each includes those before it. The numbers are
/// on disks: none is used again for something else.
public enum BatteryStep: UInt8, CaseIterable, Comparable, Hashable, Sendable {
  /// The receiver rests between looks.
  case receiver = 1
  /// The receiver is off: beacons and their regions only.
  case beacons = 2
  /// The board is switched off once it stands, and wakes by itself to check in.
  case checkins = 3
  /// The board is switched off, and does not wake by itself.
  case off = 4

  public static func < (left: BatteryStep, right: BatteryStep) -> Bool { left.rawValue < right.rawValue }

  /// As the configuration and programs have it.
  public var word: String { "\(self)" }
}

/// The steps in force by each battery, as they outlive a restart.
public struct BatterySteps: Hashable, Sendable {
  /// By the board's own; nil: none.
  public var board: BatteryStep?
  /// By the vehicle's; nil: none.
  public var vehicle: BatteryStep?

  /// None.
  public init(board: BatteryStep? = nil, vehicle: BatteryStep? = nil) {
    self.board = board
    self.vehicle = vehicle
  }

  /// The one that counts.
  public var deepest: BatteryStep? { [board, vehicle].compactMap { $0 }.max() }
}

/// Key `batterySteps`: `STEP|LIMIT`, one a line, the limit in percent of the board's own battery (`30%`) or in volts of the
/// vehicle's (`12.2V`).
public struct BatteryLimits: Hashable, Sendable {
  /// Whose level is compared.
  public enum Source: CaseIterable, Hashable, Sendable {
    /// Percent.
    case board
    /// Volts.
    case vehicle
  }

  /// Below it, its step is due.
  public struct Limit: Hashable, Sendable, CustomStringConvertible {
    /// The step that is due.
    public let step: BatteryStep
    /// Whose level.
    public let source: Source
    /// Percent or volts.
    public let level: Double

    /// Nil: another step than the four, or no percentage from 1 to 100, or no voltage from 1 to 60.
    public init?(_ text: some StringProtocol) {
      let parts = text.split(separator: "|", omittingEmptySubsequences: false)
      guard parts.count == 2, let step = BatteryStep.allCases.first(where: { $0.word == parts[0] }),
        let unit = parts[1].last
      else { return nil }
      let number = String(parts[1].dropLast())
      guard number.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") }) else { return nil }
      switch unit {
      case "%":
        guard let percent = Int(number), (1...100).contains(percent) else { return nil }
        (source, level) = (.board, Double(percent))
      case "V":
        guard let volts = Double(number), (1...60).contains(volts) else { return nil }
        (source, level) = (.vehicle, volts)
      default: return nil
      }
      self.step = step
    }

    public var description: String {
      switch source {
      case .board: "\(Int(level))%"
      case .vehicle: level == level.rounded() ? "\(Int(level))V" : "\(level)V"
      }
    }
  }

  /// Why a list is none.
  public struct Fault: Hashable, Sendable {
    /// The limit that does not fit.
    public let text: String
    /// In its place, for people.
    public let expected: String
  }

  /// Of each source in the order of their steps.
  public let limits: [Limit]

  /// Empty where the text says none. Nil: one of the limits is none, or does not fall from step to step.
  public init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
    let limits = lines.compactMap { Limit($0) }
    guard limits.count == lines.count, Self.fault(limits) == nil else { return nil }
    self.limits = Self.sorted(limits)
  }

  /// Nil: the limits are fit to be used together, or one of them is none at all.
  public static func fault(in text: String) -> Fault? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
    let limits = lines.compactMap { Limit($0) }
    return limits.count == lines.count ? fault(limits) : nil
  }

  /// Whether a limit of this source is among them.
  public func name(_ source: Source) -> Bool { limits.contains { $0.source == source } }

  /// Whether they name this step.
  public func name(_ step: BatteryStep) -> Bool { limits.contains { $0.step == step } }

  private static func sorted(_ limits: [Limit]) -> [Limit] {
    Source.allCases.flatMap { source in
      limits.filter { $0.source == source }.sorted { $0.step < $1.step }
    }
  }

  private static func fault(_ limits: [Limit]) -> Fault? {
    let sorted = sorted(limits)
    for (before, limit) in zip(sorted, sorted.dropFirst()) where limit.source == before.source {
      let text = "\(limit.step.word)|\(limit)"
      if limit.step == before.step { return Fault(text: text, expected: "\(limit.step.word) only once") }
      if limit.level >= before.level {
        return Fault(text: text, expected: "a limit below \(before), that of \(before.step.word)")
      }
    }
    return nil
  }
}
