import Model
import Timebase

/// Whether a crossing can be one: a vehicle that stands crosses nothing, whatever places its receiver reports. Asked
/// with every fix; it keeps numbers, and no fixes but the last.
///
///     unknown ──first fix──▶ standing                                                          arrived
///     standing ──20 m off, and the speeds on the way make up for half of it──▶ moving          free
///     standing ──no speeds, and far beyond the noise within 90 s, step by step──▶ moving       free
///     standing ──slowly, and the speeds of minutes make up for the way (`SlowMovement`)──▶ moving   free
///     standing ──far off after a pause, or for ten minutes (half a minute old: at once)──▶ standing there  arrived
///     standing ──20 s after it came to rest, and a minute after──▶ standing                    settled
///     moving   ──slow, or in one place for 20 s (60 s where it reports speeds), and not
///                on a slow way──▶ standing                                                     held
///
/// How far the noise reaches is learnt while it stands, because claims of accuracy are no measure of it. `Movement`
/// counts metres and trips, which may come late and must not be wrong by one; here seconds count.
struct Standstill {
  /// How regions may use a fix.
  enum Verdict: Hashable {
    /// It moves: the fix counts.
    case free
    /// The way here was not seen: the first side seen of each region counts.
    case arrived
    /// The same, a few fixes later.
    case arriving
    /// It stands; `metres` from where it came to rest.
    case held(metres: Double)
    /// It has come to rest, and this is where, better known than by one fix.
    case settled(Fix)
    /// It moves, and an unexplained jump is only this many seconds old.
    case leapt(seconds: Double)

    /// It was seen to stand.
    var isStanding: Bool {
      switch self {
      case .held, .settled: true
      case .free, .arrived, .arriving, .leapt: false
      }
    }
  }

  /// Fixes further apart than this show nothing of the way between, and a silence this long makes an arrival, seconds.
  static let pause = (short: 10.0, long: 300.0)
  /// A worse fix counts only where even its error leaves no doubt, metres.
  static let worst = 100.0
  /// Least displacement of a departure that speeds explain, metres, and the share of it they have to explain; nor may
  /// they add up to much more than the way: then they are noise, too.
  static let departure = (metres: 20.0, explained: 0.5, straight: 0.4)
  /// This much explained is enough, metres: the way made while fixes were refused is not explained.
  static let enough = 100.0
  /// Metres a second above which speeds count; the speeds reported of a vehicle that stands are added.
  static let pace = (sets: 0.6, rests: 0.5)
  /// Far beyond any noise: metres, and in learnt deviations of places and of smoothed places.
  static let far = (metres: 50.0, places: 3.0, smooth: 4.0)
  /// Time within which it has to get there from half-way, seconds, where no speeds are reported.
  static let progress = 90.0
  /// How long it has to stay elsewhere before that is believed, and how young a place may be doubted, seconds.
  static let elsewhere = (lasts: 600.0, young: 30.0)
  /// With no more fixes than this a place is young, however far apart they are.
  static let first = 3
  /// Farther than any drift, metres.
  static let farther = 2000.0
  /// Time at rest until its place is known well enough, and once more for what was too near to tell, seconds.
  static let rests = [20.0, 60]
  /// After this long in one place it rests, seconds: without speeds, and with.
  static let lingering = (silent: 20.0, speaking: 60.0)
  /// How long after a jump a moving receiver changes no region, seconds.
  static let leap = 60.0
  /// Steps in a row that no vehicle takes from a standstill: so it was not standing.
  static let strides = 15

  private struct Stand {
    var since: WallTime
    /// Not seen to come to rest.
    var isArrival: Bool
    /// How often its place was reported.
    var decided: Int
    /// The first side seen of each region has counted.
    var hasArrived: Bool
    var fixes = 1
    /// Its place, and the seconds averaged for it.
    var anchor: Metres
    var weight: Double
    /// Sum of steps since then that no vehicle makes.
    var jumped = Metres()
    /// The part of them that the smoothed place has not followed yet.
    var lag = Metres()
    var strides = 0
    /// The way by the speeds of the last minute, metres.
    var explained = 0.0
    /// When it was half as far as movement needs.
    var outbound: WallTime?
    var elsewhere: (place: Metres, first: WallTime, since: WallTime)?
  }

