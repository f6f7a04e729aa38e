import Model
import Timebase

/// A jump has to agree with the speeds that the receiver itself reports, or last for 15 s, before it
/// may move anything (docs/behaviour.md, "Jumps"): receivers claim 2 m while they are 200 m off. A jump lasts if fixes
/// stay there, or go on as it began: steps of one length and direction are a way, whatever was known of the pace.
///
///     plausible ──jump──▶ suspect ──15 s in agreement with itself──▶ plausible, there
///         ▲                  │
///         └──back in line────┘
struct PhysicsGate {
  private let anchor = Anchor()
  /// Fixes further apart than this prove nothing about a jump, seconds.
  static let reach = 10.0
  /// How late a fix may come, seconds.
  static let latest = 60.0
  /// How long a suspect position has to stand, seconds.
  static let confirmationTime = 15.0

  /// How far apart suspect fixes may be: a share of their jump, and metres.
  static let likeness = (share: 1 / 3.0, most: 100.0)

  /// A vehicle whose speeds add up to no more than this stands, metres.
  static let stillness = 20.0

  /// For a receiver that reports no speed: metres a second, and metres a second gained each second.
  static let fastest = 70.0
  static let acceleration = 8.0
  /// Faster steps between suspect places are no way, metres a second: nothing that carries a board is faster.
  static let fastestEver = 400.0

  /// How far a fix may be from where the last step leads, as a share of that step.
  static let turn = 0.5

  /// From one fix to the next.
  private struct Step {
    var from: Coordinate
    var since: WallTime
    var to: Coordinate
    var time: WallTime
    var accuracy: Double

    init(from before: Fix, to fix: Fix) {
      (from, since) = (before.coordinate, before.time)
      (to, time, accuracy) = (fix.coordinate, fix.time, fix.accuracy)
    }
  }

  private enum State {
    case plausible(Fix)
    indirect case suspect(first: Fix, last: Fix, before: Fix, because: Reason)
  }

  private var state: State?
  /// The step that led to the newest fix; nil: none did, or a jump.
  private var lastStep: Step?
  /// Metres a second from one fix to the next, for receivers that report no speed; nil: not known yet.
  private var pace: Double?
  /// The last fix was a jump, and is believed because it has lasted.
  private(set) var hasProvenJump = false

  /// Nil: the fix may be used.
  mutating func refusal(of fix: Fix) -> Reason? {
    hasProvenJump = false
    switch state {
    case nil:
      state = .plausible(fix)
      return nil
    case .plausible(let before):
      // A receiver whose speeds do not reflect its way goes on as it went.
      guard (fix.time - before.time).seconds <= Self.reach, let reason = jump(from: before, to: fix),
        fix.speed == nil || !isWay(lastStep) || !goesOn(fix)
      else {
        step(from: before, to: fix)
        state = .plausible(fix)
        return nil
      }
      lastStep = nil
      state = .suspect(first: fix, last: fix, before: before, because: reason)
      return reason
    case .suspect(var first, let last, let before, let because):
      assert(last.time >= first.time, "what is suspect runs backwards")
      let refusal = jump(from: before, to: fix)
      // Fixes that far apart are not compared, whatever came before. Backwards too, because a date may have
      // been set right: no fix comes that late.
      let since = (fix.time - last.time).seconds
      let isFar = since > Self.reach || since < -Self.latest
      // A late fix proves nothing about the time since.
      guard since > 0 || isFar else { return refusal ?? because }
      var isSteady =
        agrees(fix, with: last, because) || stands(fix, since: first) && agrees(fix, with: first, because)
      if !isSteady, goesOn(fix), let step = lastStep {
        isSteady = true
        // The step before was the first of the way, and not another jump.
        if first.time == last.time { first.time = step.since }
      }
      // With every second more is possible from where it was before: a fix that goes on where the jump led is
      // no way back, wherever it is, unless the vehicle stands, and it is nearer to that place.
      let isBack = refusal == nil && (!isSteady || isStill(fix, at: before, and: last))
      let isProven = isSteady && (fix.time - first.time).seconds >= Self.confirmationTime
      if isBack || isFar || isProven {
        step(from: isProven ? last : before, to: fix)
        hasProvenJump = isProven && !isBack && !isFar
        state = .plausible(fix)
        return nil
      }
      let reason = refusal ?? because
      lastStep = Step(from: last, to: fix)
      state = .suspect(
        first: isSteady ? first : fix, last: fix, before: before, because: isSteady ? because : reason)
      return reason
    }
  }

