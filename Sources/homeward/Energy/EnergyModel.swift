/// The days that a battery lasts. A day is made of parts: the board drives, is woken for check-ins, and is off in
/// between; each part is a time and what the board draws in it. The figures are its owner's or somebody else's: nothing
/// here knows a board.
struct EnergyModel {
  /// mA at the board's supply.
  struct Draw {
    /// While the tracker runs.
    var on: Double
    /// While it is off, with what stays on then.
    var off: Double
    /// While it starts.
    var starting: Double
  }

  /// How long a check-in takes, from the alarm to the end of power.
  struct OnTime: Equatable {
    enum Origin: String {
      /// Nobody has said it.
      case assumed
      /// By the tracker.
      case measured
      /// Its owner's.
      case given
    }

    /// Of all of it, the start included.
    var seconds: Double
    var origin: Origin

    /// For where nothing better is known.
    static let usual = OnTime(seconds: 120, origin: .assumed)
  }

  struct Day {
    var checkIns: Double
    var onTime: OnTime
    /// Seconds of each check-in in which the board draws what it draws while it starts.
    var startSeconds: Double
    /// In which the battery keeps the board on. A vehicle that charges it meanwhile counts as none.
    var drivingHours: Double
  }

  struct Battery {
    /// mAh at its own voltage.
    var capacity: Double
    var volts: Double
    /// 0...1: what may be taken out of it.
    var usable: Double
    /// 0...1: of the converter between it and the board.
    var efficiency: Double
  }

  struct Part: Equatable {
    enum Name: String {
      case driving
      case starting
      case checkIns = "check-ins"
      case off
    }

    var name: Name
    /// Of a day.
    var hours: Double
    /// mA.
    var current: Double
    /// mAh.
    var charge: Double { hours * current }
  }

  /// Of the board's supply.
  static let boardVolts = 5.0

  var draw: Draw
  var day: Day
  /// Nil: only what a day takes is asked for.
  var battery: Battery?

  /// Of a day in which the board is on. More than 24: there is no such day.
  var hoursOn: Double { day.drivingHours + day.checkIns * day.onTime.seconds / 3600 }

  /// Those that there are, in a day's order.
  var parts: [Part] {
    let starting = day.checkIns * day.startSeconds / 3600
    let parts = [
      Part(name: .driving, hours: day.drivingHours, current: draw.on),
      Part(name: .starting, hours: starting, current: draw.starting),
      Part(
        name: .checkIns, hours: day.checkIns * day.onTime.seconds / 3600 - starting, current: draw.on),
      Part(name: .off, hours: 24 - hoursOn, current: draw.off),
    ]
    return parts.filter { $0.hours > 0 }
  }

  /// mAh of a day at the board.
  var charge: Double { parts.map(\.charge).reduce(0, +) }

  /// mAh of one check-in at the board.
  var checkInCharge: Double {
    (day.startSeconds * draw.starting + (day.onTime.seconds - day.startSeconds) * draw.on) / 3600
  }

  /// mAh of a day at the battery, whose voltage is another; nil: there is none.
  var batteryCharge: Double? {
    battery.map { charge * Self.boardVolts / ($0.volts * $0.efficiency) }
  }

  /// Until what may be taken out of the battery is; nil: there is none, or nothing is drawn from it.
  var days: Double? {
    guard let battery, let batteryCharge, batteryCharge > 0 else { return nil }
    return battery.capacity * battery.usable / batteryCharge
  }
}
