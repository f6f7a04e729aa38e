import Glibc
import Model
import TestSupport
import Testing
import Timebase

@testable import Receiver

/// What a real gpsd does not show on demand.
@Suite struct GPSDConnectionTests {
  private let peer = GPSDPeer()
  private let scene: GPSDScene

  init() throws {
    scene = try GPSDScene(.init(host: "127.0.0.1", port: peer.port))
  }

  private func connect(_ greeting: String = GPSDPeer.greeting) {
    scene.gpsd.start()
    #expect(scene.runs { peer.accept() })
    peer.say(greeting)
    #expect(scene.runs { peer.commands.contains("WATCH") })
  }

  @Test func asksForReportsOfAllReceivers() {
    connect()
    #expect(peer.commands == "?WATCH={\"enable\":true,\"json\":true};\n")
  }

  @Test func asksForTheReceiverThatIsNamed() throws {
    let path = "/dev/serial/by-id/usb-u-blox_AG_-_www.u-blox.com_u-blox_GNSS_receiver-if00-\"x\""
    let scene = try GPSDScene(.init(host: "127.0.0.1", port: peer.port, device: path))
    scene.gpsd.start()
    #expect(scene.runs { peer.accept() })
    #expect(scene.runs { peer.commands.hasSuffix("GNSS_receiver-if00-\\\"x\\\"\"};\n") })
  }

  @Test func isReachedWhenGreeted() {
    connect()
    #expect(scene.runs { scene.words == ["reached"] })
    #expect(scene.gpsd.status.version == "3.22")
  }

  @Test func aListenerThatDoesNotGreetIsNotReached() {
    connect("220 mail.example ESMTP\r\n")
    #expect(scene.runs { scene.gpsd.status.malformedLines == 1 })
    #expect(scene.words.isEmpty)
    #expect(scene.gpsd.status.cause?.contains("does not greet like gpsd") == true)
  }

  @Test func aReportThatComesByteByByteArrivesOnce() {
    connect()
    for byte in (GPSDReportsTests.tpv + "\r\n").utf8 {
      peer.say([byte])
      scene.loop.runOnce(within: .milliseconds(20))
    }
    #expect(scene.runs { scene.readings.count == 1 })
  }

