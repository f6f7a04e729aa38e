import OwnTracks

/// The output of `homeward energy`, for people and for programs.
struct EnergyText {
  var model: EnergyModel

  /// A table of the day, and what follows from it.
  var text: String {
    var table = Table()
    table.add("part", "hours a day", "mA", "mAh a day")
    for part in model.parts {
      table.add(part.name.rawValue, hours(part.hours), Readable.number(part.current), charge(part.charge))
    }
    table.add("the day", hours(24), "", charge(model.charge))
    return ([table.text, ""] + notes).joined(separator: "\n")
  }

  private var notes: [String] {
    var notes: [String] = []
    if model.day.checkIns > 0 {
      let onTime = model.day.onTime
      notes.append(
        "A check-in of \(Readable.number(onTime.seconds)) s\(Self.words(onTime.origin)): "
          + "\(charge(model.checkInCharge)) mAh.")
    }
    guard let battery = model.battery, let daily = model.batteryCharge else { return notes }
    notes.append(
      "At the battery of \(Readable.number(battery.volts)) V, by a converter that passes "
        + "\(percent(battery.efficiency)) %: \(charge(daily)) mAh a day.")
    notes.append(
      "\(percent(battery.usable)) % of its \(Readable.number(battery.capacity)) mAh last \(Self.days(model.days))."
    )
    return notes
  }

  private static func words(_ origin: EnergyModel.OnTime.Origin) -> String {
    switch origin {
    case .assumed: ", assumed and not measured"
    case .measured: ", as the tracker has measured it"
    case .given: ""
    }
  }

  /// Rounded down: nobody is to be promised a day too many.
  static func days(_ days: Double?) -> String {
    guard let days else { return "no end: nothing is drawn" }
    if days < 10 { return "\(Readable.number((days * 10).rounded(.down) / 10)) days" }
    return "\(Readable.number(days.rounded(.down))) days"
  }

  private func hours(_ hours: Double) -> String { Readable.number(hours, decimals: 2) }
  private func charge(_ charge: Double) -> String { Readable.number(charge) }
  private func percent(_ share: Double) -> String { Readable.number(share * 100) }

  /// Numbers as they are, not as they are shown.
  var json: JSON {
    let checkIn: JSON = [
      "seconds": .real(model.day.onTime.seconds), "from": .string(model.day.onTime.origin.rawValue),
      "mAh": .real(model.checkInCharge),
    ]
    let parts = model.parts.map { part -> JSON in
      [
        "part": .string(part.name.rawValue), "hours": .real(part.hours), "mA": .real(part.current),
        "mAh": .real(part.charge),
      ]
    }
    return [
      "parts": .array(parts), "checkIn": checkIn, "mAh": .real(model.charge),
      "batteryMAh": model.batteryCharge.map { .real($0) } ?? .null,
      "days": model.days.map { .real($0) } ?? .null,
    ]
  }
}
