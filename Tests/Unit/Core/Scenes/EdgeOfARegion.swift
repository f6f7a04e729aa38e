import Model
import Timebase

#if canImport(Glibc)
  import Glibc
#endif

/// A receiver at the edge of the region "Home", with the gate and the confirmation of the defaults: what it says is
/// the truth, an error that wanders, one that is new with each fix, and now and then a lie.
struct EdgeOfARegion {
  /// How a receiver is wrong.
  struct Receiver {
    /// Metres, of each axis; `wanders`: how long the error stays similar, seconds.
    var slow = 0.0
    var white = 0.0
    var wanders = 120.0
    /// What it claims, metres; nil: gpsd knows of a dilution of 0.9 alone.
    var accuracy: Double? = 5
    var tellsSpeed = true
    /// Metres a second.
    var speedError = 0.1
    /// Seconds between two fixes.
    var step = 1.0
  }

  let receiver: Receiver
  var scene: Scene
  private(set) var time = 0.0
  /// Metres from the centre, truly.
  private(set) var east: Double
  private(set) var north = 0.0
  private var chance: Chance
  private var error = (east: 0.0, north: 0.0)

  init(
    radius: Double = 100, east: Double, inside: Presence = .unknown, _ receiver: Receiver, seed: UInt64,
    _ change: (inout Configuration) -> Void = { _ in }
  ) {
    self.receiver = receiver
    self.east = east
    chance = Chance(seed)
    let configuration = Scene.configuration {
      $0.reports.monitoring = .manual
      $0.regions.confirm = 2
      $0.regions.physicsGate = true
      change(&$0)
    }
    scene = Scene(configuration, regions: [Scene.home(radius: radius, inside: inside)])
    error = (chance.spread() * receiver.slow, chance.spread() * receiver.slow)
  }

  // MARK: What happens

  mutating func stand(_ seconds: Double, off: Double = 0, speed: Double = 0) {
    let end = time + seconds
    while time < end { say(speed: speed, off: off) }
  }

  /// Nothing is said, and when it is again, it is elsewhere.
  mutating func silence(_ seconds: Double, movedBy metres: Double) {
    time += seconds
    east += metres
  }

  /// Truly, at metres a second along the x axis, one step after the other.
  mutating func go(_ metres: Double, at speed: Double, acceleration: Double = 2.5) {
    let direction = metres < 0 ? -1.0 : 1.0
    var (left, now) = (metres.magnitude, 0.0)
    while left > 0 {
      now = min(speed, now + acceleration * receiver.step)
      let way = min(left, now * receiver.step)
      left -= way
      east += way * direction
      say(speed: now, off: 0)
    }
  }

  /// The error grows to `metres` at so many metres a second, stays, and goes back as it came; the vehicle stands.
  mutating func drift(_ metres: Double, at speed: Double, stays: Double) {
    var off = 0.0
    while off < metres {
      off = min(metres, off + speed * receiver.step)
      say(speed: 0, off: off)
    }
    stand(stays, off: metres)
    while off > 0 {
      off = max(0, off - speed * receiver.step)
      say(speed: 0, off: off)
    }
  }

  private mutating func say(speed: Double, off: Double) {
    time += receiver.step
    if receiver.slow > 0 {
      let keeps = exp(-receiver.step / receiver.wanders)
      let new = receiver.slow * (1 - keeps * keeps).squareRoot()
      error = (error.east * keeps + chance.spread() * new, error.north * keeps + chance.spread() * new)
    }
    var reading = Reading()
    reading.mode = 3
    reading.time = WallTime(seconds: Scene.start + time)
    let place = Scene.place(
      east + off + error.east + chance.spread() * receiver.white,
      north + error.north + chance.spread() * receiver.white)
    (reading.latitude, reading.longitude) = (place.latitude, place.longitude)
    if let accuracy = receiver.accuracy { reading.eph = accuracy } else { reading.hdop = 0.9 }
    let told = (speed + chance.spread() * receiver.speedError).magnitude
    if receiver.tellsSpeed { reading.speed = speed == 0 && told < 0.05 ? 0 : told }
    scene.post(.reading(reading), at: time)
  }

  /// What was said is forgotten, so that days of it need no memory.
  mutating func forget() {
    scene.withheld = []
    scene.reports = []
  }

  // MARK: What came of it

  var crossings: [(at: Double, crossing: Crossing)] {
    scene.reports.compactMap { at, report in
      guard case .transition(let transition) = report else { return nil }
      return (at, transition.crossing)
    }
  }
}
