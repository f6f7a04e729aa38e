import Model
import TestSupport
import Testing
import Timebase

@testable import Uplink

/// Messages on their way to an endpoint, and what is said of it.
@Suite struct HTTPPosterTests {
  private let up = "connected false 2"

  /// As it stands once the endpoint is known and nothing has been posted.
  private func fresh(_ scene: HTTPScene) -> UplinkStatus {
    var status = UplinkStatus()
    (status.cause, status.colour, status.since) = (.nothingPosted, .blue, scene.now)
    status.counters.connections = 1
    return status
  }

  @Test func acceptedPostIsAcknowledgedAndGreen() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    #expect(scene.poster.status == UplinkStatus())
    #expect(scene.start() && scene.log == [up])
    var status = fresh(scene)
    #expect(scene.poster.status == status)
    scene.send(1)
    (status.inFlight, status.attempts, status.counters.sent) = (1, 1, 1)
    #expect(scene.poster.status == status)
    #expect(scene.runs { scene.log.count == 2 })
    #expect(scene.log == [up, "acknowledged [1]"] && peer.bodies == ["m1"])
    (status.inFlight, status.attempts, status.cause, status.colour) = (0, 0, nil, .green)
    (status.since, status.connectedSince) = (scene.now, scene.now)
    status.counters.acknowledged = 1
    #expect(scene.poster.status == status && scene.poster.colour == .green)
    // What comes after it changes none of the moments.
    scene.send(2)
    #expect(scene.runs { scene.log.count == 3 })
    #expect(scene.log.last == "acknowledged [2]" && peer.connections == 1)
    (status.counters.sent, status.counters.acknowledged) = (2, 2)
    #expect(scene.poster.status == status)
  }

  @Test func theNextOneGoesWhenTheFirstIsAnsweredAndAThirdComesBack() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    scene.send(7)
    #expect(scene.log == ["failed 7"] && scene.poster.status.counters.sent == 0)
    #expect(scene.start())
    for sequence in UInt64(1)...3 { scene.send(sequence) }
    #expect(scene.log == ["failed 7", up, "failed 3"])
    #expect(scene.poster.status.inFlight == 2 && scene.poster.status.counters.failed == 2)
    #expect(scene.runs { scene.log.count == 5 })
    #expect(scene.log.suffix(2) == ["acknowledged [1]", "acknowledged [2]"] && peer.bodies == ["m1", "m2"])
    #expect(scene.poster.status.inFlight == 0 && scene.poster.status.counters.sent == 2)
  }

  @Test func answerIsPassedOnAndOversizedOneCounted() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    let much = String(repeating: " ", count: HTTPRequest.bodyLimit + 1)
    peer.next = [
      .status(200, body: "[]"), .status(200, body: much),
      .last(Array("HTTP/1.1 200 A\r\nContent-Length: 9\r\n\r\n[".utf8)),
    ]
    #expect(scene.start())
    for sequence in UInt64(1)...4 {
      scene.send(sequence)
      #expect(scene.runs { scene.poster.status.counters.acknowledged == sequence })
    }
    #expect(
      scene.log == [
        up, "acknowledged [1]", "answered '[]'", "acknowledged [2]", "acknowledged [3]",
        "acknowledged [4]",
      ])
    #expect(scene.poster.status.counters.received == 1 && scene.poster.status.counters.oversized == 1)
  }

  // MARK: Trouble

  @Test func anotherTroubleIsNewsAndTheSameOneIsNot() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.next = [
      .status(404), .status(404), .status(200, body: "<html>"), .status(503), .status(204), .status(404),
      .status(204),
    ]
    #expect(scene.start(scene.hasty))
    scene.send(1)
    #expect(scene.runs { scene.poster.status.counters.acknowledged == 1 })
    #expect(
      scene.log == [
        up, "lost answered404", "lost webPage", "lost answered503", up, "acknowledged [1]",
      ])
    #expect(scene.poster.status.attempts == 0 && peer.bodies == Array(repeating: "m1", count: 5))
    // It was well in between: the same trouble is news again.
    scene.send(2)
    #expect(scene.runs { scene.poster.status.counters.acknowledged == 2 })
    #expect(scene.log.suffix(3) == ["lost answered404", up, "acknowledged [2]"])
    #expect(scene.poster.status.counters.connections == 3)
  }

  @Test func refusedEndpointIsRetriedWithBackoff() throws {
    let scene = try HTTPScene()
    (scene.configuration.retry.least, scene.configuration.retry.most, scene.random) = (1, 2, 0.5)
    #expect(scene.start())
    var status = fresh(scene)
    scene.send(1)
    #expect(scene.runs { scene.log.count == 2 })
    #expect(scene.log == [up, "lost refused"])
    (status.inFlight, status.attempts, status.counters.sent) = (1, 1, 1)
    (status.cause, status.colour, status.since) = (.refused, .amber, scene.now)
    // A tenth longer, as it was drawn.
    status.nextAttempt = scene.now + .milliseconds(1100)
    #expect(scene.poster.status == status)
    for (attempts, pause) in [(2, 2200), (3, 2200)] {
      #expect(scene.runs { scene.poster.status.attempts == attempts && scene.poster.phase == .waiting })
      status.attempts = attempts
      status.nextAttempt = scene.now + .milliseconds(pause)
      #expect(scene.poster.status == status)
    }
    // Whoever hurries it begins with the first pause anew.
    let asked = scene.now
    scene.poster.hurry(isAsked: true)
    #expect(scene.runs { scene.poster.status.attempts == 4 && scene.poster.phase == .waiting })
    (status.attempts, status.nextAttempt) = (4, scene.now + .milliseconds(1100))
    #expect(scene.poster.status == status)
    #expect(scene.log == [up, "lost refused"])
    // Something new to tell is a reason to try sooner, not within two seconds of the last attempt.
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    // Between the question and its failure, which is now, that attempt was made.
    let failed = scene.now
    scene.poster.hurry(isAsked: false)
    let next = try #require(scene.poster.status.nextAttempt)
    #expect(next >= asked + Backoff.attemptGap && next <= failed + Backoff.attemptGap)
    #expect(scene.runs { scene.log.count == 4 })
    #expect(scene.log.suffix(2) == [up, "acknowledged [1]"] && peer.bodies == ["m1"])
  }

  @Test func aServersWishToBeLeftAloneIsStrongerThanHurry() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.next = [.status(503, "Retry-After: 120\r\n")]
    #expect(scene.start())
    scene.send(1)
    let first = scene.now
    #expect(scene.runs { scene.poster.phase == .waiting })
    let again = scene.now + .seconds(120)
    #expect(scene.poster.status.nextAttempt == again && scene.log == [up, "lost answered503"])
    for isAsked in [false, true] {
      scene.poster.hurry(isAsked: isAsked)
      #expect(scene.poster.status.nextAttempt == again)
    }
    // Another network: it may have been that one's word. The connection over the old one is not used again.
    scene.poster.networkChanged()
    #expect(scene.poster.status.nextAttempt == first + Backoff.attemptGap)
    #expect(scene.runs { scene.log.last == "acknowledged [1]" })
    scene.send(2)
    #expect(scene.runs { scene.log.last == "acknowledged [2]" })
    #expect(peer.posts.map(\.connection) == [1, 2, 2] && peer.connections == 2)
  }

  @Test func overloadedEndpointIsSpread() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.next = [.status(503)]
    (scene.configuration.retry.spread, scene.random) = (60, 0.5)
    #expect(scene.start())
    scene.send(1)
    #expect(scene.runs { scene.poster.phase == .waiting })
    let again = scene.now + .seconds(30)
    #expect(scene.poster.status.nextAttempt == again)
    scene.poster.hurry(isAsked: false)
    #expect(scene.poster.status.nextAttempt == again, "news does not end it")
    scene.poster.hurry(isAsked: true)
    #expect(scene.poster.status.nextAttempt.map { $0 < again } == true)
    #expect(scene.runs { scene.log.last == "acknowledged [1]" })
  }

  @Test func spreadBeginsAfterRetryAfter() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.next = [.status(429, "Retry-After: 120\r\n")]
    (scene.configuration.retry.spread, scene.random) = (60, 0.5)
    #expect(scene.start())
    scene.send(1)
    #expect(scene.runs { scene.poster.phase == .waiting })
    #expect(scene.poster.status.nextAttempt == scene.now + .seconds(150))
  }

  @Test func onlyAPersonHurriesAServerThatHasAnswered() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    scene.configuration.retry.least = 60
    peer.next = [.status(404)]
    #expect(scene.start())
    scene.send(1)
    let first = scene.now
    scene.poster.hurry(isAsked: true)
    #expect(scene.poster.status.nextAttempt == nil)
    #expect(scene.runs { scene.poster.phase == .waiting })
    let again = scene.now + .seconds(60)
    scene.poster.hurry(isAsked: false)
    #expect(scene.poster.status.nextAttempt == again)
    scene.poster.hurry(isAsked: true)
    #expect(scene.poster.status.nextAttempt == first + Backoff.attemptGap)
    #expect(scene.runs { scene.log.last == "acknowledged [1]" })
    #expect(scene.poster.status.nextAttempt == nil)
  }

  @Test func anotherNetworkTakesAnOldPostBackAndAYoungOneNot() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.next = [.silence]
    #expect(scene.start())
    scene.send(1)
    let first = scene.now
    #expect(scene.runs { peer.posts.count == 1 })
    scene.poster.networkChanged()
    #expect(scene.poster.phase == .posting(since: first) && scene.poster.status.nextAttempt == nil)
    scene.run(until: first + Backoff.attemptGap)
    #expect(scene.poster.phase == .posting(since: first))
    scene.poster.networkChanged()
    #expect(scene.poster.status.nextAttempt == scene.now)
    #expect(scene.runs { scene.log.last == "acknowledged [1]" })
    #expect(peer.bodies == ["m1", "m1"] && peer.posts.map(\.connection) == [1, 2])
    #expect(scene.log == [up, "acknowledged [1]"])
  }
}
