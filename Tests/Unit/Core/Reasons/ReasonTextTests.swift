import Model
import Testing

@testable import Core

/// What people read, and what programs are told: whatever a reason holds is in it, and the right way round.
struct ReasonTextTests {
  @Test(arguments: [
    (Reason.pingDue(isPositionOld: false), "ping is due"),
    (.crossed(region: "Home", .enter, metres: 3), "entered Home"),
    (.crossed(region: "Home", .leave, metres: 3), "left Home"),
    (.leftSince(region: "Home", isChanged: false), "left Home while nothing could be published"),
    (
      .leftSince(region: "Home", isChanged: true),
      "Home was announced as entered, and changed or removed since"
    ),
    (.beaconHeard(region: "Van", major: 1, minor: 2, rssi: nil), "entered Van: heard its beacon 1/2"),
    (
      .beaconHeard(region: "Van", major: 1, minor: 2, rssi: -60),
      "entered Van: heard its beacon 1/2 at -60 dBm"
    ),
    (.ranged(region: "Van", metres: 2.46, before: nil), "a beacon of Van seems 2.5 m away"),
    (
      .ranged(region: "Van", metres: 2.46, before: 4.04),
      "a beacon of Van seems 2.5 m away (published before: 4.0 m)"
    ),
    (.strayBeacon(region: "Van", packets: 1), "Van was left a moment ago: 1 packet may be a stray"),
    (.strayBeacon(region: "Van", packets: 2), "Van was left a moment ago: 2 packets may be a stray"),
    (.tooFast(speed: 91.4, limit: 80, region: "Town"), "91 km/h where 80 are allowed (Town)"),
    (
      .harsh(.braking, force: 0.4123, limit: 0.35), "braked hard: 0.41 g where 0.35 g are allowed"
    ),
    (
      .harsh(.acceleration, force: 0.3, limit: 0.3), "accelerated hard: 0.3 g where 0.3 g are allowed"
    ),
    (.sos(times: 1), "SOS: published at once"),
    (.sos(times: 12), "SOS: published 12 times"),
    (.sosAcknowledged(times: 2), "SOS is acknowledged"),
    (.interference(.jamming, .warning), "the receiver is disturbed by jamming, and still has a fix"),
    (.interference(.jamming, .critical), "the receiver is jammed, and has no fix"),
    (.interference(.spoofing, .warning), "the receiver may be spoofed: its positions may be false"),
    (
      .interference(.spoofing, .critical),
      "the receiver is spoofed, by several signs: its positions may be false"
    ),
    (.interferenceOver(.jamming, seconds: 39.7), "the receiver is no longer jammed, after 40 s"),
    (.interferenceOver(.spoofing, seconds: 70), "the receiver is no longer spoofed, after 70 s"),
    (.batteryLow(level: 18, limit: 20), "the board's battery is at 18 %, below 20 % (downgrade)"),
    (.harsh(.cornering, force: 0.5, limit: 0.4), "cornered hard: 0.5 g where 0.4 g are allowed"),
    (
      .rateTooLow(rate: 1.04), "harshDriving needs 5 positions a second, and the receiver gives 1.0"
    ),
    (.ignitionTurned(isOn: true), "the ignition was switched on"),
    (.ignitionTurned(isOn: false), "the ignition was switched off"),
    (.supplyTurned(isOn: true), "the board is supplied from outside again"),
    (.supplyTurned(isOn: false), "the board runs on its own battery: nothing supplies it"),
    (
      .dwelling(region: "Yard", seconds: 41.2, needed: 60),
      "Yard: inside for 41 s, published as entered after 60 s, in 19 s"
    ),
  ])
  func eventReasonsHaveTheirSentences(_ reason: Reason, _ sentence: String) {
    #expect(reason.sentence == sentence)
  }

  @Test(arguments: [
    (Reason.sourceReached("gpsd", true), "gpsd is reached"),
    (.sourceReached("nmea", false), "nmea is not reached any more"),
    (
      .receiverClockOff(seconds: 0.5),
      "the receiver's clock is 0.5 s ahead of the trusted one: a position is not published with that time"
    ),
    (
      .receiverClockOff(seconds: -61.04),
      "the receiver's clock is 61.0 s behind the trusted one: a position is not published with that time"
    ),
    (
      .receiverPutRight(seconds: 1),
      "the receiver's clock is 1 s ahead, as by leap seconds: its times are put right from now on"
    ),
    (
      .receiverPutRight(seconds: -18),
      "the receiver's clock is 18 s behind, as by leap seconds: its times are put right from now on"
    ),
    (
      .clockWasWrong(seconds: 0.6),
      "the time of day that receivers had reported was 1 s behind: it is put right, what was published with it is not"
    ),
    (
      .clockWasWrong(seconds: -90),
      "the time of day that receivers had reported was 90 s ahead: it is put right, what was published with it is not"
    ),
    (.notNewer(time: 100, last: 103), "not newer than the position before (3 s older)"),
    (
      .dateRefused(time: 999_999_999_999_999),
      "the receiver's date is impossible (999999999999999 Unix seconds)"
    ),
    (.dateRefused(time: 1e15), "the receiver's date is impossible (1000000000000000.0 Unix seconds)"),
    (.dateRefused(time: -1.5e15), "the receiver's date is impossible (-1500000000000000.0 Unix seconds)"),
  ])
  func receiverReasonsHaveTheirSentences(_ reason: Reason, _ sentence: String) {
    #expect(reason.sentence == sentence)
  }

