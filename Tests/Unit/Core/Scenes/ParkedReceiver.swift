import Model
import Timebase

/// Numbers that are the same in every run.
struct Chance {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  /// 0..<1.
  mutating func part() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) / 9_007_199_254_740_992
  }

  mutating func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * part() }

  /// About normal, with a standard deviation of 1.
  mutating func spread() -> Double { (0..<6).reduce(-3.0) { sum, _ in sum + part() } * 1.414 }

  mutating func happens(every seconds: Double, in step: Double) -> Bool { part() < step / seconds }
}

extension Double {
  /// e to this power.
  var exponential: Double {
    let part = self / 1024
    return (0..<10).reduce(1 + part + part * part / 2) { power, _ in power * power }
  }
}

/// What a receiver says of a vehicle that stands at the origin: it wanders by metres, and now and then it
/// lies, with the best claims of accuracy. Each lie is one that the field knows.
struct ParkedReceiver {
  private enum Lie {
    case none
    /// Reflections: away to a place and back, in minutes, at next to no speed.
    case reflection(east: Double, north: Double, since: Double, lasts: Double)
    /// The same, and the speed fits the way for half a minute.
    case drift(east: Double, north: Double, since: Double, lasts: Double)
    /// No position at all, and a wrong one for a while when it is back.
    case gone(until: Double)
    case wrong(east: Double, north: Double, until: Double)
  }

  let step: Double
  private var chance: Chance
  private var lie = Lie.none
  private var east = 0.0
  private var north = 0.0
  private(set) var time = 0.0

  init(seed: UInt64, step: Double) {
    chance = Chance(seed)
    self.step = step
  }

  /// The next fix; nil: there is none.
  mutating func next() -> Fix? {
    time += step
    let fading = 1 - step / 300
    east = east * fading + chance.spread() * 4 * (2 * step / 300).squareRoot()
    north = north * fading + chance.spread() * 4 * (2 * step / 300).squareRoot()
    var speed = (chance.spread() * 0.15).magnitude
    var accuracy = chance.between(3, 12)
    var (offEast, offNorth) = (0.0, 0.0)
    change()
    switch lie {
    case .none: break
    case .reflection(let east, let north, let since, let lasts):
      let share = min(1, 2 - ((time - since) / lasts * 2 - 1).magnitude * 2)
      (offEast, offNorth) = (east * share, north * share)
      speed += 0.3
    case .drift(let east, let north, let since, let lasts):
      let share = 1 - ((time - since) / lasts * 2 - 1).magnitude
      (offEast, offNorth) = (east * share, north * share)
      speed = (east * east + north * north).squareRoot() * 2 / lasts
    case .gone: return nil
    case .wrong(let east, let north, _):
      (offEast, offNorth) = (east, north)
      accuracy = 20
    }
    // A single fix that is somewhere else, or that claims to race.
    if chance.happens(every: 7200, in: step) { offEast += chance.between(-500, 500) }
    if chance.happens(every: 17_000, in: step) { speed = chance.between(5, 40) }
    return Fix(
      time: WallTime(seconds: Scene.start + time),
      coordinate: Scene.place(
        east + offEast + chance.spread() * 0.5, north + offNorth + chance.spread() * 0.5),
      accuracy: accuracy, speed: speed, course: chance.between(0, 359))
  }

  private mutating func change() {
    switch lie {
    case .none: begin()
    case .reflection(_, _, let since, let lasts), .drift(_, _, let since, let lasts):
      if time >= since + lasts { lie = .none }
    case .gone(let until):
      if time >= until {
        lie = .wrong(
          east: chance.between(-250, 250), north: chance.between(-250, 250),
          until: time + chance.between(10, 100))
      }
    case .wrong(_, _, let until): if time >= until { lie = .none }
    }
  }

  private mutating func begin() {
    if chance.happens(every: 20_000, in: step) {
      lie = .reflection(
        east: chance.between(-150, 150), north: chance.between(-150, 150), since: time,
        lasts: chance.between(60, 900))
    } else if chance.happens(every: 80_000, in: step) {
      lie = .drift(
        east: chance.between(-40, 40), north: chance.between(-20, 20), since: time,
        lasts: chance.between(20, 60))
    } else if chance.happens(every: 40_000, in: step) {
      lie = .gone(until: time + chance.between(20, 7200))
    }
  }
}
