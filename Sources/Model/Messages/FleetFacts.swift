/// Facts that the owner of many boards wants to know of each, for `status` messages.
public struct FleetFacts: Hashable, Sendable {
  /// The file system of the store; nil: not looked at.
  public var disk: DiskRoom?
  /// When the certificate for the server ends, Unix seconds; nil: there is none, or it cannot be read.
  public var certificateEnd: Int?
  /// Of the last update; nil: there was none.
  public var update: UpdateOutcome?
  /// Connections to the server after the first one; nil: there is no server.
  public var reconnects: Reconnects?
  /// Why the last connection, or attempt, ended; nil: none has.
  public var lastEnd: LastEnd?

  /// Nothing is known.
  public init() {}
}

/// Room of a file system.
public struct DiskRoom: Hashable, Sendable {
  /// Bytes that the daemon may still write.
  public var free: Int
  /// Of all of it, bytes.
  public var size: Int

  /// As the kernel has them.
  public init(free: Int, size: Int) {
    self.free = free
    self.size = size
  }

  /// Per cent that are free, rounded down.
  public var percent: Int { size > 0 ? min(100, Int(Double(free) / Double(size) * 100)) : 0 }
}

/// How often the connection came back.
public struct Reconnects: Hashable, Sendable {
  /// Since the daemon's start.
  public var total = 0
  /// Since midnight UTC.
  public var today = 0

  /// None yet.
  public init() {}
}

/// The end of a connection or of an attempt.
public struct LastEnd: Hashable, Sendable {
  /// As in `homeward status`.
  public var word: String
  /// Unix seconds; nil: no clock can be trusted.
  public var time: Int?

  /// `word` for programs.
  public init(word: String, time: Int?) {
    self.word = word
    self.time = time
  }
}

/// Outcome of the last update of the program.
public struct UpdateOutcome: Hashable, Sendable {
  /// How it ended.
  public enum Result: String, CaseIterable, Hashable, Sendable {
    /// The new version runs.
    case good
    /// The new version did no good, and the one before runs.
    case back
    /// Nothing was changed.
    case failed
  }

  /// How it ended.
  public var result: Result
  /// The version that was to be installed.
  public var version: String
  /// Unix seconds.
  public var time: Int

  /// As the updating program has written it down.
  public init(_ result: Result, version: String, time: Int) {
    self.result = result
    self.version = version
    self.time = time
  }
}

/// Why the board says that it is gone.
public enum Departure: String, CaseIterable, Hashable, Sendable {
  /// The program ends, by a person or because the board is switched off.
  case stopped
  /// The board is switched off because the vehicle has been parked for long.
  case parked
  /// The board is switched off because the vehicle's battery is low.
  case batteryLow
  /// A person has ended the connection.
  case disconnected
  /// Other settings: another server or name, or the status is published no more.
  case settings
}

/// Why a check-in ended without what it was for. The numbers are on disks: none is used again for something else.
public enum MissedCheckIn: UInt8, CaseIterable, Hashable, Sendable {
  /// The receiver found no place.
  case noFix = 1
  /// The server was not reached, or did not acknowledge everything.
  case undelivered = 2

  /// For programs.
  public var word: String {
    switch self {
    case .noFix: "noFix"
    case .undelivered: "undelivered"
    }
  }

  /// For people, behind a colon.
  public var sentence: String {
    switch self {
    case .noFix: "the receiver found no place in time"
    case .undelivered: "the server did not acknowledge everything in time"
    }
  }
}

/// Check-ins in a row that were incomplete.
public struct MissedCheckIns: Hashable, Sendable {
  /// How many.
  public var count: Int
  /// Of the last one.
  public var cause: MissedCheckIn

  /// At least one.
  public init(count: Int, cause: MissedCheckIn) {
    self.count = count
    self.cause = cause
  }
}

/// How long a word of presence holds, or why it is the last one.
public struct PresenceNote: Hashable, Sendable {
  /// Of one who goes: why.
  public var departure: Departure?
  /// Seconds after which it is told again at the latest; nil: when there is something to tell.
  public var interval: Int?
  /// Of one who is switched off and wakes by itself: when, Unix seconds.
  public var nextCheckIn: Int?
  /// Of one who has woken to check in: how many check-ins before this one were incomplete, and why the last was.
  public var missed: MissedCheckIns?
  /// How far it has stepped down to spare a battery, in one word; nil: it never does.
  public var batteryStep: String?

  /// Neither.
  public init() {}
}