  private enum State {
    case unknown
    case standing(Stand)
    /// `rest`: where it last was for a while, and since when.
    case moving(rest: Metres, since: WallTime)
  }

  private var state = State.unknown
  private var last: Fix?
  /// When the last fix came, refused or not.
  private var seen: WallTime?
  /// Origin of the metres, and metres of a degree of longitude there.
  private var origin: Coordinate?
  private var scale = 0.0
  private var place = Metres()
  private var smooth = Metres()
  /// Mean of the last seconds, metres a second, and when a speed was last reported.
  private var speed = 0.0
  private var spoke: WallTime?
  /// Metres a second of the last step; 0 where it was a jump.
  private var stride = 0.0
  private var leapt: WallTime?
  private var noise = Noise()
  private var slow = SlowMovement()

  /// When it set out, if it moves too slowly for a single speed to show it; nil: it does not.
  var onSlowWaySince: WallTime? { slow.underWaySince }

  // MARK: Input

  /// `isGated`: a place far off has to be explained, or to last. `isLeap`: a jump that has lasted ends here.
  mutating func consider(_ fix: Fix, isGated: Bool, isLeap: Bool) -> Verdict {
    defer { seen = fix.time }
    guard let last, fix.time > last.time else {
      slow.forget()
      return begin(at: fix)
    }
    let seconds = (fix.time - last.time).seconds
    let here = metres(of: fix.coordinate)
    if fix.accuracy > Self.worst, (here - place).length < 3 * fix.accuracy { return present(at: fix.time) }
    let step = here - place
    (place, self.last) = (here, fix)
    // A fix refused in between does not confirm this one.
    let silence = min(seconds, (fix.time - (seen ?? last.time)).seconds)
    smooth = smooth + (here - smooth) * (silence / (silence + 5))
    if let reported = fix.speed {
      speed += (reported - speed) * (seconds / (seconds + 2))
      spoke = fix.time
    }
    if isLeap { leapt = fix.time }
    slow.go(to: smooth, fix, after: seconds, noise)
    switch state {
    case .unknown: return begin(at: fix)
    case .moving(let rest, let since):
      // It may stop before the smoothed place has caught up.
      if isLeap { smooth = here }
      return move(rest, since, fix, after: seconds)
    case .standing(var stand):
      if let verdict = unseen(stand, fix, after: silence, isGated: isGated) {
        return verdict
      }
      if departs(&stand, fix, step, after: seconds, silence) || slow.underWaySince != nil {
        state = .moving(rest: smooth, since: fix.time)
        leapt = nil
        return .free
      }
      return stay(&stand, fix, after: min(silence, 60))
    }
  }

  /// A fix that is not believed: it may be anywhere, but the receiver has not been silent.
  mutating func refused(_ fix: Fix) { seen = max(seen ?? fix.time, fix.time) }

  /// Whether speeds have been reported lately.
  private func isSpeaking(at time: WallTime) -> Bool {
    spoke.map { (time - $0).seconds <= Self.pause.short } ?? false
  }

  private func present(at time: WallTime) -> Verdict {
    switch state {
    case .unknown: .arrived
    case .standing(let stand): .held(metres: (smooth - stand.anchor).length)
    case .moving: leapt.map { .leapt(seconds: (time - $0).seconds) } ?? .free
    }
  }

  /// Begins a stand here, however it came; if it rolled on from here, that shows a minute later.
  private mutating func begin(
    at fix: Fix, since: WallTime? = nil, decided: Int = Self.rests.count - 1
  ) -> Verdict {
    if origin != nil { slow.moveOrigin(to: metres(of: fix.coordinate)) }
    origin = fix.coordinate
    scale = Metres.perDegree * fix.coordinate.latitudeCosine
    (place, smooth, last, leapt) = (Metres(), Metres(), fix, nil)
    state = .standing(
      Stand(
        since: since ?? fix.time, isArrival: true, decided: decided, hasArrived: decided > 0,
        anchor: Metres(), weight: 1))
    return .arrived
  }

