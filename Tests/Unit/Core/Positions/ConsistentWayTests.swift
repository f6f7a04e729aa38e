import Model
import Testing
import Timebase

@testable import Core

// behaviour: Jumps
/// What goes on as it began is believed after 15 s, whatever was known of its pace; what does not is not.
struct ConsistentWayTests {
  private struct Flight {
    var gate = PhysicsGate()
    /// Seconds of the fixes that were taken.
    var taken: [Double] = []
    var proven: [Double] = []

    mutating func say(
      _ time: Double, _ east: Double, _ north: Double = 0, accuracy: Double = 5, speed: Double? = nil
    ) {
      let fix = Fix(
        time: WallTime(seconds: Scene.start + time), coordinate: Scene.place(east, north), accuracy: accuracy,
        speed: speed)
      guard gate.refusal(of: fix) == nil else { return }
      taken.append(time)
      if gate.hasProvenJump { proven.append(time) }
    }
  }

  /// Metres a second and seconds.
  static let paces: [(Double, Double)] = [80, 120, 250, 300].flatMap { (pace: Double) -> [(Double, Double)] in
    [1, 2, 5, 7, 10].map { (pace, $0) }
  }

  /// The first fix finds it under way.
  @Test(arguments: ConsistentWayTests.paces) func aFastWayIsBelievedAfterFifteenSeconds(
    pace: Double, step: Double
  ) {
    var flight = Flight()
    for time in stride(from: 0, through: 120, by: step) { flight.say(time, pace * time) }
    let late = flight.taken.filter { $0 > 0 }
    let first = (step + 15) / step
    #expect(late.first.map { $0 <= first.rounded(.up) * step } == true, "\(flight.taken)")
    #expect(late == Array(stride(from: late.first ?? 0, through: 120, by: step)), "each one from then on")
    #expect(flight.proven.count <= 1)
  }

  /// A turn of three degrees a second, and a train that brakes.
  @Test func aWayMayTurnAndBrake() {
    var flight = Flight()
    var (east, north, course) = (0.0, 0.0, 90.0)
    for time in stride(from: 0.0, through: 120, by: 5) {
      flight.say(time, east, north)
      let (x, y) = Coordinate.direction(of: course)
      (east, north, course) = (east + 1000 * x, north + 1000 * y, course + 10)
    }
    #expect(flight.taken.filter { $0 >= 20 }.count == 21)
    flight = Flight()
    for time in stride(from: 0.0, through: 120, by: 5) {
      let braked = min(time, 100)
      flight.say(time, 100 * braked - braked * braked / 2)
    }
    #expect(flight.taken.filter { $0 >= 20 }.count == 21)
  }

  /// Under way before it, as known as before: what is seen first after it says how fast it was.
  @Test(arguments: [11.0, 30, 300, 7200]) func aGapCostsNothing(of seconds: Double) {
    var flight = Flight()
    for time in stride(from: 0.0, through: 300, by: 5) { flight.say(time, min(250, 1.4 * time) * time / 2) }
    let pace = 250.0
    let (from, began) = (300 * pace / 2, 300.0)
    for time in stride(from: 300 + seconds, through: 500 + seconds, by: 5) {
      flight.say(time, from + (time - began) * pace)
    }
    let after = flight.taken.filter { $0 > 300 }
    #expect(after == Array(stride(from: 300 + seconds, through: 500 + seconds, by: 5)), "\(after)")
  }

  /// It stood for most of the gap: the way after it is believed as one that nobody knows.
  @Test func afterAGapThatItStoodThroughItTakesFifteenSeconds() {
    var flight = Flight()
    for time in stride(from: 0.0, through: 100, by: 5) { flight.say(time, 0) }
    for time in stride(from: 4000.0, through: 4100, by: 5) { flight.say(time, 5000 + (time - 4000) * 200) }
    let after = flight.taken.filter { $0 > 3000 }
    #expect(after.first == 4000 && after.dropFirst().first == 4020, "\(after)")
    #expect(after.count == 18)
  }

