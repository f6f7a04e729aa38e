import Glibc
import Loop
import Model
import TestSupport
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
    #expect(scene.runs { scene.firstReading != nil })
  }

  @Test func aFixArrivesWithPlaceTimeAndAccuracy() throws {
    firstFix()
    // gpsd's first reports, made of half a cycle, mostly have no time, or no accuracy.
    let isWhole = { (reading: Reading) in
      reading.time != nil && (reading.eph ?? reading.epx ?? reading.hdop) != nil
    }
    #expect(scene.runs { scene.readings.last.map(isWhole) == true })
    let reading = try #require(scene.readings.last)
    #expect(abs((reading.latitude ?? 0) - 48.85) < 0.01)
    #expect(abs((reading.longitude ?? 0) - 2.35222) < 0.001)
    #expect(reading.time?.wholeSeconds ?? 0 > 1_795_000_000)
  }

  @Test func statusNamesReceiverDriverAndSatellites() {
    firstFix()
    // gpsd tells of satellites when it has seen a whole cycle of them, which a busy machine cuts to pieces.
    #expect(scene.runs { scene.gpsd.status.satellitesUsed == 12 })
    #expect(scene.gpsd.status.device == daemon.path)
    #expect(scene.runs { scene.gpsd.status.driver == "NMEA0183" })
    #expect(scene.gpsd.status.cause == nil)
  }

  @Test func gpsdThatIsAbsentAtFirstIsFound() {
    scene.gpsd.start()
    #expect(scene.runs { scene.words.count == 1 })
    #expect(scene.words.first?.contains("is gpsd running?") == true)
    _ = scene.run(within: .milliseconds(1200)) { false }
    restart()
  }

  @Test func gpsdThatIsRestartedGivesData() {
    firstFix()
    daemon.stop()
    #expect(scene.runs { scene.words.count == 2 })
    scene.forgetReadings()
    _ = scene.run(within: .milliseconds(700)) { false }
    restart()
  }

  private func restart() {
    daemon.start()
    #expect(scene.runs { daemon.isListening })
    // That the old one is gone is a reading, too.
    #expect(
      scene.runs { scene.words.last == "reached" && scene.readings.last?.latitude != nil }
    )
  }

  @Test func whileGpsdIsAwayNothingWakesMoreThanOnceASecond() {
    feeder.set(at: nil)
    scene.gpsd.start()
    #expect(scene.loop.comesToRest(for: .seconds(5), wakeUps: 6))
  }

  @Test func whileTheReceiverIsSilentNothingWakesMoreThanOnceASecond() {
    feeder.set(at: nil)
    daemon.start()
    #expect(scene.runs { daemon.isListening })
    scene.gpsd.start()
    #expect(scene.runs { scene.words == ["reached"] })
    #expect(scene.loop.comesToRest(for: .seconds(5), wakeUps: 5))
    #expect(scene.words == ["reached"])
  }

  @Test func aRestThatEndsBringsReports() {
    firstFix()
    scene.gpsd.setAwake(false)
    _ = scene.run(within: .milliseconds(1500)) { false }
    scene.forgetReadings()
    _ = scene.run(within: .milliseconds(1500)) { false }
    #expect(scene.readings.isEmpty)
    scene.gpsd.setAwake(true)
    #expect(scene.runs { scene.firstReading != nil })
  }
}
