import Model
import Testing
import Timebase

@testable import Core

/// What is a departure, a stop, a metre, and what is only nearly one.
struct MovementLimitsTests {
  /// The second of the first fix that is a departure.
  private func departure(_ fixes: [Fix], of movement: inout Movement) -> Double? {
    for fix in fixes {
      if case .departed = movement.consider(fix).change { return fix.time.seconds - Scene.start }
    }
    return nil
  }

  /// Seen at one place for so long, each second.
  private func parked(_ seconds: Int = 400, _ speed: Double? = 0) -> Movement {
    var movement = Movement()
    for second in 0...seconds { _ = movement.consider(fix(at: Double(second), east: 0, speed: speed)) }
    return movement
  }

  /// At ten metres a second until the second 20.
  private func driving() -> Movement {
    var movement = Movement()
    for second in 0...20 {
      _ = movement.consider(fix(at: Double(second), east: 10 * Double(second), speed: 10))
    }
    return movement
  }

  @Test func fiveMinutesInOnePlaceAreAParking() {
    #expect(parked(299).parkingPlace == nil && parked(300).parkingPlace != nil)
  }

  @Test(arguments: [(100.0, true), (100.1, false)])
  func aFixOfAHundredMetresIsOne(accuracy: Double, isKnown: Bool) {
    var movement = Movement()
    var poor = fix(at: 0, east: 0)
    poor.accuracy = accuracy
    _ = movement.consider(poor)
    #expect(movement.isKnown == isKnown)
  }

  /// At walking pace and slower than that.
  @Test(arguments: [(1.0, 450.0), (0.9, nil)])
  func fromAMetreASecondOnSomethingSetsOut(speed: Double, at second: Double?) {
    var movement = parked()
    let fixes = (1...90).map { fix(at: 400 + Double($0), east: speed * Double($0 - 1), speed: speed) }
    #expect(departure(fixes, of: &movement).map { $0 - 1 } == second)
  }

  @Test(arguments: [(10.0, 440.0), (11, nil)])
  func fixesThatAreFarApartAreNoRow(step: Double, at second: Double?) {
    var movement = parked()
    let fixes = (1...5).map { fix(at: 400 + step * Double($0), east: 2 * step * Double($0 - 1), speed: 2) }
    #expect(departure(fixes, of: &movement) == second)
  }

  /// Looked at every so many seconds; what is far off and fast is believed the second time, where nobody saw the way.
  @Test(arguments: [(11.0, 20.0, 422.0), (11, 1, 422), (11, 0.9, nil), (10, 1, nil)])
  func twoFastFixesFarOffAfterGapAreADeparture(step: Double, speed: Double, at second: Double?) {
    var movement = parked()
    let fixes = (1...6).map {
      fix(at: 400 + step * Double($0), east: 1000 + 20 * step * Double($0), speed: speed)
    }
    #expect(departure(fixes, of: &movement) == second)
  }

  /// However fast it was at its place by its own word.
  @Test func norHasItTheFirstTime() {
    var movement = parked(400, 1.2)
    let fixes = (1...2).map { fix(at: 400 + 11 * Double($0), east: 1000, speed: 20) }
    #expect(departure(fixes, of: &movement) == 422)
  }

  /// The speeds that it tells make up for the way between them.
  @Test func departureIsFoundWithSpeedInEveryOtherFix() {
    var movement = parked()
    let fixes = (1...20).map { (second: Int) in
      fix(at: Double(400 + second), east: Double(10 * (second - 1)), speed: second % 2 == 1 ? 9 : nil)
    }
    #expect(departure(fixes, of: &movement) == 406)
  }

  /// One fix that is fast is not two.
  @Test func isolatedFastFixesAreNoDeparture() {
    var movement = parked()
    let speeds = [0.0, 20, 0, 20, 0]
    let fixes = speeds.enumerated().map { fix(at: 411 + 11 * Double($0), east: 1000, speed: $1) }
    #expect(departure(fixes, of: &movement) == nil)
  }