  // MARK: Standing

  /// It is at a place to which it was not seen to go.
  private mutating func unseen(
    _ stand: Stand, _ fix: Fix, after seconds: Double, isGated: Bool
  ) -> Verdict? {
    let away = (place - stand.anchor).length
    let far = max(Self.far.metres, Self.far.places * noise.places)
    if seconds > Self.pause.short || !isGated {
      return away >= max(far, fix.accuracy) ? begin(at: fix) : nil
    }
    let age = (fix.time - stand.since).seconds
    guard stand.isArrival, age <= Self.elsewhere.young else { return nil }
    if leapt == fix.time { return away >= far ? begin(at: fix, since: stand.since) : nil }
    guard (smooth - stand.anchor).length >= far else { return nil }
    if isSpeaking(at: fix.time) { return begin(at: fix, since: stand.since, decided: 0) }
    // Without speeds it may go on for as long as it likes, and has yet to come to rest.
    guard stand.decided == 0 else { return begin(at: fix, decided: 0) }
    state = .moving(rest: smooth, since: fix.time)
    return .free
  }

  private mutating func departs(
    _ stand: inout Stand, _ fix: Fix, _ step: Metres, after seconds: Double, _ silence: Double
  ) -> Bool {
    guard isSpeaking(at: fix.time) else {
      return departsInSilence(&stand, fix, step, after: seconds, silence)
    }
    stand.outbound = nil
    stand.explained *= 60 / (60 + seconds)
    guard speed >= max(Self.pace.sets, 2 * noise.speeds + 0.2) else { return false }
    stand.explained += (fix.speed ?? speed) * min(seconds, Self.pause.short)
    let away = (place - stand.anchor).length
    return away >= Self.departure.metres
      && stand.explained >= min(Self.departure.explained * away, Self.enough)
      && away >= Self.departure.straight * stand.explained
  }

  /// Where no speeds are reported the places have to make a way: a step that no vehicle takes is none.
  private mutating func departsInSilence(
    _ stand: inout Stand, _ fix: Fix, _ step: Metres, after seconds: Double, _ silence: Double
  ) -> Bool {
    let usual = 5 + 2.5 * noise.steps
    // The way that the gate held back came in one step, however long that took.
    let possible =
      leapt == fix.time ? usual : max(usual, (stride + 4 * silence) * silence + noise.steps)
    let isJump = step.length > possible
    // Where all the steps are longer than thought, they are noise after all.
    if isJump { noise.stepped(min(step.length, usual), min(seconds, 1) / 3) }
    stride = isJump ? 0 : step.length / seconds
    stand.strides = isJump ? stand.strides + 1 : 0
    if stand.strides >= Self.strides { return true }
    let smoothing = 5 / (silence + 5)
    stand.lag = stand.lag * smoothing
    if isJump {
      stand.jumped = stand.jumped + step
      stand.lag = stand.lag + step * smoothing
    } else {
      noise.stepped(step.length, seconds)
    }
    if (place - stand.anchor).length < (place - stand.anchor - stand.jumped).length {
      (stand.jumped, stand.lag) = (Metres(), place - smooth)
    }
    let away = (smooth + stand.lag - stand.anchor - stand.jumped).length
    // How far a jump led is known no better than two fixes are.
    let doubt = stand.jumped.length > 0 ? 2 * noise.steps : 0
    let needed = max(40, Self.far.smooth * noise.smooth) + doubt
    guard away >= needed / 2 else {
      stand.outbound = nil
      return false
    }
    let since = stand.outbound ?? fix.time
    stand.outbound = since
    let isSeenAway = (place - stand.anchor).length >= needed / 2
    return away >= needed && isSeenAway && (fix.time - since).seconds <= Self.progress
  }

