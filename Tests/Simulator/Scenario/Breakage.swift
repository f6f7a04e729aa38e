import Model

/// Something that is wrong on purpose in the driver, so that a judge has something to bark at.
public enum Breakage: Sendable {
  /// Events are sent like locations, without waiting for the disk.
  case eventsAreNotDurable
  /// The store leaves out a write, and says nothing of it.
  case storeForgetsAWrite
  /// The store says yes to what the disk has not taken.
  case storeLies
  /// Every transition is made a second time, in other words.
  case crossingsAreToldTwice
  /// Every start and stop of a trip, too.
  case tripsAreToldTwice
  /// Whatever goes out goes out a second time, and nothing asks for that.
  case messagesAreSentTwice
  /// The broker's receive maximum is not passed on.
  case windowIsNotTold
  /// The tracker decides by another displacement than people have set.
  case configurationIsNotTold
  /// The store finds its file written by a later version.
  case storeIsNewer
  /// The queue may be as long as it likes.
  case queueLimitIsNotTold
  /// A broker that acknowledges what it never took.
  case brokerForgets
  /// Where one bit flips, a whole stretch does.
  case oneFlipIsMany
  /// Somebody else writes a row into the tables while the board is off.
  case tablesChangeUnseen
  /// Bits flip unnoticed.
  case bitsFlipUnseen
  /// The tracker decides by another accuracy than people have set.
  case accuracyIsNotTold
  /// What is broken when the faults are over and is not repaired.
  case brokerStaysAway, diskStaysBroken, processStaysAway
  /// Where several are acknowledged at once, one more counts as acknowledged.
  case acknowledgementsRunAhead
  /// A filter counts as subscribed when the client has asked for it.
  case askedIsSubscribed
  /// A greeting that never came is no reason to doubt what the next one says of the session.
  case sessionIsTrusted
  /// The client takes no notice of SUBACK.
  case confirmationsAreSwallowed
  /// What is left out is not asked for again while the connection stands.
  case leftOutForGood
  /// Commands reach the board and are not taken.
  case commandsAreSwallowed
  /// The tracker takes no commands, though people have set that it does.
  case commandsAreNotTold
  /// A broker that goes on ending connections over our commands when the faults are over.
  case filterStaysForbidden
  /// What the receiver says reaches no tracker from the second minute on.
  case receiverIsNotHeard
  /// Nothing is heard of the receiver for a while after a wrong time.
  case faultsOfTimeDeafen
  /// The tracker is told to believe every jump.
  case gateIsNotTold
  /// The tracker wants many more fixes to confirm a crossing, or one.
  case confirmationsAreMany, confirmationsAreFew
  /// The tracker tells a place however badly it is known.
  case accuracyIsIgnored
  /// The tracker's signs of life and its move timer come at another pace than people have set.
  case pingIsNotTold, intervalIsNotTold
  /// The tracker goes by another battery, or by another rest, than people have set.
  case downgradeIsNotTold, downgradeIsEager, adaptIsNotTold, restIsNotTold
  /// The tracker steps down for no battery, or for one that is not as low as people have set.
  case stepsAreNotTold, stepsAreEager
  /// The tracker knows no rules of networks, or of times.
  case networkRulesAreNotTold, timeRulesAreNotTold
  /// The tracker takes strays for a beacon that is back.
  case reentryIsNotGuarded
  /// A start finds no region that the board is outside of.
  case sidesAreForgotten
  /// A start knows of no call for help.
  case callsAreForgotten
  /// Nobody tells the tracker that the radio hears nothing.
  case radioHangsUnseen
  /// The tracker waits longer for beacons than people have set.
  case lossTimeoutIsNotTold
  /// Each place is told a second time, as on a connection that has just been made.
  case placesAreToldAgain
  /// The board's clock is ahead, and counts as synchronised.
  case clockIsAhead
  /// More of a store is damaged than is reckoned with, or what tells of places is not thrown away.
  case damageIsNotTold, wipeIsForgotten

  /// It concerns what only some people configure; others are looked for where that is not in the way.
  var isOfFeatures: Bool {
    switch self {
    case .networkRulesAreNotTold, .timeRulesAreNotTold, .stepsAreNotTold, .stepsAreEager: true
    default: false
    }
  }

  func disguise(_ message: Message) -> Message? {
    guard self == .eventsAreNotDurable, message.isEvent else { return nil }
    var disguised = message
    disguised.isEvent = false
    return disguised
  }