  @Test(arguments: [
    (Reason.backlogWaits(count: 1), "1 old location waits for WiFi, a cable or their time (backlog is wifi)"),
    (.backlogWaits(count: 2), "2 old locations wait for WiFi, a cable or their time (backlog is wifi)"),
    (
      .backlogDropped(count: 1),
      "1 old location is not sent (backlog is never); the history may have what was dropped"
    ),
    (
      .backlogDropped(count: 2),
      "2 old locations are not sent (backlog is never); the history may have what was dropped"
    ),
    (
      .configurationRolledBack(isRefused: false, seconds: 120),
      "the server was not reached within 120 s with the changed settings: the old ones are back"
    ),
    (
      .configurationRolledBack(isRefused: true, seconds: 7),
      "the server of the changed settings refused a message after 7 s: the old ones are back"
    ),
  ])
  func backlogAndRollbackReasonsHaveTheirSentences(_ reason: Reason, _ sentence: String) {
    #expect(reason.sentence == sentence)
  }

  /// As `homeward why` and `homeward status` say it.
  @Test(arguments: [
    (
      Reason.modeChanged(from: .move, to: .manual, .region("Home", .enter)), "entering Home, as its name says"
    ),
    (.modeChanged(from: .move, to: .manual, .region("Home", .leave)), "leaving Home, as its name says"),
    (.modeChanged(from: .move, to: .significant, .ignition(isOn: false)), "the ignition is off"),
    (.modeChanged(from: .significant, to: .move, .ignition(isOn: true)), "the ignition is on"),
    (
      .modeChanged(from: .move, to: .significant, .still(seconds: 300.6)),
      "nothing has moved for 301 s (adapt)"
    ),
    (
      .modeChanged(from: .move, to: .significant, .still(seconds: 1e19)),
      "nothing has moved for 1000000000 s (adapt)"
    ),
    (.modeByNetwork(.move, network: "Home", isJoined: true), "in the WiFi network Home (networkModes)"),
    (
      .modeByNetwork(.move, network: "Home", isJoined: false),
      "no longer in the WiFi network Home (networkModes)"
    ),
    (.modeByTime(.quiet, times: "22:00-06:00", isBegun: true), "22:00-06:00 has begun (timeModes)"),
    (.modeByTime(.quiet, times: "22:00-06:00", isBegun: false), "22:00-06:00 has ended (timeModes)"),
  ])
  func whyTheModeIsInForce(_ reason: Reason, _ cause: String) {
    #expect(reason.modeCause == cause)
    #expect(reason.sentence.hasSuffix(": \(cause)"))
  }

  // MARK: For programs

  @Test(arguments: [
    (Reason.ignitionTurned(isOn: true), "ignitionOn"), (.ignitionTurned(isOn: false), "ignitionOff"),
    (.supplyTurned(isOn: true), "powerBack"), (.supplyTurned(isOn: false), "powerLost"),
    (.sourceReached("gpsd", true), "gpsdReached"), (.sourceReached("gpsd", false), "gpsdLost"),
    (.sourceReached("nmea", false), "nmeaLost"),
  ])
  func oppositeReasonsHaveDistinctWords(_ reason: Reason, _ word: String) {
    #expect(reason.word == word)
  }

  @Test(arguments: [
    (Reason.leftSince(region: "Home", isChanged: true), "cause", "changed"),
    (.leftSince(region: "Home", isChanged: false), "cause", "untold"),
    (.configurationRolledBack(isRefused: true, seconds: 7), "cause", "refused"),
    (.configurationRolledBack(isRefused: false, seconds: 7), "cause", "unreached"),
    (.modeByNetwork(.move, network: "Home", isJoined: true), "event", "joined"),
    (.modeByNetwork(.move, network: "Home", isJoined: false), "event", "left"),
    (.modeByTime(.move, times: "22:00-06:00", isBegun: true), "event", "begun"),
    (.modeByTime(.move, times: "22:00-06:00", isBegun: false), "event", "ended"),
    (.modeChanged(from: .manual, to: .move, .ignition(isOn: true)), "event", "on"),
    (.modeChanged(from: .move, to: .manual, .ignition(isOn: false)), "event", "off"),
  ])
  func eachWayIsInTheDetails(_ reason: Reason, _ name: String, _ text: String) {
    #expect(reason.details.first { $0.name == name }?.value == .text(text))
  }

  // MARK: Numbers beside their limits

  /// A hair beside the limit, both read the same when they are rounded.
  @Test(arguments: [
    (Reason.tooNear(metres: 499.7, needed: 500), "499 m from the last publish is less than 500 m"),
    (.tooNear(metres: 12.4, needed: 500), "12 m from the last publish is less than 500 m"),
    (.tooNear(metres: 500.2, needed: 500.4), "500.2 m from the last publish is less than 500 m"),
    (.tooNear(metres: 500, needed: 500), "500 m from the last publish is less than 500 m"),
    (.inaccurate(metres: 100.2, limit: 100), "accuracy 101 m is worse than 100 m"),
    (.inaccurate(metres: 250.4, limit: 100), "accuracy 250 m is worse than 100 m"),
    (.inaccurate(metres: 99.8, limit: 99.6), "accuracy 99.8 m is worse than 100 m"),
    (.inaccurate(metres: 100, limit: 100), "accuracy 100 m is worse than 100 m"),
  ])
  func valueNearLimitIsNotRoundedToIt(_ reason: Reason, _ sentence: String) {
    #expect(reason.sentence == sentence)
  }
}
