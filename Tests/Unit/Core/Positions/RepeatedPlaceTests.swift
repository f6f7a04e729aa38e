import Model
import Testing

/// Places that a receiver may only repeat, by what gpsd's reports of them have and lack.
struct RepeatedPlaceTests {
  private var place = RepeatedPlace()

  private mutating func look(
    _ time: Double, _ longitude: Double = 11, speed: Double = .nan, hasTimeError: Bool = true
  ) -> RepeatedPlace.Sign {
    place.look(latitude: 48, longitude: longitude, time: time, speed: speed, hasTimeError: hasTimeError)
  }

  @Test mutating func aPlaceThatChangesIsNone() {
    for second in 0..<10 { #expect(look(Double(second), 11 + Double(second) / 1e9, speed: 0.1) == .usual) }
  }

  @Test mutating func theVeryPlaceIsDoubtfulASecondLater() {
    #expect(look(0, speed: 0) == .usual)
    #expect(look(1, speed: 0) == .same)
    #expect(look(600, speed: 0.3) == .same)
    #expect(look(601, 11.1, speed: 0.3) == .usual)
  }

  /// gpsd 3.25 makes up to five reports of one second.
  @Test mutating func reportsOfOneSecondAreOne() {
    for _ in 0..<3 { #expect(look(0, speed: 0) == .usual) }
    for _ in 0..<3 { #expect(look(1, speed: 0) == .same) }
    for _ in 0..<3 { #expect(look(2, 11.1, speed: 0) == .usual) }
  }

  /// It may look once a second and report five times.
  @Test mutating func aReceiverThatReportsMoreOftenThanItLooksIsNotDoubted() {
    for count in 0..<20 {
      #expect(look(Double(count) / 5, 11 + Double(count / 5) / 1000, speed: 14) == .usual)
    }
  }

  @Test mutating func withoutASpeedOfGpsdsItIsFrozen() {
    #expect(look(0, speed: 2) == .usual)
    for second in 1..<9 { #expect(look(Double(second)) == .frozen) }
    #expect(look(9, speed: 0) == .same)
  }

  /// What does not come from gpsd may never have a speed, or none at rest.
  @Test(arguments: [(2.0, RepeatedPlace.Sign.frozen), (0.5, .same), (.nan, .same)])
  mutating func withoutASpeedOfOthersTheOneBeforeDecides(_ speed: Double, _ sign: RepeatedPlace.Sign) {
    _ = look(0, speed: speed, hasTimeError: false)
    #expect(look(1, hasTimeError: false) == sign)
    #expect(look(2, hasTimeError: false) == sign)
  }

  @Test mutating func aSpeedThatLeadsNowhereIsFrozen() {
    _ = look(0, speed: 4)
    #expect(look(1, speed: 4) == .same)
    #expect(look(2, speed: 4) == .frozen)
    #expect(look(3, speed: 2) == .same)
  }

  @Test mutating func aPlaceThatIsTakenBackIsDoubtedTheNextTime() {
    _ = look(0, speed: 2)
    place.lost(time: 0)
    #expect(look(1, speed: 0) == .takenBack)
    // Nothing of that one.
    place.lost(time: 0.5)
    #expect(look(2, speed: 0) == .same)
    place.lost(time: 2)
    #expect(look(3, 11.1, speed: 0) == .usual)
    #expect(look(4, 11.1, speed: 0) == .same)
  }

  @Test mutating func anotherPlaceWithoutASpeedMayBeTheFirstAfterNone() {
    #expect(look(0) == .withoutSpeed)
    #expect(look(0, speed: 3) == .usual)
    #expect(look(1, 11.1, speed: 3) == .usual)
    #expect(look(2, 11.2) == .withoutSpeed)
    #expect(look(3, 11.3, hasTimeError: false) == .usual)
    #expect(look(.nan, 11.3) == .usual)
  }
}
