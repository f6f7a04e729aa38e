import CGPS
import Glibc
import Model
import Timebase

/// Which of gpsd's receivers is used: the one that the configuration names, else the first that
/// has a fix, for as long as it has one. Two receivers side by side differ by metres; changing from
/// one to the other with every report would draw a zigzag.
struct GPSDReceivers {
  struct Receiver {
    let path: String
    /// The same as gpsd's reports have it: compared with every one of them.
    let name: ContiguousArray<CChar>
    var driver = ""
    var isActive = true
    var lastFix: Instant?
    /// Between its last two fixes.
    var interval = Span.zero
    var dilution: (hdop: Double, at: Instant)?
    /// Standard deviations, metres.
    var deviation: (north: Double, east: Double, at: Instant)?
    /// Its places compared with each other.
    var place = RepeatedPlace()

    init(path: String) {
      self.path = path
      name = path.utf8CString
    }

    func isCalled(_ path: UnsafePointer<CChar>) -> Bool {
      name.withUnsafeBufferPointer { $0.baseAddress.map { strcmp($0, path) == 0 } ?? false }
    }
  }

  /// gpsd itself takes 4; more are ignored.
  static let limit = 8
  /// The chosen receiver may be without a fix for so long before another one takes over ...
  static let takeoverDelay = Span.seconds(5)
  /// ... or for this number of its own intervals, where it reports rarely.
  static let takeoverIntervals = 3

  /// The path that the configuration names; empty: whatever gpsd has.
  let wanted: String
  private(set) var known: [Receiver] = []
  private(set) var chosen: Int?

  init(wanted: String) {
    self.wanted = wanted
  }

  /// The index of the receiver with this path; nil: not ours, or one too many.
  mutating func number(of path: UnsafePointer<CChar>) -> Int? {
    for number in known.indices where known[number].isCalled(path) { return number }
    let path = String(cString: path)
    guard wanted.isEmpty || path.isEmpty || path == wanted else { return nil }
    if known.count < Self.limit {
      known.append(Receiver(path: path))
      return known.count - 1
    }
    // One that was plugged out makes room.
    guard let old = known.firstIndex(where: { !$0.isActive }) else { return nil }
    known[old] = Receiver(path: path)
    return old
  }

  /// True: this receiver's report counts.
  mutating func heard(_ number: Int, hasFix: Bool, at now: Instant) -> Bool {
    defer { if hasFix { noteFix(number, at: now) } }
    guard let chosen else {
      if hasFix { self.chosen = number }
      return true
    }
    if chosen == number { return true }
    guard hasFix, isSilent(known[chosen], at: now) else { return false }
    self.chosen = number
    return true
  }

  mutating func noteDeviation(_ number: Int, north: Double, east: Double, at now: Instant) {
    known[number].deviation = (north, east, now)
  }

  /// Whether the place of this report looks as if the receiver only repeated it.
  mutating func look(_ number: Int, at report: hw_gps_report) -> RepeatedPlace.Sign {
    known[number].place.look(
      latitude: report.latitude, longitude: report.longitude, time: report.time, speed: report.speed,
      hasTimeError: report.has_ept)
  }

  /// The receiver has no fix, at this time of its own.
  mutating func lost(_ number: Int, time: Double) {
    known[number].place.lost(time: time)
  }

  /// A receiver's own sentences can only be this one's.
  var isAlone: Bool { known.count { $0.isActive } <= 1 }

  mutating func noteDilution(_ number: Int, hdop: Double, at now: Instant) {
    known[number].dilution = (hdop, now)
  }

  /// True: gpsd has let go the receiver that was believed, or the only one there was.
  mutating func noteDevice(_ number: Int, driver: String, isActive: Bool) -> Bool {
    let wasActive = known[number].isActive
    known[number].isActive = isActive
    if !driver.isEmpty { known[number].driver = driver }
    guard !isActive, wasActive else { return false }
    known[number].lastFix = nil
    let wasChosen = chosen == number
    if wasChosen { chosen = nil }
    return wasChosen || (chosen == nil && !known.contains { $0.isActive })
  }

  /// The chosen one may take so long between two reports.
  var pace: Span {
    chosen.map { Self.pace(of: known[$0]) } ?? .zero
  }

  private static func pace(of receiver: Receiver) -> Span {
    min(Span(nanoseconds: receiver.interval.nanoseconds * Int64(takeoverIntervals)), .minutes(1))
  }

  private mutating func noteFix(_ number: Int, at now: Instant) {
    if let last = known[number].lastFix { known[number].interval = now - last }
    known[number].lastFix = now
  }

  private func isSilent(_ receiver: Receiver, at now: Instant) -> Bool {
    guard let last = receiver.lastFix else { return true }
    return now - last > max(Self.takeoverDelay, Self.pace(of: receiver))
  }
}
