import Core
import Model
import Timebase

/// What the vehicle truly does, beside the circles that the tracker looks at: what crosses while it stands, and what is
/// told too late. Kept by the world.
struct Watch {
  /// A vehicle that comes to rest is where it is known to be after this, seconds: it has to be seen to rest, and its
  /// mean place decides after 20 s and after 60.
  static let arrival = (speaking: 95.0, silent: 125.0)
  /// After a start or a gap the first fixes tell what is so, seconds.
  static let start = 80.0
  /// A crossing is told so long after it is beyond doubt: of a vehicle that drives, where every fix is right, beside a
  /// second for each fix that has to confirm it; and of any other, as the one that is pushed.
  static let lateness = (driving: 1.5, others: 75.0)
  /// So long it has to be on one side before that is known, and to have driven before it counts as driving, seconds.
  static let known = (drives: 5.0, afterNoise: 40.0, clear: 20.0)
  static let drive = 30.0
  /// Metres a second.
  private static let crawl = 6.0
  /// Who has stood for so long, seconds, and is so far from there, metres, where the receiver tells speeds and has no more
  /// noise than it says, is known to drive: what it crosses is told as quickly, give or take.
  static let departure = (stood: 100.0, metres: 30.0, lateness: 2.0)
  /// Greater noise than this, metres, may be 50 m off after a gap.
  static let loud = 36.0

  fileprivate struct Circle {
    var region: Region
    /// On which side it is, beyond doubt, and since when.
    var clear: (isInside: Bool, since: Instant)?
    /// The side that the tracker has to know.
    var known: Bool?
    /// Told since that was so.
    var told: Crossing?
    /// When it became another one, and how long that may take to be told, seconds.
    var crossed: (at: Instant, allowed: Double)?
    /// The same of who has only just set out.
    var isDueSince: Instant?
    /// It may have been learnt from a wrong place, until it is seen to cross.
    var isMisled: Bool
  }

  private(set) var standsSince: Instant?
  private(set) var drivesSince: Instant?
  /// Where it stood last, and for how long, seconds.
  private var stand: (place: Point, seconds: Double)?
  fileprivate var circles: [Circle] = []
  /// What the circles were taken from.
  fileprivate var breaks = -1
  /// The greatest noise of this stand.
  fileprivate(set) var loudest = 0.0
  /// Where it stood there was noise: what it crossed as it came may be told as it leaves.
  private var wasLoudUntil = Instant.zero
  /// Of a driver that is wrong on purpose.
  fileprivate var deafUntil = Instant.zero

  /// `tellsSpeed`: the receiver does. Without, who turns round may look like who stands.
  mutating func drives(_ speed: Double, from place: Point, tellsSpeed: Bool, at now: Instant) {
    if speed == 0 { stand = (place, standsSince.map { (now - $0).seconds } ?? 0) }
    if speed > 0 {
      if loudest > 0 { wasLoudUntil = now + .seconds(Self.known.afterNoise) }
      (standsSince, drivesSince, loudest) = (nil, drivesSince ?? now, 0)
    } else {
      (standsSince, drivesSince) = (standsSince ?? now, nil)
    }
    if !tellsSpeed, speed < Self.crawl { drivesSince = nil }
  }

  /// Surely known to have set out.
  fileprivate func hasDeparted(to place: Point) -> Bool {
    stand.map { $0.seconds > Self.departure.stood && $0.place.distance(to: place) > Self.departure.metres }
      ?? false
  }

  fileprivate mutating func forget() { (circles, breaks) = ([], -1) }

  /// So long it has to drive before it is known where it is, seconds.
  fileprivate func patience(at now: Instant) -> Double {
    now < wasLoudUntil ? Self.known.afterNoise : Self.known.drives
  }

  fileprivate mutating func told(_ rid: String, _ crossing: Crossing) {
    for index in circles.indices where circles[index].region.rid == rid { circles[index].told = crossing }
  }
}

extension World {
  /// Once a second.
  func watch(_ truth: Road.Position) {
    watch.loudest = max(watch.loudest, receiver.ground.reach.standing)
    ledger.reach(receiver.ground.reach.standing, since: BoardClock.truth(now).wholeSeconds)
    guard isRunning, !isStopping, takingUp == nil, !ledger.blindLives.contains(life), let tracker,
      configuration.receiver.dutyCycle == 0, tracker.mode.mode != .quiet, !isVeiled,
      !receiver.haze.isNear(now), let heard = receiver.heard, (now - heard.last).seconds < 2,
      (now - heard.since).seconds > Watch.start
    else { return watch.forget() }
    if watch.breaks != ledger.breaks.count {
      watch.breaks = ledger.breaks.count
      watch.circles = tracker.knownRegions.map(\.region).filter {
        $0.kind == .circular && $0.isMonitored && !$0.isFollow
      }.map {
        Watch.Circle(region: $0, isMisled: ledger.isMisled(about: $0.rid, before: ledger.made.count))
      }
    }
    let place = truth.point.coordinate
    let hasDeparted = watch.hasDeparted(to: truth.point) && isPlain
    // Each on its own: what looks at it reads the rest of the watch.
    for index in watch.circles.indices {
      var circle = watch.circles[index]
      look(&circle, place)
      lookAtDeparture(&circle, hasDeparted)
      watch.circles[index] = circle
    }
  }

