import Model
import Testing

@testable import homeward

// behaviour: History
/// Trips that are found in a track.
struct TripFinderTests {
  /// Looked at in the minute of the last point, or `silence` minutes later.
  private static func trips(_ points: [(minute: Double, metres: Double)], silence: Double = 0) -> [Trip] {
    var finder = TripFinder()
    for point in points {
      let place = Coordinate(latitude: 48 + point.metres / 111_195, longitude: 11)!
      finder.take(place, accuracy: 5, at: point.minute * 60)
    }
    return finder.trips(at: ((points.last?.minute ?? 0) + silence) * 60)
  }

  private static func minutes(_ trips: [Trip]) -> [[Double]] { trips.map { [$0.start / 60, $0.end / 60] } }

  @Test func aDriveBetweenTwoParkingPlacesIsATrip() {
    // Parked with a ping every 15 minutes, 20 minutes of driving, parked.
    let drive = (30...50).map { (minute: Double($0), metres: Double($0 - 30) * 1000) }
    let trips = Self.trips([(0, 3), (15, 0), (29, 2)] + drive + [(65, 20_010), (80, 19_990)])
    #expect(Self.minutes(trips) == [[30, 50]])
    #expect((trips[0].metres - 20_000).magnitude < 20 && !trips[0].isOpen)
  }

  @Test func itReachesFromOneParkingPlaceToTheOtherSecondBySecond() {
    // Ten minutes parked, three kilometres at 15 m/s, ten minutes parked; the first fix was a poor one.
    var finder = TripFinder()
    for second in 0...1400 {
      let place = Coordinate(
        latitude: 48 + Double(min(max(0, second - 600), 200) * 15) / 111_195, longitude: 11)!
      finder.take(place, accuracy: second == 0 ? 800 : 10, at: Double(second))
    }
    let trips = finder.trips(at: 1400)
    #expect(trips.count == 1)
    #expect((598...603).contains(trips[0].start) && (796...801).contains(trips[0].end))
    #expect((trips[0].metres - 3000).magnitude < 100)
  }

  @Test func aStopOfFiveMinutesEndsItAndATrafficLightDoesNot() {
    let out = (0...10).map { (minute: Double($0), metres: Double($0) * 1000) }
    let light = [(minute: 13.0, metres: 10_005.0)]
    let back = (14...20).map { (minute: Double($0), metres: Double(24 - $0) * 1000) }
    #expect(Self.minutes(Self.trips(out + light + back)) == [[0, 20]])
    let shop = [(minute: 12.0, metres: 10_005.0), (minute: 15.5, metres: 10_002.0)]
    let later = back.map { (minute: $0.minute + 20, metres: $0.metres) }
    #expect(Self.minutes(Self.trips(out + shop + later)) == [[0, 10], [34, 40]])
  }

  @Test func unfinishedTripIsOpen() {
    let trips = Self.trips((0...10).map { (minute: Double($0), metres: Double($0) * 1000) })
    #expect(Self.minutes(trips) == [[0, 10]] && trips[0].isOpen)
  }

  @Test func tripIsNoLongerUnderWayAfterAnHourOfSilence() {
    let drive = (0...10).map { (minute: Double($0), metres: Double($0) * 1000) }
    #expect(Self.trips(drive, silence: 59).map(\.isOpen) == [true])
    let ended = Self.trips(drive, silence: 60)
    #expect(Self.minutes(ended) == [[0, 10]] && !ended[0].isOpen)
    #expect((ended[0].metres - 10_000).magnitude < 20)
    // It has stood for a moment before it was switched off: the trip has ended where it came to rest.
    let stopped = drive + [(minute: 13, metres: 10_003)]
    #expect(Self.trips(stopped, silence: 59).map(\.isOpen) == [true])
    #expect(Self.minutes(Self.trips(stopped, silence: 60)) == [[0, 10]])
    #expect(Self.trips([(0, 0), (1, 300)], silence: 60).isEmpty)
  }

  @Test func significantModeHasFewPointsAndTripsAllTheSame() {
    // A point every six minutes; parked without a word for a quarter of an hour in between.
    var points: [(minute: Double, metres: Double)] = []
    for step in 0...5 { points.append((Double(step) * 6, Double(step) * 6000)) }
    points.append((48, 30_200))
    for step in 1...5 {
      let driven = Double(step) * 400
      points.append((45 + Double(step) * 6, 30_000 - driven))
    }
    #expect(Self.minutes(Self.trips(points)).first == [0, 30])
  }

  @Test func whereNothingWasHeardForAnHourATripIsOver() {
    let out = (0...10).map { (minute: Double($0), metres: Double($0) * 1000) }
    let later = (0...10).map { (minute: 100 + Double($0), metres: 50_000 + Double($0) * 1000) }
    #expect(Self.minutes(Self.trips(out + later)) == [[0, 10], [100, 110]])
  }

  @Test func noiseAndAFewStepsAreNone() {
    #expect(Self.trips((0...600).map { (minute: Double($0), metres: Double($0 * 37 % 90)) }).isEmpty)
    #expect(Self.trips([(0, 0), (3, 300), (20, 310), (40, 300)]).isEmpty)
    #expect(Self.trips([]).isEmpty)
  }

  @Test func oneIsChosenByItsIDOrATimeWithin() throws {
    let start = 1_700_000_000.0
    let trips = [
      Trip(start: start, end: start + 1000, metres: 900),
      Trip(start: start + 4000, end: start + 5000, metres: 900),
    ]
    #expect(try TripFinder.choose("last", of: trips) == trips[1])
    #expect(trips[0].id == "6553f100")
    #expect(try TripFinder.choose("6553f100", of: trips) == trips[0])
    // As it was told, half a minute before.
    #expect(try TripFinder.choose("65540082", of: trips) == trips[1])
    #expect(try TripFinder.choose("1700000500", of: trips) == trips[0])
    #expect(try TripFinder.choose("2023-11-14T23:25:00Z", of: trips) == trips[1])
    for text in ["1700002000", "first"] {
      #expect(throws: Failure.self) { try TripFinder.choose(text, of: trips) }
    }
    #expect(throws: Failure.self) { try TripFinder.choose("last", of: []) }
  }

  @Test func deletionNeedsExactlyOneSelection() {
    #expect(throws: Never.self) { try HistoryCommand.Delete.parse(["7"]) }
    #expect(throws: Never.self) { try HistoryCommand.Delete.parse(["--last", "1h"]) }
    #expect(throws: (any Error).self) { try HistoryCommand.Delete.parse([]) }
    #expect(throws: (any Error).self) { try HistoryCommand.Delete.parse(["7", "--last", "1h"]) }
    #expect(throws: (any Error).self) { try HistorySpan.parse(["--trip", "last", "--last", "1h"]) }
  }
}
