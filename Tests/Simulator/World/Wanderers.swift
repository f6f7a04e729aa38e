import Core
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
    wanderers.travel(with: radio, at: truth, now)
    if let ride = wanderers.ride { radio.put(ride.index, at: truth) }
    guard !radio.isHung, radio.plan.duty > 0 else { return }
    // What was heard somewhere else by a wrong position is not held to its place any more.
    let isPlaced = { [self] in
      guard let began = ledger.lifeBegan(life), now - began > .seconds(120), ledger.jumps.isEmpty,
        let sound = receiver.soundSince, now - sound > .seconds(60), !isCalm, !ledger.isMisled
      else { return false }
      // What goes along has no place that a copy could be far from.
      if let tracker,
        tracker.knownRegions.contains(where: { $0.region.kind == .beacon && $0.region.radius < 0 })
      {
        return false
      }
      guard let told = tracker?.status(at: clock.moment(at: now)), let position = told.position,
        let age = told.fixAge
      else { return false }
      return age < .seconds(3) && position.coordinate.distance(to: truth.coordinate) < 100
    }
    // Nothing follows from it: no judge is told of it.
    if let copy = wanderers.copied(of: radio, at: truth, isPlaced: isPlaced, now) { wake(.sighted(copy)) }
  }

  /// What is here is not far, and what goes along has no place that it could be far from. Before it is noted as left.
  func judge(far region: Region, _ beacon: BeaconIdentity) {
    guard let ride = wanderers.ride, beacon.matches(radio.beacons[ride.index].number),
      let began = ledger.lifeBegan(life), began + .seconds(60) < ride.since,
      let sound = receiver.soundSince, sound + .seconds(60) < ride.since,
      lastHeard.left(region.rid).map({ $0 < ride.since }) ?? true,
      let silence = lastHeard.silence(of: beacon, at: now),
      configuration.beacons.enterRssi == 0
    else { return }
    let (start, last) = (ride.since, now - .seconds(silence))
    let way = road.position(at: (start - .zero).seconds).point.distance(
      to: road.position(at: (last - .zero).seconds).point)
    if silence < 2 || way > 900 {
      ledger.complain(
        .truth, "\(region.name) is far, and was heard \(silence) s ago, \(way) m further", at: now)
    }
  }
}