  private func look(_ circle: inout Watch.Circle, _ place: Coordinate) {
    let region = circle.region
    guard let isInside = side(of: region, place) else {
      (circle.clear, circle.crossed) = (nil, nil)
      return
    }
    let wait = wait(of: region, isInside ? .enter : .leave)
    if circle.clear?.isInside != isInside {
      if circle.isMisled, circle.clear != nil { circle.isMisled = false }
      circle.clear = (isInside, now)
    }
    // Fixes that were wrong meanwhile confirm nothing.
    circle.crossed = circle.crossed.map { ($0.at, max($0.allowed, lateness)) }
    if let crossed = circle.crossed, now > crossed.at + .seconds(crossed.allowed + wait) {
      circle.crossed = nil
      let event: Crossing = isInside ? .enter : .leave
      if circle.told != event {
        ledger.complain(.prompt, "\(event) of \(region.name) is not told yet", at: now)
      }
      (circle.known, circle.told) = (isInside, nil)
      return
    }
    if circle.known == isInside {
      circle.crossed = nil
    } else if circle.known != nil {
      circle.crossed = circle.crossed ?? (now, lateness)
    } else if let drives = watch.drivesSince, let since = circle.clear?.since,
      !circle.isMisled, (now - drives).seconds > watch.patience(at: now),
      (now - since).seconds > Watch.known.clear + wait
    {
      (circle.known, circle.told) = (isInside, nil)
    }
  }

  /// Every fix has been right since long before it set out.
  private var isPlain: Bool {
    guard receiver.ground.tellsSpeed, receiver.ground.reach.standing == 0, let sound = receiver.soundSince,
      let drives = watch.drivesSince
    else { return false }
    return (drives - sound).seconds > Watch.departure.stood
  }

  /// What is crossed beyond doubt by who has just set out.
  private func lookAtDeparture(_ circle: inout Watch.Circle, _ hasDeparted: Bool) {
    guard hasDeparted, circle.crossed != nil, let isInside = circle.clear?.isInside, !circle.isMisled else {
      circle.isDueSince = nil
      return
    }
    let since = circle.isDueSince ?? now
    circle.isDueSince = since
    let event: Crossing = isInside ? .enter : .leave
    let wait = wait(of: circle.region, event)
    let allowed = Watch.departure.lateness + Double(configuration.regions.confirm) + wait
    guard (now - since).seconds > allowed, circle.told != event else { return }
    (circle.isDueSince, circle.crossed, circle.known, circle.told) = (nil, nil, isInside, nil)
    ledger.complain(
      .prompt, "\(event) of \(circle.region.name) is not told yet, \(allowed) s after it set out", at: now)
  }

  /// Of a crossing, as the last half minute was.
  private var lateness: Double {
    let confirmations = Double(configuration.regions.confirm)
    guard let drives = watch.drivesSince, (now - drives).seconds > Watch.drive,
      let sound = receiver.soundSince, (now - sound).seconds > Watch.drive
    else { return Watch.lateness.others }
    return Watch.lateness.driving + confirmations
  }

  private func side(of region: Region, _ place: Coordinate) -> Bool? {
    let reach = watch.standsSince == nil ? receiver.ground.reach.driving : receiver.ground.reach.standing
    let doubt = 14 + reach
    let beyond = region.coordinate.distance(to: place) - region.radius
    if beyond < -doubt { return true }
    return beyond > doubt + 18 ? false : nil
  }

  /// Seconds that people let a crossing wait.
  private func wait(of region: Region, _ crossing: Crossing) -> Double {
    let hold = region.isHoldDown ? Double(configuration.regions.holdDown) : 0
    return hold + (crossing == .enter ? Double(region.dwell ?? 0) : 0)
  }

  // MARK: What is told

  func judge(crossing report: Report, because reason: Reason?) {
    guard case .transition(let transition) = report, transition.region.kind == .circular,
      !transition.region.isFollow
    else { return }
    watch.told(transition.region.rid, transition.crossing)
    // Its region was changed or removed, or it was left long before.
    if case .leftSince = reason { return }
    guard !ledger.isMisled(about: transition.region.rid, before: ledger.made.count),
      let stands = watch.standsSince, configuration.receiver.dutyCycle == 0,
      !ledger.blindLives.contains(life), let (heard, last) = receiver.heard, (now - last).seconds <= 5,
      !receiver.haze.isSeen(since: stands - .seconds(30))
    else { return }
    let wait = wait(of: transition.region, transition.crossing)
    let arrival = receiver.ground.tellsSpeed ? Watch.arrival.speaking : Watch.arrival.silent
    let isLate = (now - stands).seconds > arrival + wait
    // Not seen for a while: what is far off then is believed, and noise may be.
    let isUnseen = heard > stands - .seconds(30)
    if isUnseen, watch.loudest > Watch.loud || (now - heard).seconds <= Watch.start + wait { return }
    if isLate {
      let speaks = receiver.ground.tellsSpeed ? "with speeds" : "without speeds"
      let word = "\(transition.crossing) of \(transition.region.name), \(receiver.ground.story) \(speaks)"
      ledger.complain(.standing, "\(word), \(Int((now - stands).seconds)) s after it came to rest", at: now)
    }
  }

  /// Whether what comes now is swallowed, because a wrong time came shortly before.
  func isDeafened() -> Bool {
    if now == receiver.time.trueSince { watch.deafUntil = now + .seconds(50) }
    return now < watch.deafUntil
  }
}
