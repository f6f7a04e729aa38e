import Model
import Testing
import Timebase

@testable import Core

/// What is a trip and what ends it, call by call.
struct TripEngineTests {
  private func fix(_ second: Double, _ east: Double = 0) -> Fix {
    Fix(
      time: WallTime(seconds: Scene.start + second), coordinate: Scene.place(east, 0), accuracy: 5, speed: 10)
  }

  private func point(_ second: Double, _ east: Double = 0) -> TrackPoint { TrackPoint(fix(second, east)) }

  private func departure(_ metres: Double) -> Movement.Found {
    Movement.Found(metres: metres, change: .departed(from: point(0)))
  }

  /// Under way since the second 0, last seen at the second 100.
  private func underWay() -> TripEngine {
    TripEngine(TripState(start: point(0), last: point(100, 900), distance: 900))
  }

  @Test(arguments: [(499.0, 299.0, false), (500, 10, true), (60, 300, true)])
  func halfAKilometreOrFiveMinutesAreATrip(metres: Double, seconds: Double, isTrip: Bool) {
    var trips = TripEngine(nil)
    #expect(trips.consider(departure(50), arrival: point(0), at: fix(5)).isEmpty)
    let found = trips.consider(
      Movement.Found(metres: metres - 50), arrival: point(seconds, metres), at: fix(seconds, metres))
    let trip = TripState(start: point(0), last: point(seconds, metres), distance: metres)
    #expect(found == (isTrip ? [.began(trip)] : []))
    #expect(trips.current == (isTrip ? trip : nil))
  }

  @Test func shortTripIsKeptOverARestart() {
    var trips = TripEngine(nil)
    _ = trips.consider(departure(50), arrival: point(0), at: fix(5))
    let kept = trips.kept
    #expect(trips.current == nil && kept?.distance == 50)
    var next = TripEngine(kept)
    #expect(next.current == nil && next.isResumed)
    let found = next.consider(Movement.Found(metres: 450), arrival: point(40, 500), at: fix(45, 500))
    #expect(found == [.began(TripState(start: point(0), last: point(40, 500), distance: 500))])
    // Off for as long as a parking takes: nobody was told, and nobody is.
    var late = TripEngine(kept)
    #expect(late.consider(Movement.Found(), arrival: nil, at: fix(305)).isEmpty && late.kept == nil)
    var ended = TripEngine(kept)
    #expect(ended.end(.switchedOff) == nil && ended.kept == nil && !ended.isResumed)
  }

  @Test func tripAddsMetresAndEndsAtStop() {
    var trips = underWay()
    #expect(
      trips.consider(Movement.Found(metres: 100), arrival: point(110, 1000), at: fix(110, 1000)).isEmpty)
    #expect(trips.current == TripState(start: point(0), last: point(110, 1000), distance: 1000))
    let stop = Movement.Found(metres: 20, change: .stopped(at: point(112, 1020)))
    let found = trips.consider(stop, arrival: point(113, 1000), at: fix(412, 1020))
    #expect(found == [.ended(TripState(start: point(0), last: point(112, 1020), distance: 1020), .parked)])
    #expect(trips.current == nil)
  }

  /// From when it was seen last to the first fix after the start.
  @Test(arguments: [(399.0, false), (400, true)])
  func aBoardThatWasOffForFiveMinutesHasMissedTheEnd(second: Double, isOver: Bool) {
    var trips = underWay()
    #expect(trips.isResumed && !TripEngine(nil).isResumed)
    let before = trips.current!
    let found = trips.consider(Movement.Found(), arrival: nil, at: fix(second))
    #expect(found == (isOver ? [.ended(before, .interrupted)] : []))
    #expect(!trips.isResumed && (trips.current == nil) == isOver)
  }

  /// Only the first fix after the start is asked.
  @Test func aLaterPauseIsNoEnd() {
    var trips = underWay()
    _ = trips.consider(Movement.Found(), arrival: nil, at: fix(110))
    #expect(trips.consider(Movement.Found(), arrival: nil, at: fix(2000)).isEmpty)
  }

  @Test(arguments: [(0.0, false), (-1, true)])
  func aClockThatWasWrongEndsIt(second: Double, isOver: Bool) {
    var trips = underWay()
    let found = trips.consider(Movement.Found(), arrival: nil, at: fix(second))
    #expect(found.isEmpty == !isOver)
  }

  @Test func itIsEndedOnce() {
    var trips = underWay()
    let trip = trips.current!
    #expect(trips.end(.interrupted) == .ended(trip, .interrupted))
    #expect(trips.end(.interrupted) == nil && !trips.isResumed)
    #expect(trips.consider(Movement.Found(metres: 9), arrival: nil, at: fix(500)).isEmpty)
  }

  @Test func anHourWithoutAFixEndsIt() { #expect(TripEngine.silence == .seconds(3600)) }
}
