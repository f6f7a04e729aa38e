import Glibc
import Loop
import Model
import TestSupport
import Testing
import Timebase

@testable import Uplink

/// How posting begins, is given other settings, and ends.
@Suite struct HTTPPosterEndTests {
  private let up = "connected false 2"

  @Test func missingLibraryIsRedAndNamed() throws {
    let scene = try HTTPScene(load: { "it is not there" })
    scene.poster.configure(scene.settings)
    #expect(scene.runs { !scene.log.isEmpty })
    #expect(scene.log == ["lost settingRefused"] && scene.poster.phase == .idle)
    #expect(scene.poster.status.cause == .settingRefused("it is not there"))
    #expect(scene.poster.status.colour == .red)
    scene.send(1)
    #expect(scene.log.last == "failed 1")
  }

  /// Installed meanwhile.
  @Test(arguments: ["reload", "connect", "reconnect"]) func missingLibraryIsLookedForAgainOnRequest(
    _ request: String
  ) throws {
    let scratch = Scratch()
    let scene = try HTTPScene(load: { [path = scratch.path] in
      access(path + "/library", F_OK) == 0 ? HTTPPoster.loadLibrary() : "it is not there"
    })
    scene.poster.configure(scene.settings)
    #expect(scene.runs { scene.log == ["lost settingRefused"] })
    // Another route is no reason.
    scene.poster.networkChanged()
    #expect(scene.poster.phase == .idle)
    scratch.put("", at: "library")
    switch request {
    case "reload": scene.poster.askAnew()
    case "connect": scene.poster.connectSoon()
    case _: scene.poster.reconnect()
    }
    #expect(scene.runs { scene.poster.phase == .ready } && scene.log.last == up)
  }

  @Test func settingsThatCannotBePostedToAreShownAndNothingIsBegun() throws {
    let scene = try HTTPScene()
    scene.configuration.http.url = ""
    scene.poster.configure(scene.settings)
    let cause = BrokerCause.settingRefused("no endpoint: url is not set, or is no address")
    #expect(scene.poster.status.cause == cause && scene.poster.phase == .idle && scene.log.isEmpty)
  }

