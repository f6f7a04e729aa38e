import Model
import Timebase

/// What beacons do that people do not expect: one rides along from its stop and is put down somewhere else, or the
/// numbers of one are copied and heard for some seconds where it cannot be.
struct Wanderers {
  /// One that rides along, of `Radio.beacons`.
  struct Ride {
    var index: Int
    var since: Instant
    fileprivate var until: Instant
  }

  private enum Kind { case rides, copies }

  /// Metres from its place where nobody hears a beacon: a kilometre, a fix of some seconds ago, and its error.
  private static let beyond = 1700.0

  private var dice: Dice
  private let kind: Kind?
  private(set) var ride: Ride?
  private var copy: (number: BeaconNumber, place: Point, until: Instant)?

  init(dice: Dice) {
    var dice = dice
    kind = dice.chance(0.15) ? .rides : dice.chance(0.2) ? .copies : nil
    self.dice = dice
  }

  /// One may have been put down anywhere.
  var mayBeElsewhere: Bool { kind == .rides }
  var mayBeCopied: Bool { kind == .copies }

  /// Once a second.
  fileprivate mutating func travel(with radio: Radio, at place: Point, _ now: Instant) {
    guard kind == .rides else { return }
    if let ride {
      if ride.until <= now { self.ride = nil }
    } else if let index = radio.beacons.firstIndex(where: { $0.place.distance(to: place) < 20 }),
      dice.chance(0.01)
    {
      ride = Ride(index: index, since: now, until: now + .seconds(dice.between(120, 3000)))
    }
  }

  /// What is heard of a copy in this second. `isPlaced`: the board knows where it is.
  fileprivate mutating func copied(of radio: Radio, at place: Point, isPlaced: () -> Bool, _ now: Instant)
    -> Sighting?
  {
    guard kind == .copies else { return nil }
    if let copy, copy.until <= now { self.copy = nil }
    if copy == nil, dice.chance(0.01) {
      let beacon = dice.pick(radio.beacons)
      copy = (beacon.number, beacon.place, now + .seconds(dice.between(1, 12)))
    }
    guard let copy, copy.place.distance(to: place) > Self.beyond, isPlaced() else { return nil }
    guard radio.plan.wanted.contains(where: { $0.matches(copy.number) }) else { return nil }
    return Sighting(beacon: copy.number, power: -59, rssi: -62, address: 0x44_55_66)
  }
}

extension World {
  func moveBeacons(_ truth: Point) {
    air.wanderers.travel(with: air.radio, at: truth, now)
    if let ride = air.wanderers.ride { air.radio.put(ride.index, at: truth) }
    guard !air.radio.isHung, air.radio.plan.duty > 0 else { return }
    var wanderers = air.wanderers
    let copy = wanderers.copied(of: air.radio, at: truth, isPlaced: { isPlaced(truth) }, now)
    air.wanderers = wanderers
    // Nothing follows from it: no judge is told of it.
    if let copy { wake(.sighted(copy)) }
  }

  /// The board knows where it is. What was heard somewhere else by a wrong position is not held to its place any more.
  private func isPlaced(_ truth: Point) -> Bool {
    guard age > 120, ledger.fixes.jumps.isEmpty, sound > 60, !isCalm, !ledger.fixes.isMisled, let tracker,
      // What goes along has no place that a copy could be far from.
      !tracker.knownRegions.contains(where: { $0.region.kind == .beacon && $0.region.radius < 0 }),
      case let told = tracker.status(at: moment), let position = told.position, let age = told.fixAge
    else { return false }
    return age < .seconds(3) && position.coordinate.distance(to: truth.coordinate) < 100
  }
}
