import OwnTracks

/// One board of the list: what it said last, and what its silence means.
struct FleetStanding {
  enum State: String, CaseIterable {
    case online
    /// It said how often it speaks, or when it would check in, and has not.
    case overdue
    /// The broker says that it has gone, without a word of its own.
    case vanished
    /// It has said that it goes.
    case stopped
    /// It has said that it is switched off until it is needed.
    case asleep
    /// It is in the folder, and was never heard.
    case never

    /// Somebody ought to look after it.
    var isMissing: Bool { self == .overdue || self == .vanished }
  }

  /// Seconds that a message may be late, besides a quarter of the interval.
  static let patience = 10
  /// Seconds that a check-in may be late: a start, a search for satellites, a network that is away.
  static let checkInPatience = 3600
  /// Reasons of boards that are switched off to save a battery.
  private static let asleep = ["parked", "batteryLow"]

  let topic: String
  /// Nil: never heard.
  let word: FleetWord?
  let state: State

  init(topic: String, _ word: FleetWord?, at now: Int) {
    (self.topic, self.word) = (topic, word)
    state = word.map { Self.state(of: $0, at: now) } ?? .never
  }

  /// The age is what counts: brokers also say of boards that they have gone when they stop themselves, and keep what
  /// boards have said that can no longer say otherwise.
  private static func state(of word: FleetWord, at now: Int) -> State {
    guard word.isOnline else {
      if let next = word.nextCheckIn, now > next + checkInPatience { return .overdue }
      if let reason = word.reason { return asleep.contains(reason) ? .asleep : .stopped }
      return word.isOwn ? .stopped : .vanished
    }
    guard let due = dueTime(of: word) else { return .online }
    return now > due + patience + (word.interval ?? 0) / 4 ? .overdue : .online
  }

  private static func dueTime(of word: FleetWord) -> Int? {
    guard word.isOnline else { return word.nextCheckIn }
    guard let interval = word.interval, let time = word.time else { return nil }
    return time + interval
  }

  /// Since when it is overdue; nil: it is not.
  var overdueSince: Int? { state == .overdue ? word.flatMap(Self.dueTime) : nil }

  /// One for each topic, by topic; those of `known` that nothing was heard of are among them.
  static func all(_ words: [FleetWord], known: [String], at now: Int) -> [FleetStanding] {
    var last: [String: FleetWord] = [:]
    for word in words { last[word.topic] = word }
    let topics = Set(known).union(last.keys).sorted()
    return topics.map { FleetStanding(topic: $0, last[$0], at: now) }
  }
}

extension FleetStanding {
  var answer: JSON {
    var answer: JSON = ["topic": .string(topic), "state": .string(state.rawValue)]
    func number(_ value: Int?) -> JSON? { value.map { .integer(Int64($0)) } }
    answer.set("since", number(overdueSince))
    guard let word else { return answer }
    answer.set("heard", number(word.time))
    answer.set("interval", number(word.interval))
    answer.set("nextCheckIn", number(word.nextCheckIn))
    answer.set("missedCheckIns", number(word.missedCheckIns))
    answer.set("sos", number(word.sos))
    answer.set("reason", word.reason.map { .string($0) })
    answer.set("version", word.version.map { .string($0) })
    answer.set("battery", number(word.battery))
    answer.set("waiting", number(word.waiting))
    answer.set("waitingBytes", number(word.waitingBytes))
    if let disk = word.disk {
      answer.set("disk", ["free": .integer(Int64(disk.free)), "percent": .integer(Int64(disk.percent))])
    }
    answer.set("certificateEnd", number(word.certificateEnd))
    answer.set("lastEnd", word.lastEnd.map { .string($0) })
    if let update = word.update {
      var told: JSON = ["result": .string(update.result), "version": .string(update.version)]
      told.set("tst", number(update.time))
      answer.set("update", told)
    }
    return answer
  }

  /// The cells of a line for people.
  var row: [String] {
    [
      topic, stateText, Readable.text(word?.time.map { Readable.time(Double($0)) }),
      Readable.text(word?.version), Readable.text(word?.battery.map { "\($0) %" }),
      Readable.text(word?.waiting.map { "\($0)" }),
      Readable.text(word?.disk.map { "\($0.percent) % free" }),
      Readable.text(word?.certificateEnd.map { String(Readable.time(Double($0)).prefix(10)) }),
      Readable.text(word?.update.map { "\($0.version) \($0.result)" }),
    ]
  }

  /// Somebody there calls for help; it stays so where the board has gone since.
  var callsForHelp: Bool { word?.sos != nil }

  private var stateText: String { (callsForHelp ? "SOS, " : "") + stateWords }

  private var stateWords: String {
    switch state {
    case .overdue: "overdue since " + (overdueSince.map { Readable.time(Double($0)) } ?? "?")
    case .stopped, .asleep:
      state.rawValue + (word?.reason.map { $0 == state.rawValue ? "" : ": \($0)" } ?? "")
        + (word?.nextCheckIn.map { ", next check-in at " + Readable.time(Double($0)) } ?? "")
    case .never: "never heard"
    case .online, .vanished: state.rawValue
    }
  }

  static let titles = [
    "board", "state", "heard", "version", "battery", "waiting", "disk", "certificate", "last update",
  ]

  /// `20 boards: 18 online, 2 overdue`.
  static func summary(_ boards: [FleetStanding]) -> String {
    let parts = State.allCases.compactMap { state in
      let count = boards.count { $0.state == state }
      return count == 0 ? nil : "\(count) \(state == .never ? "never heard" : state.rawValue)"
    }
    let calls = boards.count(where: \.callsForHelp)
    let help = calls == 0 ? "" : "; SOS from \(calls)"
    return Readable.count(boards.count, "board") + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
      + help
  }
}
