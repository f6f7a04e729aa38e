import Glibc
import Loop
import Model
import Testing
import Timebase

@testable import Receiver

@Suite(.serialized, .enabled(if: GPSDDaemon.program != nil, "no gpsd on this machine"))
final class GPSDLiveTests {
  private let daemon = GPSDDaemon()
  private let scene: GPSDScene
  private let feeder: Loop.Timer

  /// Feeds an epoch a second on the scene's own loop.
  init() throws {
    let scene = try GPSDScene(.init(host: "localhost", port: daemon.port))
    self.scene = scene
    let daemon = daemon
    var again: () -> Void = {}
    let feeder = scene.loop.makeTimer { again() }
    again = { [unowned scene, unowned feeder] in
      daemon.feed()
      feeder.set(at: scene.loop.now.instant + .seconds(1))
    }
    self.feeder = feeder
    feeder.set(at: scene.loop.now.instant)
  }

  deinit {
    feeder.cancel()
    daemon.stop()
  }

  private func firstFix() {
    daemon.start()
    scene.gpsd.start()
    #expect(scene.run(within: .seconds(10)) { scene.firstReading != nil })
  }

  @Test func aFixArrivesWithPlaceTimeAndAccuracy() throws {
    firstFix()
    // gpsd's first reports, made of half a cycle, mostly have no time, or no accuracy.
    let isWhole = { (reading: Reading) in
      reading.time != nil && (reading.eph ?? reading.epx ?? reading.hdop) != nil
    }
    #expect(scene.run(within: .seconds(5)) { scene.readings.last.map(isWhole) == true })
    let reading = try #require(scene.readings.last)
    #expect(abs((reading.latitude ?? 0) - 48.85) < 0.01)
    #expect(abs((reading.longitude ?? 0) - 2.35222) < 0.001)
    #expect(reading.time?.wholeSeconds ?? 0 > 1_795_000_000)
  }

  @Test func statusNamesReceiverDriverAndSatellites() {
    firstFix()
    // gpsd tells of satellites when it has seen a whole cycle of them, which a busy machine cuts to pieces.
    #expect(scene.run(within: .seconds(20)) { scene.gpsd.status.satellitesUsed == 12 })
    #expect(scene.gpsd.status.device == daemon.path)
    #expect(scene.run(within: .seconds(20)) { scene.gpsd.status.driver == "NMEA0183" })
    #expect(scene.gpsd.status.cause == nil)
  }

  @Test func gpsdThatIsAbsentAtFirstIsFoundWithinThreeSeconds() {
    scene.gpsd.start()
    #expect(scene.run(within: .seconds(2)) { scene.words.count == 1 })
    #expect(scene.words.first?.contains("is gpsd running?") == true)
    _ = scene.run(within: .milliseconds(1200)) { false }
    restart()
  }

  @Test func gpsdThatIsRestartedGivesDataWithinThreeSeconds() {
    firstFix()
    daemon.stop()
    #expect(scene.run(within: .seconds(2)) { scene.words.count == 2 })
    scene.forgetReadings()
    _ = scene.run(within: .milliseconds(700)) { false }
    restart()
  }

  private func restart() {
    daemon.start()
    #expect(scene.run(within: .seconds(5)) { daemon.isListening })
    // That the old one is gone is a reading, too.
    #expect(
      scene.run(within: .seconds(3)) { scene.words.last == "reached" && scene.readings.last?.latitude != nil }
    )
  }

  @Test func whileGpsdIsAwayNothingWakesMoreThanOnceASecond() {
    feeder.set(at: nil)
    scene.gpsd.start()
    #expect(scene.wakeUps(in: .seconds(5)) <= 6)
  }

  @Test func whileTheReceiverIsSilentNothingWakesMoreThanOnceASecond() {
    feeder.set(at: nil)
    daemon.start()
    #expect(scene.run(within: .seconds(5)) { daemon.isListening })
    scene.gpsd.start()
    #expect(scene.run(within: .seconds(3)) { scene.words == ["reached"] })
    #expect(scene.wakeUps(in: .seconds(12)) <= 12)
    #expect(scene.words == ["reached"])
  }

  @Test func aRestThatEndsBringsReportsWithinThreeSeconds() {
    firstFix()
    scene.gpsd.setAwake(false)
    _ = scene.run(within: .milliseconds(1500)) { false }
    scene.forgetReadings()
    _ = scene.run(within: .milliseconds(1500)) { false }
    #expect(scene.readings.isEmpty)
    scene.gpsd.setAwake(true)
    #expect(scene.run(within: .seconds(3)) { scene.firstReading != nil })
  }
}
