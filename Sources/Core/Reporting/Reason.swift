import Model

/// Why something was published, or was not. `homeward why` prints the sentence, the replay the word
/// and the details; both come from here and nowhere else.
public enum Reason: Hashable, Sendable {
  // Published
  case firstFix
  case moved(metres: Double, needed: Double)
  case movedAndWaited(metres: Double, seconds: Double)
  case intervalElapsed(seconds: Double)
  case pingDue(isPositionOld: Bool)
  case crossed(region: String, Crossing, metres: Double?)
  case leftFollow(region: String)
  case beaconHeard(region: String, major: Int, minor: Int, rssi: Int?)
  case beaconLost(region: String, seconds: Double)
  case beaconFar(region: String, metres: Double)
  case ranged(region: String, metres: Double, before: Double?)
  case asked
  case askedRemotely
  case connected
  case powerFailing
  /// The board is about to be switched off.
  case haltingSoon(HaltCause)
  case regionChanged(region: String)
  case introduced
  case turned(degrees: Double, metres: Double)
  case speedChanged(before: Double, now: Double)
  case tripBegan(metres: Double)
  case tripEnded(metres: Double, seconds: Double, TripReport.Cause)
  case towed(metres: Double)
  case tooFast(speed: Double, limit: Int, region: String?)
  case slowAgain(top: Double, limit: Int)
  case commandAnswered(action: String)
  case commandObeyed(action: String)

  // Withheld
  case noFix(mode: Int)
  case noTime
  case noCoordinates
  case nullIsland
  case noAccuracy
  case dateRefused(time: Double)
  case clockUntrusted
  case notNewer(time: Double, last: Double)
  case tooNear(metres: Double, needed: Double)
  case tooSoon(seconds: Double, needed: Double)
  case inaccurate(metres: Double, limit: Double)
  case modeIsQuiet
  case modeIsManual
  case noIdentity
  case implausibleJump(metres: Double, possible: Double)
  case samePosition
  case notConfirmed(region: String, seen: Int, needed: Int)
  case heldDown(region: String)
  case reentered(region: String)
  case neverAnyFix
  case offline
  case followInMove(region: String)
  case sameTime(time: Int)
  case strayBeacon(region: String, packets: Int)
  case beaconElsewhere(region: String, metres: Double)
  case notConnected
  case noTrip(metres: Double)
  case ignitionIsOn
  case commandRefused(action: String, CommandRefusal)
  /// `isRefused`: the server was there, and refused what it was sent. `seconds` since the change.
  case configurationRolledBack(isRefused: Bool, seconds: Double)

  /// A stable word for programs.
  public var word: String {
    switch self {
    case .firstFix: "firstFix"
    case .moved: "moved"
    case .movedAndWaited: "movedAndWaited"
    case .intervalElapsed: "intervalElapsed"
    case .pingDue: "pingDue"
    case .crossed: "crossed"
    case .leftFollow: "leftFollow"
    case .beaconHeard: "beaconHeard"
    case .beaconLost: "beaconLost"
    case .beaconFar: "beaconFar"
    case .ranged: "ranged"
    case .asked: "asked"
    case .askedRemotely: "askedRemotely"
    case .connected: "connected"
    case .powerFailing: "powerFailing"
    case .haltingSoon: "haltingSoon"
    case .regionChanged: "regionChanged"
    case .turned: "turned"
    case .speedChanged: "speedChanged"
    case .tripBegan: "tripBegan"
    case .tripEnded: "tripEnded"
    case .towed: "towed"
    case .tooFast: "tooFast"
    case .slowAgain: "slowAgain"
    case .noFix: "noFix"
    case .noTime: "noTime"
    case .noCoordinates: "noCoordinates"
    case .nullIsland: "nullIsland"
    case .noAccuracy: "noAccuracy"
    case .dateRefused: "dateRefused"
    case .clockUntrusted: "clockUntrusted"
    case .notNewer: "notNewer"
    case .tooNear: "tooNear"
    case .tooSoon: "tooSoon"
    case .inaccurate: "inaccurate"
    case .modeIsQuiet: "modeIsQuiet"
    case .modeIsManual: "modeIsManual"
    case .noIdentity: "noIdentity"
    case .implausibleJump: "implausibleJump"
    case .samePosition: "samePosition"
    case .notConfirmed: "notConfirmed"
    case .heldDown: "heldDown"
    case .reentered: "reentered"
    case .neverAnyFix: "neverAnyFix"
    case .offline: "offline"
    case .followInMove: "followInMove"
    case .sameTime: "sameTime"
    case .strayBeacon: "strayBeacon"
    case .beaconElsewhere: "beaconElsewhere"
    case .notConnected: "notConnected"
    case .introduced: "introduced"
    case .noTrip: "noTrip"
    case .ignitionIsOn: "ignitionIsOn"
    case .commandAnswered: "commandAnswered"
    case .commandObeyed: "commandObeyed"
    case .commandRefused: "commandRefused"
    case .configurationRolledBack: "configurationRolledBack"
    }
  }
}

extension Reason {
  /// Whether a person would call the two the same: two refused commands only where nothing differs.
  func isSameMatter(as other: Reason) -> Bool {
    if case .commandRefused = self { return self == other }
    return word == other.word
  }
}

/// The last hundred reasons, the newest last. The same withheld reason again only counts up: at one
/// fix a second "too near" would otherwise push out everything of interest within two minutes. So does
/// ranging, which may publish every second.
public struct Journal: Sendable {
  public struct Entry: Hashable, Sendable {
    public var reason: Reason
    public var isPublished: Bool
    /// Wall time of the last occurrence, Unix seconds; nil while no clock could be trusted.
    public var time: Double?
    public var count: Int
  }

  /// A hundred are what `homeward why` promises; 100 entries cost about 10 kB.
  public static let limit = 100
  private var ring: [Entry] = []
  /// Of `ring` once it is full and goes round.
  private var oldest = 0

  public init() {}

  public var entries: [Entry] { Array(ring[oldest...] + ring[..<oldest]) }

  mutating func note(_ reason: Reason, isPublished: Bool, time: Double?) {
    let isRanging = if case .ranged = reason { true } else { false }
    if !isPublished || isRanging, let position = position(of: reason, isRanging: isRanging) {
      ring[position].reason = reason
      ring[position].time = time
      ring[position].count += 1
      return
    }
    let entry = Entry(reason: reason, isPublished: isPublished, time: time, count: 1)
    if ring.count < Self.limit {
      ring.append(entry)
    } else {
      ring[oldest] = entry
      oldest = (oldest + 1) % Self.limit
    }
  }

  /// The entry that only has to count up. Withheld reasons are gathered between two published ones.
  private func position(of reason: Reason, isRanging: Bool) -> Int? {
    for age in 1..<(ring.count + 1) {
      let position = (oldest + ring.count - age) % ring.count
      let entry = ring[position]
      if entry.isPublished, !isRanging { return nil }
      if entry.reason.isSameMatter(as: reason) { return position }
    }
    return nil
  }
}
