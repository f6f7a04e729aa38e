import Model

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