  /// What reaches the tracker of a configuration.
  func told(_ configuration: Configuration) -> Configuration {
    var told = configuration
    switch self {
    case .configurationIsNotTold: told.reports.locatorDisplacement += 37
    case .queueLimitIsNotTold: told.queue.limit = 100_000
    case .commandsAreNotTold: told.commands.isOn = false
    case .gateIsNotTold: told.regions.physicsGate = false
    case .confirmationsAreMany: told.regions.confirm += 10
    case .confirmationsAreFew: told.regions.confirm = 1
    case .accuracyIsIgnored: told.reports.ignoreInaccurateLocations = 0
    case .pingIsNotTold: told.reports.ping *= 2
    case .intervalIsNotTold: told.reports.locatorInterval *= 3
    case .downgradeIsNotTold: told.reports.downgrade = min(told.reports.downgrade, 5)
    case .downgradeIsEager: told.reports.downgrade = told.reports.downgrade > 0 ? 99 : 0
    case .adaptIsNotTold: told.reports.adapt *= 4
    case .restIsNotTold: told.reports.adaptRequiresFollow = false
    case .stepsAreNotTold: told.power.batterySteps.text = ""
    case .stepsAreEager: told.power.batterySteps.text = Self.higher(told.power.batterySteps.text)
    case .networkRulesAreNotTold: told.reports.networkModes.text = ""
    case .timeRulesAreNotTold: told.reports.timeModes.text = ""
    case .reentryIsNotGuarded: told.beacons.reentryGuard = 0
    case .lossTimeoutIsNotTold: told.beacons.lossTimeout += told.beacons.lossTimeout > 0 ? 20 : 0
    case .accuracyIsNotTold: told.reports.ignoreInaccurateLocations = 7
    default: break
    }
    return told
  }

  /// Steps as people have set them, each with a limit 15 % higher.
  private static func higher(_ steps: String) -> String {
    let lines = steps.split(separator: "\n").map { line -> String in
      let parts = line.split(separator: "|")
      guard parts.count == 2, parts[1].hasSuffix("%"), let percent = Int(parts[1].dropLast()) else {
        return String(line)
      }
      return "\(parts[0])|\(min(percent + 15, 99))%"
    }
    return lines.joined(separator: "\n")
  }
}

/// The real encoder, whose messages something may be wrong with on purpose.
final class Disguise: ReportEncoder {
  private let encoder: any ReportEncoder
  private let breakage: Breakage?

  init(_ encoder: any ReportEncoder, _ breakage: Breakage?) {
    self.encoder = encoder
    self.breakage = breakage
  }

  func message(for report: Report) -> Message {
    let message = encoder.message(for: report)
    return breakage?.disguise(message) ?? message
  }

  func batch(of messages: [Message]) -> Message { encoder.batch(of: messages) }

  var newsTopics: [String] { encoder.newsTopics }

  func adopting(_ configuration: Configuration, _ form: ClientIDForm) -> any ReportEncoder {
    Disguise(encoder.adopting(configuration, form), breakage)
  }
}

extension World {
  /// The same crossing, made a second later: no byte-identical repeat.
  func tellAgain(_ report: Report) {
    let again: Report
    switch (breakage, report) {
    case (.placesAreToldAgain, .location):
      return PublishedReasons().saw(.told(report, because: .connected), in: self)
    case (.crossingsAreToldTwice, .transition(var transition)):
      transition.accuracy += 1
      again = .transition(transition)
    case (.tripsAreToldTwice, .trip(var trip)):
      trip.odometer = (trip.odometer ?? 0) + 1000
      again = .trip(trip)
    default: return
    }
    let message = process.encoder.encode(again)
    ledger.made(again, message, because: nil, mode: evidence.telling.modeBefore, life: life, at: now)
    ledger.delivered(message, at: now)
  }

  /// What is not as it should be when the faults are over.
  func staysBroken() {
    switch breakage {
    case .brokerStaysAway:
      line.server.isUp = false
      line.server.close()
    case .diskStaysBroken: card.disk.fault = .failing(probability: 1)
    case .processStaysAway: kill()
    case .filterStaysForbidden:
      line.server.forbidden = process.encoder.topics.topic(.command)
      line.server.forgetSession()
      dropConnection(.closedByBroker)
    default: break
    }
  }
}