  @Test func anUnreadableFileIsNamedBeforeAnyByteGoesOut() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    scene.configuration.tls.caFile = "/nonexistent/ca.pem"
    #expect(scene.start())
    scene.send(1)
    #expect(scene.log == [up, "lost fileUnreadable"] && scene.poster.phase == .waiting)
    #expect(
      scene.poster.status.cause
        == .fileUnreadable(path: "/nonexistent/ca.pem", why: "No such file or directory"))
    #expect(scene.poster.status.attempts == 1 && peer.connections == 0)
  }

  @Test func settingsThatOnlySayWhenInterruptNothing() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.next = [.silence]
    #expect(scene.start())
    scene.send(1)
    #expect(scene.runs { peer.posts.count == 1 })
    scene.configuration.retry.least = 33
    scene.poster.configure(scene.settings)
    if case .posting = scene.poster.phase {} else { Issue.record("\(scene.poster.phase)") }
    #expect(scene.log == [up] && peer.ended == 0)
  }

  @Test func changedEndpointHandsBackPostsAndReconnects() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.next = [.status(204), .silence]
    #expect(scene.start())
    scene.send(1)
    #expect(scene.runs { scene.log.count == 2 })
    #expect(scene.poster.status.connectedSince != nil)
    scene.send(2)
    scene.send(3)
    #expect(scene.runs { peer.posts.count == 2 })
    scene.configuration.http.url += "?new"
    scene.configuration.tls.allowsInvalidCertificates = true
    scene.poster.configure(scene.settings)
    #expect(scene.log == [up, "acknowledged [1]", "failed 2", "failed 3", "lost settingsChanged"])
    #expect(scene.poster.status.connectedSince == nil && scene.poster.status.inFlight == 0)
    #expect(scene.poster.phase == .loading && !scene.poster.status.isInsecure)
    #expect(scene.runs { scene.poster.phase == .ready && peer.ended == 1 })
    #expect(scene.log.last == up && scene.poster.status.cause == .nothingPosted)
    #expect(scene.poster.status.counters.connections == 2)
    scene.send(2)
    #expect(scene.runs { scene.log.last == "acknowledged [2]" })
    #expect(peer.posts.last?.head.first == "POST /pub?new HTTP/1.1")
  }

  @Test func anotherEndpointBeginsTheLadderAnew() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.usual = .status(500)
    scene.configuration.retry.least = 9
    for url in ["/one", "/two"] {
      scene.configuration.http.url = "http://127.0.0.1:\(scene.port)\(url)"
      #expect(scene.start())
      scene.send(1)
      #expect(scene.runs { scene.poster.phase == .waiting })
      #expect(scene.poster.status.nextAttempt == scene.now + .seconds(9))
    }
    #expect(scene.log == [up, "lost answered500", "failed 1", up, "lost answered500"])
  }

  @Test func theLastSettingsCount() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    scene.poster.configure(scene.settings)
    scene.configuration.http.url = "https://127.0.0.1:\(scene.port)"
    scene.configuration.tls.allowsInvalidCertificates = true
    scene.poster.configure(scene.settings)
    #expect(scene.poster.status.isInsecure)
    scene.configuration.http.url = "http://127.0.0.1:\(scene.port)/last"
    #expect(scene.start())
    #expect(!scene.poster.status.isInsecure)
    scene.send(1)
    #expect(scene.runs { scene.log.last == "acknowledged [1]" })
    #expect(peer.posts.map { $0.head.first } == ["POST /last HTTP/1.1"])
    #expect(scene.log == [up, "acknowledged [1]"])
  }

  @Test func retiredItGivesAllBackAndTakesNothingMore() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.next = [.status(500)]
    #expect(scene.start(scene.hasty))
    peer.usual = .silence
    scene.send(1)
    #expect(scene.runs { peer.posts.count == 2 })
    scene.poster.retire()
    // It was told of the trouble already: nothing stands that could be lost.
    #expect(scene.log == [up, "lost answered500", "failed 1"] && scene.poster.phase == .idle)
    #expect(scene.poster.status.inFlight == 0 && scene.runs { peer.ended == 1 })
    scene.poster.networkChanged()
    scene.send(2)
    #expect(scene.log.last == "failed 2" && !scene.runs(0.2) { peer.posts.count > 2 })
  }

  // MARK: A person's switch

  @Test func switchedOffItGivesAllBackAndWaitsForAPerson() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.next = [.silence]
    #expect(scene.start())
    scene.send(1)
    #expect(scene.runs { peer.posts.count == 1 })
    scene.poster.disconnect()
    #expect(scene.log == [up, "failed 1", "lost switchedOff"] && scene.poster.phase == .idle)
    #expect(scene.poster.status.cause == .switchedOff && scene.poster.colour == .blue)
    scene.poster.networkChanged()
    scene.poster.connectSoon()
    scene.poster.hurry(isAsked: true)
    scene.configuration.http.url += "?new"
    scene.poster.configure(scene.settings)
    #expect(scene.poster.phase == .idle && scene.poster.status.cause == .switchedOff)
    scene.poster.reconnect()
    #expect(scene.runs { scene.poster.phase == .ready } && scene.log.last == up)
    scene.send(1)
    #expect(scene.runs { scene.log.last == "acknowledged [1]" })
    #expect(peer.posts.last?.head.first == "POST /pub?new HTTP/1.1")
  }

  @Test(arguments: [true, false])
  func userRequestOverridesRetryAfter(_ isNew: Bool) throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.next = [.status(503, "Retry-After: 600\r\n")]
    #expect(scene.start(scene.hasty))
    scene.send(1)
    #expect(scene.runs { scene.poster.phase == .waiting })
    #expect(scene.poster.status.nextAttempt.map { $0 - scene.now > .seconds(500) } == true)
    isNew ? scene.poster.reconnect() : scene.poster.connectSoon()
    #expect(scene.runs { scene.log.last == "acknowledged [1]" })
  }

  // MARK: The end of the program

  /// Answers the posts of one connection with 204, off the loop; when that ends it tells how many came.
  private func serveOnce(_ scene: HTTPScene, _ answered: @escaping (Int) -> Void) throws {
    let listener = try SilentPeer(port: scene.port)
    let descriptor = listener.descriptor
    scene.worker.perform {
      let peer = accept(descriptor, nil, nil)
      defer { close(peer) }
      let text = "HTTP/1.1 204 A\r\n\r\n"
      var (count, posts) = (1, 0)
      while count > 0 {
        var buffer = [UInt8](repeating: 0, count: 4096)
        count = recv(peer, &buffer, buffer.count, 0)
        if count > 0 {
          posts += 1
          _ = send(peer, text, text.utf8.count, Int32(MSG_NOSIGNAL))
        }
      }
      return posts
    } then: { posts in
      withExtendedLifetime(listener) { answered(posts) }
    }
  }

  @Test func atTheEndTheAnswerIsWaitedForAndNothingElseIsBegun() throws {
    let scene = try HTTPScene()
    #expect(scene.start())
    var posts: Int?
    try serveOnce(scene) { posts = $0 }
    scene.send(1)
    scene.send(2)
    let limit = SystemClock.read().instant + .seconds(generous)
    scene.poster.shutDown(within: .seconds(generous))
    #expect(SystemClock.read().instant < limit)
    #expect(scene.log == [up, "acknowledged [1]"] && scene.poster.phase == .idle)
    scene.send(3)
    #expect(scene.log.last == "failed 3")
    #expect(scene.runs { posts != nil } && posts == 1)
  }

  @Test func atTheEndASilentEndpointIsWaitedForSoLong() throws {
    let scene = try HTTPScene()
    let peer = try HTTPPeer(scene.loop, port: scene.port)
    peer.usual = .silence
    #expect(scene.start())
    scene.send(1)
    #expect(scene.runs { peer.posts.count == 1 })
    let begun = SystemClock.read().instant
    scene.poster.shutDown(within: .milliseconds(350))
    let took = SystemClock.read().instant - begun
    #expect(took >= .milliseconds(350))
    #expect(scene.log == [up] && scene.runs { peer.ended == 1 })
  }

  @Test func shutDownDoesNotWaitForRetry() throws {
    let scene = try HTTPScene()
    #expect(scene.start())
    scene.send(1)
    #expect(scene.runs { scene.poster.phase == .waiting })
    let limit = SystemClock.read().instant + .seconds(generous)
    scene.poster.shutDown(within: .seconds(generous))
    #expect(SystemClock.read().instant < limit && scene.poster.phase == .idle)
  }
}
