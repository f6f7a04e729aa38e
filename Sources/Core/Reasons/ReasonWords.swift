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
