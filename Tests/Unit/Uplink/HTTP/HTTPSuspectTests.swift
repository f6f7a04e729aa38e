import Model
import Testing
import Timebase

@testable import Uplink

/// Messages that an endpoint turns away.
@Suite struct HTTPSuspectTests {
  private let up = "connected false 2"

  @Test func oneThatIsTurnedAwayAgainBehindAnotherIsRefused() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.next = [.status(422), .status(204), .status(400)]
    #expect(scene.start())
    scene.send(1)
    #expect(scene.runs { scene.poster.phase == .ready })
    let pause = scene.now + .milliseconds(500)
    var status = UplinkStatus()
    (status.cause, status.since, status.colour) = (.answered(status: 422), scene.now, .red)
    (status.counters.connections, status.counters.sent, status.inFlight) = (1, 1, 1)
    // Alone it is tried again after the usual wait.
    status.nextAttempt = scene.now + .seconds(scene.settings.backoffMinimum)
    #expect(scene.poster.status == status)
    // Beside it another one goes, slowly.
    scene.send(2)
    (status.nextAttempt, status.inFlight, status.counters.sent) = (pause, 2, 2)
    #expect(scene.poster.status == status)
    #expect(scene.runs { scene.poster.status.counters.refused == 1 })
    #expect(
      scene.log == [up, "acknowledged [2]", "refused 1 answered400"] && peer.bodies == ["m1", "m2", "m1"])
    #expect(scene.poster.status.inFlight == 0 && scene.poster.status.cause == .answered(status: 400))
    #expect(scene.poster.status.counters.acknowledged == 1)
    // The one after that waits as well.
    let refused = scene.now
    scene.send(3)
    #expect(scene.poster.status.nextAttempt == refused + .milliseconds(500))
    #expect(scene.runs { scene.log.last == "acknowledged [3]" })
    #expect(scene.poster.status.colour == .green)
  }

  @Test func whereAllAreTurnedAwayNoneIsGivenUp() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.next = [.status(400), .status(413), .status(400), .status(404), .status(204)]
    #expect(scene.start(scene.hasty))
    scene.send(1)
    scene.send(2)
    #expect(scene.runs { scene.poster.status.counters.acknowledged == 1 })
    #expect(
      scene.log == [up, "postponed 2 refusesAll413, others pass", "lost answered404", up, "acknowledged [1]"])
    #expect(
      scene.causes
        == [
          "well", "nothingPosted", "answered400", "refusesAll413", "refusesAll400", "answered404",
          "well",
        ])
    #expect(peer.bodies == ["m1", "m2", "m1", "m1", "m1"])
    #expect(scene.poster.status.counters.postponed == 1 && scene.poster.status.inFlight == 0)
  }

  @Test func aSuspectWaitsLongerEachTime() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    (scene.configuration.retry.least, scene.random) = (1, 0.5)
    peer.next = [.status(400), .status(400), .status(204)]
    #expect(scene.start())
    scene.send(1)
    #expect(scene.runs { scene.poster.status.nextAttempt != nil })
    #expect(scene.poster.status.nextAttempt == scene.now + .milliseconds(1100))
    #expect(scene.runs { peer.posts.count == 2 })
    #expect(scene.poster.status.nextAttempt == nil && scene.poster.status.attempts == 1)
    #expect(scene.runs { scene.poster.status.nextAttempt != nil })
    let second = scene.now
    #expect(scene.poster.status.nextAttempt == second + .milliseconds(2200))
    #expect(scene.runs { scene.log.last == "acknowledged [1]" })
    #expect(scene.now >= second + .milliseconds(2200))
    // What is suspected next waits from the beginning.
    peer.next = [.status(400)]
    scene.send(2)
    #expect(scene.runs { scene.poster.status.nextAttempt != nil })
    #expect(scene.poster.status.nextAttempt == scene.now + .milliseconds(1100))
  }

  @Test func aSuspectDoesNotWaitAfterAnotherNetwork() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    // Far longer than anything here is waited for.
    (scene.configuration.retry.least, scene.random) = (600, 0.5)
    peer.next = [.status(400), .status(204)]
    #expect(scene.start())
    scene.send(1)
    #expect(scene.runs { scene.poster.status.nextAttempt != nil })
    #expect(scene.poster.status.nextAttempt == scene.now + .seconds(660))
    scene.poster.networkChanged()
    #expect(scene.runs { scene.log.last == "acknowledged [1]" })
  }

  @Test func theWaitOfAnOldEndpointIsNotThatOfTheNext() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    scene.configuration.retry.least = 60
    peer.next = [.status(400), .status(503, "Retry-After: 100\r\n")]
    #expect(scene.start())
    scene.send(1)
    #expect(scene.runs { scene.poster.status.nextAttempt != nil })
    #expect(scene.poster.status.nextAttempt == scene.now + .seconds(60))
    scene.send(2)
    #expect(scene.runs { scene.poster.status.nextAttempt == scene.now + .seconds(100) })
    scene.configuration.http.url += "/other"
    scene.configuration.retry.least = 2
    scene.log = []
    scene.poster.configure(scene.settings)
    #expect(scene.log == ["failed 1", "failed 2"])
    var status = scene.poster.status
    #expect(status.inFlight == 0 && status.nextAttempt == nil && status.counters.failed == 2)
    #expect(scene.runs { scene.poster.phase == .ready })
    peer.next = [.status(400)]
    scene.send(1)
    status = scene.poster.status
    #expect(status.nextAttempt == nil && status.attempts > 0)
    #expect(scene.runs { scene.poster.status.nextAttempt != nil })
    #expect(scene.poster.status.nextAttempt == scene.now + .seconds(2))
    #expect(peer.posts.last?.head.first == "POST /pub/other HTTP/1.1")
  }
}