  /// Each second or each ten: nothing was hidden, and the speeds say that it stands.
  @Test(arguments: [1.0, 10]) func standingFixesWithoutGapAreNoDeparture(step: Double) {
    var movement = parked()
    let fixes = stride(from: 400 + step, through: 1100, by: step).map { fix(at: $0, east: 250, speed: 0) }
    #expect(departure(fixes, of: &movement) == nil)
    #expect(movement.parkingPlace?.coordinate == Scene.place(250, 0))
  }

  /// After a pause, and there for ten minutes: farther than any reflection, or not.
  @Test(arguments: [(150.0, nil), (250, 1020.0)])
  func stayingFarOffAfterGapIsADeparture(metres: Double, at second: Double?) {
    var movement = parked()
    let fixes = (0...600).map { fix(at: 420 + Double($0), east: metres) }
    #expect(departure(fixes, of: &movement) == second)
    #expect(movement.parkingPlace?.coordinate == (second == nil ? Scene.place(metres, 0) : nil))
  }

  @Test func tenMinutesAreNotNineAndNothingIsKnownBefore() {
    var movement = parked()
    for second in 401..<1001 { _ = movement.consider(fix(at: Double(second), east: 250)) }
    #expect(movement.parkingPlace?.coordinate == Scene.place(0, 0))
    _ = movement.consider(fix(at: 1001, east: 250))
    #expect(movement.parkingPlace?.coordinate == Scene.place(250, 0))
  }

  /// What comes back in between begins anew.
  @Test func returnToPlaceResetsTimeSpentFarOff() {
    var movement = parked()
    for second in 401..<900 { _ = movement.consider(fix(at: Double(second), east: 250)) }
    _ = movement.consider(fix(at: 900, east: 0))
    for second in 901..<1400 { _ = movement.consider(fix(at: Double(second), east: 250)) }
    #expect(movement.parkingPlace?.coordinate == Scene.place(0, 0))
  }

  /// A receiver that tells no speeds has to say so three times, and for twenty seconds.
  @Test(arguments: [(5.0, 425.0), (10, 430), (20, 460)])
  func withoutSpeedsTwentySecondsFarOffAreADeparture(step: Double, at second: Double) {
    var movement = parked(400, nil)
    let fixes = (1...10).map { fix(at: 400 + step * Double($0), east: 150, speed: nil) }
    #expect(departure(fixes, of: &movement) == second)
  }

  /// It left after it was seen at its place last.
  @Test func unseenDepartureIsDatedToLastFixAtPlace() {
    var movement = parked(400, nil)
    var from: TrackPoint?
    for second in 411...440 {
      if case .departed(let place) = movement.consider(fix(at: Double(second), east: 150, speed: nil)).change
      {
        from = place
      }
    }
    #expect(from?.time.seconds == Scene.start + 400 && from?.coordinate == Scene.place(0, 0))
  }

  /// Not seen for an hour, it is looked at anew.
  @Test func settlingResetsTimeSpentFarOff() {
    var movement = parked()
    for second in 401..<500 { _ = movement.consider(fix(at: Double(second), east: 250)) }
    movement.settle()
    _ = movement.consider(fix(at: 4100, east: 250))
    #expect(movement.parkingPlace?.coordinate == Scene.place(0, 0))
  }

  @Test func settlingWhileMovingParksAtLastArrival() {
    var movement = driving()
    #expect(movement.isMoving && movement.parkingPlace == nil && movement.place?.isStanding == false)
    let rest = movement.arrival
    movement.settle()
    #expect(!movement.isMoving && movement.parkingPlace == rest)
  }

  @Test(arguments: [20.0, 10]) func aClockThatWasSetBackBeginsAnew(_ second: Double) {
    var movement = driving()
    #expect(movement.consider(fix(at: second, east: 210, speed: 10)) == Movement.Found())
    #expect(!movement.isMoving && movement.isKnown && movement.parkingPlace == nil)
  }

  // MARK: A start on the way

  private func resumed(isStanding: Bool) -> Movement {
    var journey = JourneyState()
    (journey.place, journey.isStanding) = (TrackPoint(fix(at: 0, east: 0)), isStanding)
    return Movement(journey)
  }