  /// Whether one goes on where the other was: noise beyond every claim is no other place, if it is small compared with
  /// the distance of both from the place before.
  private func agrees(_ fix: Fix, with last: Fix, _ because: Reason) -> Bool {
    guard case .implausibleJump(let metres, _) = jump(from: last, to: fix) else { return true }
    guard case .implausibleJump(let off, _) = because else { return false }
    return metres <= min(off * Self.likeness.share, Self.likeness.most)
  }

  /// Whether the step is clear of the noise, which has a direction as well and leads nowhere.
  private func isWay(_ step: Step?) -> Bool {
    guard let step else { return false }
    return step.from.distance(to: step.to) > Self.doubt(step.accuracy, step.accuracy)
  }

  /// Metres that two places may be off together.
  private static func doubt(_ first: Double, _ second: Double) -> Double { 3 * (first + second) + 20 }

  /// Whether it is where the last step leads, as far as a vehicle may turn, brake or gain since.
  private func goesOn(_ fix: Fix) -> Bool {
    guard let step = lastStep else { return false }
    let (before, seconds) = ((step.time - step.since).seconds, (fix.time - step.time).seconds)
    guard before > 0, before <= Self.reach, seconds > 0 else { return false }
    let share = seconds / before
    let metres = step.from.distance(to: step.to)
    guard metres <= Self.fastestEver * before, let there = step.to.beyond(step.from, by: share)
    else { return false }
    let doubt = Self.doubt(step.accuracy, fix.accuracy)
    let change = min(Self.acceleration / 2 * seconds * (seconds + before), Self.turn * share * metres)
    return there.distance(to: fix.coordinate) <= change + doubt
  }

  /// Whether it stands where the one was, and is nearer to that than to the suspect.
  private func isStill(_ fix: Fix, at before: Fix, and suspect: Fix) -> Bool {
    guard stands(fix, since: before) else { return false }
    return fix.coordinate.distance(to: before.coordinate) < fix.coordinate.distance(to: suspect.coordinate)
  }

  /// Whether its speeds show that it stands.
  private func stands(_ fix: Fix, since before: Fix) -> Bool {
    guard let speed = fix.speed, let last = before.speed else { return false }
    return max(speed, last) * (fix.time - before.time).seconds <= Self.stillness
  }

  /// Where no speed is reported the places give one. Over a gap it may have been any, unless the mean over the gap is
  /// high: then it has not come to rest meanwhile.
  private mutating func step(from before: Fix, to fix: Fix) {
    let seconds = (fix.time - before.time).seconds
    lastStep = Step(from: before, to: fix)
    guard seconds > 0 else {
      pace = nil
      return
    }
    let mean = before.coordinate.distance(to: fix.coordinate) / seconds
    pace = seconds <= Self.reach || mean > Self.fastest && mean <= Self.fastestEver ? mean : nil
  }

  /// Nil where the distance is possible.
  private func jump(from before: Fix, to fix: Fix) -> Reason? {
    let metres = before.coordinate.distance(to: fix.coordinate)
    let seconds = max(0, (fix.time - before.time).seconds)
    let way: Double
    if let speed = fix.speed ?? before.speed {
      way = max(speed, before.speed ?? speed) * seconds
    } else if let pace {
      way = (pace + Self.acceleration / 2 * seconds) * seconds
    } else {
      way = Self.fastest * seconds
    }
    let possible = way + Self.doubt(before.accuracy, fix.accuracy)
    assert(possible >= 20, "accuracies and speeds are not negative")
    return metres > possible ? .implausibleJump(metres: metres, possible: possible) : nil
  }
}