  @Test func rubbishBetweenReportsCostsNoReport() {
    connect()
    for rubbish in [[0, 1, 2, 255, 10], Array(#"{"class":"TPV","mode":{}}"#.utf8) + [10]] {
      peer.say(rubbish)
      peer.say(GPSDReportsTests.tpv + "\n")
    }
    #expect(scene.runs { scene.readings.count == 2 })
    #expect(scene.gpsd.status.malformedLines == 2)
  }

  // behaviour: When gpsd is away or silent
  @Test func aLineOfAMegabyteIsPassedOver() {
    connect()
    let piece = [UInt8](repeating: 66, count: 16_384)
    for _ in 0..<64 { #expect(scene.runs { peer.say(piece) }) }
    peer.say("\n" + GPSDReportsTests.tpv + "\n")
    #expect(scene.runs { scene.readings.count == 1 })
    #expect(scene.gpsd.status.malformedLines == 1)
  }

  @Test func aGpsdThatHangsUpAtOnceIsNotCalledMoreThanOnceASecond() {
    let begun = SystemClock.read().instant
    scene.gpsd.start()
    var calls = 0
    let isCalledThrice = scene.runs {
      if peer.accept() {
        calls += 1
        peer.hangUp()
      }
      return calls == 3
    }
    #expect(isCalledThrice && SystemClock.read().instant - begun >= .seconds(1.9))
    #expect(scene.words.count == 1)
  }

  @Test func asleepNothingIsPostedAndTheReceiverMayRest() {
    connect()
    scene.gpsd.setAwake(false)
    peer.say(GPSDReportsTests.tpv + "\n")
    #expect(scene.runs { peer.commands.hasSuffix("?WATCH={\"enable\":false};\n") })
    _ = scene.run(within: .milliseconds(100)) { false }
    #expect(scene.readings.isEmpty)
  }

  @Test func awakeAgainItWatchesAgainOnTheSameConnection() {
    connect()
    scene.gpsd.setAwake(false)
    scene.gpsd.setAwake(true)
    #expect(
      scene.runs { peer.commands.hasSuffix("?WATCH={\"enable\":true,\"json\":true};\n") })
    peer.say(GPSDReportsTests.tpv + "\n")
    #expect(scene.runs { scene.readings.count == 1 })
    #expect(!peer.accept())
  }

  @Test func gpsdHangUpWhileAsleepDefersReconnect() {
    connect()
    #expect(scene.runs { scene.words == ["reached"] })
    scene.gpsd.setAwake(false)
    peer.hangUp()
    #expect(scene.loop.comesToRest(for: .seconds(2), wakeUps: 2))
    #expect(scene.words == ["reached"])
    scene.gpsd.setAwake(true)
    #expect(scene.runs { peer.accept() })
  }

  @Test func otherSettingsMeanAnotherConnection() {
    connect()
    let other = GPSDPeer()
    scene.gpsd.configure(.init(host: "localhost", port: other.port))
    #expect(scene.runs { other.accept() })
  }

  @Test func theSameSettingsLeaveTheConnectionAlone() {
    connect()
    scene.gpsd.configure(.init(host: "127.0.0.1", port: peer.port))
    #expect(!scene.run(within: .milliseconds(200)) { peer.accept() })
  }

  @Test func aGpsdWithoutReceiversIsNamedAsTheCause() {
    connect()
    peer.say("{\"class\":\"DEVICES\",\"devices\":[]}\r\n")
    #expect(scene.runs { scene.gpsd.status.cause == "gpsd has no receiver" })
  }

  // behaviour: status and doctor
  @Test func aReceiverThatSendsNothingIsNotOneWithoutSky() {
    connect()
    peer.say(
      #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":"2026-11-01T00:00:00Z"}]}"#
        + "\r\n")
    peer.say(#"{"class":"TPV","device":"/dev/a","mode":1}"# + "\r\n")
    #expect(scene.runs { scene.gpsd.status.cause == "the receiver has no fix" })
    #expect(scene.gpsd.status.silence == nil)
    #expect(scene.runs { scene.gpsd.status.silence != nil })
    #expect(scene.gpsd.status.cause?.hasPrefix("the receiver sends nothing, for 1") == true)
    peer.say(#"{"class":"DEVICE","path":"/dev/a","activated":0}"# + "\r\n")
    #expect(
      scene.runs {
        scene.gpsd.status.cause?.hasPrefix("gpsd has /dev/a and cannot read it: unplugged?") == true
      })
  }

  // behaviour: status and doctor
  @Test func missingReceiverAndItsReturnAreReported() {
    connect()
    peer.say("{\"class\":\"DEVICES\",\"devices\":[]}\r\n")
    #expect(scene.runs { scene.words.last == "warning: gpsd has no receiver" })
    // The same at the next look.
    peer.say("{\"class\":\"DEVICES\",\"devices\":[]}\r\n")
    #expect(scene.runs { peer.commands.split(separator: "\n").count == 3 })
    peer.say(#"{"class":"TPV","device":"/dev/a","mode":1}"# + "\r\n")
    #expect(scene.runs { scene.words.last == "info: the receiver reports again" })
    #expect(scene.words == ["reached", "warning: gpsd has no receiver", "info: the receiver reports again"])
  }

  @Test func aCallThatIsRefusedLateIsClosedOnce() {
    peer.fill()
    scene.gpsd.start()
    #expect(!scene.run(within: .milliseconds(50)) { !scene.words.isEmpty })
    peer.stop()
    #expect(scene.runs { scene.words.first?.hasPrefix("lost: ") == true })
  }

  /// A rest is no silence: nobody asked.
  @Test func aRestIsNoSilence() {
    connect()
    peer.say(GPSDReportsTests.tpv + "\n")
    #expect(scene.runs { scene.readings.count == 1 })
    scene.gpsd.setAwake(false)
    _ = scene.run(within: .seconds(11)) { false }
    scene.gpsd.setAwake(true)
    #expect(scene.gpsd.status.silence == nil)
  }

  /// Nor is the time that gpsd was away.
  @Test func anOutageIsNoSilence() throws {
    let port = GPSDPeer.freePort()
    let late = try GPSDScene(.init(host: "127.0.0.1", port: port))
    late.gpsd.start()
    _ = late.run(within: .seconds(11)) { false }
    let peer = GPSDPeer(port: port)
    #expect(late.runs { peer.accept() })
    peer.say(GPSDPeer.greeting)
    #expect(late.runs { late.words.last == "reached" })
    #expect(late.gpsd.status.silence == nil)
  }

  @Test func silenceOfTenSecondsAsksAgain() {
    connect()
    let isAsked = { peer.commands.split(separator: "\n").count == 2 }
    #expect(!scene.run(within: .milliseconds(9500), until: isAsked))
    #expect(scene.runs(until: isAsked))
  }
}