  private mutating func stay(_ stand: inout Stand, _ fix: Fix, after seconds: Double) -> Verdict {
    let away = (smooth - stand.anchor).length
    let far = max(Self.far.metres, Self.far.places * noise.places)
    if away >= far {
      if settles(elsewhere: &stand, fix, within: far / 2) { return begin(at: fix) }
    } else {
      stand.elsewhere = nil
    }
    if away < far {
      let deviation = (place - stand.anchor).length
      noise.stood(places: min(deviation, 2 * far), smooth: away, speed: fix.speed, seconds)
    }
    let seconds = min(seconds, Self.pause.short)
    stand.fixes += 1
    let age = (fix.time - stand.since).seconds
    // Where it came to rest is not known well until it is decided.
    let isDecided = stand.decided >= Self.rests.count
    if away < far / 2 || !isDecided && (place - stand.anchor).length < far {
      stand.anchor = stand.anchor + (place - stand.anchor) * (seconds / (stand.weight + seconds))
      stand.weight = min(1800, stand.weight + seconds)
      // An arrival has gone on since it was first seen.
      let rested = stand.isArrival ? min(age, stand.weight) : age
      if !isDecided, rested >= Self.rests[stand.decided],
        // An arrival may have rolled on to where it is.
        let place = coordinate(of: stand.isArrival ? smooth : stand.anchor)
      {
        stand.decided += 1
        state = .standing(stand)
        // Nearer than that the first fix was as good.
        if stand.hasArrived, min(smooth.length, stand.anchor.length) < far { return .held(metres: away) }
        var settled = fix
        settled.coordinate = place
        return .settled(settled)
      }
    }
    state = .standing(stand)
    let isYoung = stand.isArrival && (age <= Self.elsewhere.young || stand.fixes <= Self.first)
    return isYoung ? .arriving : .held(metres: away)
  }

  private func settles(elsewhere stand: inout Stand, _ fix: Fix, within metres: Double) -> Bool {
    var elsewhere = stand.elsewhere ?? (smooth, fix.time, fix.time)
    if (smooth - elsewhere.place).length > metres {
      elsewhere.place = smooth
      elsewhere.since = fix.time
    }
    let isFarther = (smooth - stand.anchor).length >= Self.farther
    if !isFarther { elsewhere.first = fix.time }
    stand.elsewhere = elsewhere
    return (fix.time - (isFarther ? elsewhere.first : elsewhere.since)).seconds >= Self.elsewhere.lasts
  }

  // MARK: Moving

  private mutating func move(
    _ rest: Metres, _ since: WallTime, _ fix: Fix, after seconds: Double
  ) -> Verdict {
    guard seconds < Self.pause.long else { return begin(at: fix) }
    let isSpeaking = isSpeaking(at: fix.time)
    let isSlowly = slow.underWaySince != nil
    if isSpeaking, !isSlowly, speed < max(Self.pace.rests, noise.speeds + 0.2) { return halt(at: fix) }
    let hasMoved = (smooth - rest).length > max(25, 2 * noise.smooth)
    if !hasMoved, !isSlowly,
      (fix.time - since).seconds >= (isSpeaking ? Self.lingering.speaking : Self.lingering.silent)
    {
      return halt(at: fix)
    }
    state = hasMoved ? .moving(rest: smooth, since: fix.time) : .moving(rest: rest, since: since)
    guard let leapt else { return .free }
    let age = (fix.time - leapt).seconds
    if age < Self.leap { return .leapt(seconds: age) }
    self.leapt = nil
    return .free
  }

  private mutating func halt(at fix: Fix) -> Verdict {
    let anchor = smooth
    slow.forget()
    state = .standing(
      Stand(since: fix.time, isArrival: false, decided: 0, hasArrived: false, anchor: anchor, weight: 5))
    return .held(metres: 0)
  }

  // MARK: Metres

  private func metres(of coordinate: Coordinate) -> Metres {
    guard let origin else { return Metres() }
    var east = coordinate.longitude - origin.longitude
    if east.magnitude > 180 { east += east < 0 ? 360 : -360 }
    return Metres(east: east * scale, north: (coordinate.latitude - origin.latitude) * Metres.perDegree)
  }

  private func coordinate(of place: Metres) -> Coordinate? {
    guard let origin, scale > 0 else { return nil }
    var longitude = origin.longitude + place.east / scale
    if longitude.magnitude > 180 { longitude += longitude < 0 ? 360 : -360 }
    return Coordinate(latitude: origin.latitude + place.north / Metres.perDegree, longitude: longitude)
  }
}
