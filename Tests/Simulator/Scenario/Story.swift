import Core
import Model

// How a run is told to people who look into one seed.

extension StoreWrite {
  /// What it is about, for stories.
  var summary: String {
    switch self {
    case .insert(let message): "\(message.isEvent ? "event" : "location") \(message.sequence)"
    case .remove(let sequences): "remove \(sequences)"
    case .journey(let journey):
      "journey of \(Int(journey.odometer)) m, "
        + (journey.trip.map { "trip of \($0.start.time.wholeSeconds) to \($0.last.time.wholeSeconds)" }
          ?? "no trip")
    case .region(let region, let presence): "\(region.name) \(presence)"
    case .removeRange, .regionRemoved, .mode, .position, .reference, .history, .pruneHistory, .removePoints,
      .tag,
      .imported, .dropped, .remoteSettings, .commandsSeen, .clientIDForm, .entered, .announced, .volume,
      .sleep, .batterySteps:
      "\(self)".prefix { $0 != "(" }.description
    }
  }
}

extension Event {
  /// The same for what the store answers.
  var summary: String {
    switch self {
    case .loaded(let messages): "loaded \(messages.map(\.sequence))"
    case .indexed(let page): "indexed \(page.map(\.sequence))"
    default: "\(self)"
    }
  }
}

extension Reason {
  /// One a second: of no use in a story.
  var isEveryday: Bool {
    switch self {
    case .tooNear, .tooSoon, .modeIsQuiet, .modeIsManual: true
    default: false
    }
  }
}