  /// On the way when the power went, and how long it was off, and whether it is still on the way.
  @Test(arguments: [(299.0, true), (300, false)])
  func movingStateExpiresAfterFiveMinutesOff(off seconds: Double, isMoving: Bool) {
    var movement = resumed(isStanding: false)
    let found = movement.consider(fix(at: seconds, east: 5000, speed: 10))
    #expect((found.metres - 5000).magnitude < 5 && found.change == nil)
    #expect(movement.isMoving == isMoving && movement.parkingPlace == nil)
  }

  /// What is stored does not tell a vehicle that moves from one of which nobody knew yet whether it stood.
  @Test func withoutATripItIsFoundOutAnew() {
    var movement = resumed(isStanding: false)
    let found = movement.consider(fix(at: 20, east: 300, speed: 10), isOnNoTrip: true)
    #expect((found.metres - 300).magnitude < 5 && found.change == nil)
    #expect(!movement.isMoving && movement.parkingPlace == nil)
    let fixes = (21...40).map { fix(at: Double($0), east: 100 + 10 * Double($0), speed: 10) }
    #expect(departure(fixes, of: &movement) != nil)
    // Later in the same life it moves, whatever becomes of the trip.
    _ = movement.consider(fix(at: 41, east: 510, speed: 10), isOnNoTrip: true)
    #expect(movement.isMoving)
  }

  /// The first fix alone comes after the start: a tunnel later is only a tunnel.
  @Test func aLaterPauseIsNoStart() {
    var movement = resumed(isStanding: false)
    for second in 100...120 {
      _ = movement.consider(fix(at: Double(second), east: 10 * Double(second), speed: 10))
    }
    _ = movement.consider(fix(at: 500, east: 9000, speed: 10))
    #expect(movement.isMoving)
  }

  @Test func whereItStoodItStandsForSure() {
    let movement = resumed(isStanding: true)
    #expect(movement.parkingPlace?.coordinate == Scene.place(0, 0) && !movement.isMoving)
    #expect(Movement(JourneyState()).isKnown == false)
  }

  /// Moved while the board was off: it cannot be told from a reflection, so it takes ten minutes.
  @Test func moveWhileOffIsADepartureAfterTenMinutes() {
    var movement = resumed(isStanding: true)
    let fixes = (5...700).map { fix(at: Double($0), east: 250) }
    #expect(departure(fixes, of: &movement) == 605)
  }

  // MARK: Metres

  /// At half a metre a second it goes, below that it stands, by its own word: the place wanders all the time.
  @Test(arguments: [(0.5, 10.0), (0.4, 0)]) func slowerThanHalfAMetreASecondIsNoise(
    speed: Double, metres: Double
  ) {
    var movement = driving()
    _ = movement.consider(fix(at: 21, east: 200, speed: speed))
    var sum = 0.0
    for second in 22...41 {
      sum +=
        movement.consider(fix(at: Double(second), east: 200 + Double(second % 2) * 30, speed: speed)).metres
    }
    #expect((sum - metres).magnitude < 0.001)
  }

  /// Of a tunnel the straight line counts, from where it was seen last.
  @Test func aTunnelIsAsLongAsTheStraightLine() {
    var movement = driving()
    #expect((movement.consider(fix(at: 50, east: 600, speed: 10)).metres - 400).magnitude < 1)
  }

  /// Its speeds are a third of the truth: what they lack of each two hundred metres is added, once.
  @Test func noDistanceIsShorterThanTheStraightLine() {
    var movement = driving()
    var metres = 0.0
    for second in 21...120 {
      metres +=
        movement.consider(fix(at: Double(second), east: 200 + 30 * Double(second - 20), speed: 10)).metres
    }
    #expect((metres - 3000).magnitude < 210)
  }

  private func fix(at time: Double, east: Double, speed: Double? = 0) -> Fix {
    Fix(
      time: WallTime(seconds: Scene.start + time), coordinate: Scene.place(east, 0), accuracy: 5, speed: speed
    )
  }
}
