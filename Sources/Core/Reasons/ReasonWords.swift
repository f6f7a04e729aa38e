import Model

extension HarshManoeuvre.Kind {
  /// For programs.
  var reasonWord: String {
    switch self {
    case .braking: "harshBraking"
    case .acceleration: "harshAcceleration"
    case .cornering: "harshCornering"
    }
  }

  var sentence: String {
    switch self {
    case .braking: "braked hard"
    case .acceleration: "accelerated hard"
    case .cornering: "cornered hard"
    }
  }
}

extension Interference.Kind {
  /// For programs.
  var overWord: String {
    switch self {
    case .jamming: "jammingOver"
    case .spoofing: "spoofingOver"
    }
  }

  func sentence(_ level: Interference.Level) -> String {
    switch self {
    case .jamming:
      level == .critical
        ? "the receiver is jammed, and has no fix"
        : "the receiver is disturbed by jamming, and still has a fix"
    case .spoofing:
      level == .critical
        ? "the receiver is spoofed, by several signs: its positions may be false"
        : "the receiver may be spoofed: its positions may be false"
    }
  }

  func sentence(over seconds: Double) -> String {
    switch self {
    case .jamming: "the receiver is no longer jammed, after \(whole(seconds)) s"
    case .spoofing: "the receiver is no longer spoofed, after \(whole(seconds)) s"
    }
  }
}

extension TripReport.Cause {
  /// Behind "the trip is over".
  var sentence: String {
    switch self {
    case .parked: "the vehicle is parked"
    case .interrupted: "nothing was seen of it since"
    case .switchedOff: "trips were switched off"
    }
  }
}
