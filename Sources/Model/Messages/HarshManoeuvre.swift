/// A manoeuvre that was harder than allowed.
public struct HarshManoeuvre: Hashable, Sendable {
  /// The direction of its force, as the word of its alarm.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Against the way.
    case braking
    /// Along the way.
    case acceleration
    /// To either side.
    case cornering
  }

  /// Direction of its force.
  public var kind: Kind
  /// Times the standard gravity.
  public var force: Double
  /// The first fix that shows it.
  public var start: TrackPoint

  /// `force` in g.
  public init(kind: Kind, force: Double, start: TrackPoint) {
    self.kind = kind
    self.force = force
    self.start = start
  }
}

/// How often positions come, for what needs many of them.
public struct PositionRate: Hashable, Sendable {
  /// The mean of the last ten seconds.
  public var perSecond: Double
  /// For harsh driving.
  public var isTooLow: Bool

  /// As it was measured.
  public init(perSecond: Double, isTooLow: Bool) {
    self.perSecond = perSecond
    self.isTooLow = isTooLow
  }
}

extension Configuration.Harsh {
  /// In g.
  public func limit(of kind: HarshManoeuvre.Kind) -> Double {
    switch kind {
    case .braking: braking
    case .acceleration: acceleration
    case .cornering: cornering
    }
  }
}