  /// One place that is wrong, on the way: it is refused, and nothing else is.
  @Test(arguments: [2000.0, 5000], [1.0, 5]) func anOutlierIsRefusedAndTheNextOneIsNot(
    off: Double, step: Double
  ) {
    var flight = Flight()
    let times = Array(stride(from: 0.0, through: 200, by: step))
    for time in times { flight.say(time, 200 * time, time == 100 ? off : 0) }
    #expect(!flight.taken.contains(100))
    #expect(flight.taken.filter { $0 > 60 } == times.filter { $0 > 60 && $0 != 100 }, "\(flight.taken)")
  }

  /// Parked, by its own word, and thrown to and fro between two other places, or three in a row; or between its own and
  /// another one, without a word.
  @Test(arguments: [1.0, 2, 5]) func placesThatTakeTurnsAreNoWay(step: Double) {
    let turns: [(places: [Double], speed: Double?)] = [
      ([400, 900], 0), ([400, 900, 1400], 0), ([400, 900, 1400, 300], 0), ([700, 700, -700, -700], 0),
      ([0, 700], 0), ([0, 700], nil), ([0, 700, 700], nil),
    ]
    for (places, speed) in turns {
      var flight = Flight()
      for time in stride(from: 0.0, through: 60, by: step) { flight.say(time, 0, speed: speed) }
      for index in 0..<40 {
        flight.say(60 + Double(index + 1) * step, places[index % places.count], speed: speed)
      }
      let wrong = flight.taken.filter { time in
        let index = Int(((time - 60) / step).rounded()) - 1
        return index >= 0 && places[index % places.count] != 0
      }
      #expect(wrong.isEmpty && flight.proven.isEmpty, "\(places): \(wrong)")
    }
  }

  /// Nothing that carries a board goes half a kilometre a second.
  @Test func aWayThatNothingGoesIsNone() {
    var flight = Flight()
    for time in stride(from: 0.0, through: 60, by: 5) { flight.say(time, 500 * time) }
    #expect(flight.taken == [0])
  }

  /// A place that somebody makes believe is believed as any that stays: after fifteen seconds, and as a jump.
  @Test(arguments: [0.0, nil]) func aSpoofedPlaceIsAJump(speed: Double?) {
    var flight = Flight()
    for time in stride(from: 0.0, through: 60, by: 1) { flight.say(time, 0, speed: speed) }
    for time in stride(from: 61.0, through: 100, by: 1) { flight.say(time, 20_000, speed: speed) }
    #expect(flight.proven == [76] && flight.taken.filter { $0 > 60 }.first == 76)
  }

  /// Its noise went the same way before it.
  @Test(arguments: [18.0, 30]) func aStepOfTheNoiseMakesNoWayOfAJump(accuracy: Double) {
    var flight = Flight()
    for time in stride(from: 0.0, through: 60, by: 1) { flight.say(time, 0, accuracy: accuracy, speed: 0.3) }
    let step = 2 * accuracy
    flight.say(61, step, accuracy: accuracy, speed: 0.3)
    let far = 7 * accuracy + 30
    for time in 62...70 { flight.say(Double(time), step + far, accuracy: accuracy, speed: 0.3) }
    #expect(flight.taken.last == 61, "\(flight.taken.suffix(3))")
  }

  /// Its speeds are nothing, and its way is one: by its own word it stands.
  @Test(arguments: [20.0, 80]) func speedsThatSayNothingOfTheWayAreOverruled(pace: Double) {
    var flight = Flight()
    for time in stride(from: 0.0, through: 60, by: 5) { flight.say(time, 0, speed: 0) }
    for time in stride(from: 65.0, through: 200, by: 5) { flight.say(time, (time - 60) * pace, speed: 0) }
    let moving = flight.taken.filter { $0 > 60 }
    #expect(moving.first.map { $0 <= 85 } == true && moving.count >= 24, "\(moving)")
  }
}
