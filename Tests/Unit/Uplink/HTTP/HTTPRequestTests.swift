import Loop
import Model
import TestSupport
import Testing
import Timebase

@testable import Uplink

/// One post through libcurl: what goes out, and what is made of the answer.
@Suite struct HTTPRequestTests {
  /// A request to a peer, and its answers.
  private final class Bench {
    let scene: HTTPScene
    let peer: HTTPPeer
    var request: HTTPRequest!
    var answers: [HTTPRequest.Answer] = []

    init(_ change: (inout Configuration) -> Void = { _ in }) throws {
      if let why = HTTPPoster.loadLibrary() { throw SceneError.failed(why) }
      scene = try HTTPScene()
      peer = try HTTPPeer(scene.loop, port: scene.port)
      change(&scene.configuration)
      request = HTTPRequest(loop: scene.loop, settings: scene.settings) { [unowned self] in answers.append($0)
      }
      guard request != nil else { throw SceneError.failed("libcurl takes no settings") }
    }

    /// What becomes of a post that is answered so.
    func ask(_ answer: HTTPPeer.Answer, _ body: String = "{}", isFresh: Bool = false) -> HTTPRequest.Answer? {
      peer.next = [answer]
      answers = []
      guard request.begin(Array(body.utf8), within: .seconds(generous), isFresh: isFresh) else { return nil }
      scene.runs { !answers.isEmpty }
      return answers.first
    }
  }

  @Test func everyByteOfAPostIsAsTheEndpointIsPromised() throws {
    let bench = try Bench {
      $0.login.auth = true
      $0.login.password = "secret"
      $0.http.headers = "X-Key: a b\\nX-Empty:"
    }
    // With a NUL, and longer than what libcurl would ask about with `Expect`.
    let body = "{\u{0}" + String(repeating: "x", count: 1_100_000) + "}"
    #expect(bench.ask(.status(204), body)?.status == 204)
    let post = try #require(bench.peer.posts.first)
    #expect(
      post.head.sorted()
        == [
          "POST /pub HTTP/1.1", "Host: 127.0.0.1:\(bench.scene.port)",
          "Authorization: Basic amFuZTpzZWNyZXQ=",
          "User-Agent: homewardd", "Accept: */*", "Content-Type: application/json", "X-Limit-U: jane",
          "X-Limit-D: pi", "X-Key: a b", "X-Empty:", "Content-Length: \(body.utf8.count)",
        ].sorted())
    #expect(post.body == Array(body.utf8))
  }

  @Test func withoutALoginNoneIsSentAndAnEmptyPayloadIsAPostToo() throws {
    let bench = try Bench()
    #expect(bench.ask(.status(200), "") == .init(status: 200, isWhole: true))
    let post = try #require(bench.peer.posts.first)
    #expect(post.head.contains("Content-Length: 0") && post.body.isEmpty)
    #expect(!post.head.contains { $0.hasPrefix("Authorization") || $0.hasPrefix("Expect") })
  }

  @Test func completeAnswerIsReturned() throws {
    let bench = try Bench()
    let headers = "Content-Type: application/json\r\nRetry-After: 9\r\nDate: now\r\n"
    let whole = HTTPRequest.Answer(
      status: 201, kind: "application/json", retryAfter: "9", date: "now", body: Array("[1]".utf8),
      isWhole: true)
    #expect(bench.ask(.status(201, headers, body: "[1]")) == whole)
    #expect(!bench.request.isRunning)
    // Nothing of it is left in the next one.
    #expect(bench.ask(.status(204)) == .init(status: 204, isWhole: true))
    #expect(bench.ask(.status(500, body: "no")) == .init(status: 500, body: Array("no".utf8), isWhole: true))
    #expect(bench.peer.connections == 1 && bench.peer.posts.count == 3)
    #expect(bench.ask(.status(204), isFresh: true) == .init(status: 204, isWhole: true))
    #expect(bench.ask(.status(204)) == .init(status: 204, isWhole: true))
    #expect(bench.peer.posts.prefix(4).map(\.connection) == [1, 1, 1, 2] && bench.peer.connections == 2)
  }

  @Test func anotherPlaceIsNotGoneTo() throws {
    let bench = try Bench()
    let place = "http://127.0.0.1:\(bench.scene.port)/other"
    let answer = bench.ask(.status(307, "Location: \(place)\r\n"))
    #expect(answer == .init(status: 307, location: place, isWhole: true))
    #expect(bench.peer.posts.count == 1)
  }

  /// The limit itself counts as too much: nobody knows whether there was more.
  @Test func aLongAnswerIsCutWhereItIsLongEnough() throws {
    let bench = try Bench()
    let limit = HTTPRequest.bodyLimit
    #expect(limit == 65_536)
    for (count, kept, isWhole) in [
      (limit - 1, limit - 1, true), (limit, limit, false), (limit * 4, limit, false),
    ] {
      let text = String(repeating: "x", count: count)
      let answer = bench.ask(.status(200, body: text))
      #expect(
        answer == .init(status: 200, body: Array(repeating: 0x78, count: kept), isWhole: isWhole), "\(count)")
    }
    // The connection that it was cut on is not used again, and the next answer is whole.
    #expect(bench.ask(.status(200, body: "x")) == .init(status: 200, body: [0x78], isWhole: true))
    #expect(bench.peer.posts.last?.connection ?? 0 > 1)
  }

  /// libcurl goes on when it is told that the one byte of a piece was taken.
  @Test func aSingleByteThatIsTooMuchEndsTheConnectionToo() throws {
    let bench = try Bench()
    let limit = HTTPRequest.bodyLimit
    let text = String(repeating: "x", count: limit - 1)
    let chunks = "\(String(limit - 1, radix: 16))\r\n\(text)\r\n1\r\nx\r\n0\r\n\r\n"
    let head = "HTTP/1.1 200 A\r\nTransfer-Encoding: chunked\r\n\r\n"
    let answer = bench.ask(.bytes(Array((head + chunks).utf8)))
    #expect(answer == .init(status: 200, body: Array(repeating: 0x78, count: limit)))
    #expect(bench.ask(.status(204)) == .init(status: 204, isWhole: true))
    #expect(bench.peer.posts.map(\.connection) == [1, 2])
  }

  /// Too long is it before its empty line, where that is to count.
  @Test func overlongHeadIsRejected() throws {
    let bench = try Bench()
    // The last is too long by its empty line, of a single byte: it is known all the same.
    for (more, end, status, isTaken) in [
      (0, "\r\n", 200, true), (3, "\r\n", 0, false), (1, "\n", 200, false),
    ] {
      let (first, last) = ("HTTP/1.1 200 A\r\n", "Content-Length: 0\r\n\(end)")
      // Lines of a thousand bytes, and one that fills it up.
      var head = first
      let wanted = HTTPRequest.headLimit + more
      while wanted - head.utf8.count - last.utf8.count > 2000 {
        head += "X: " + String(repeating: "x", count: 995) + "\r\n"
      }
      let rest = wanted - head.utf8.count - last.utf8.count
      head += "Y: " + String(repeating: "y", count: rest - 5) + "\r\n" + last
      #expect(head.utf8.count == wanted)
      let answer = try #require(bench.ask(.bytes(Array(head.utf8))))
      #expect(answer.status == status && (answer.failure == nil) == isTaken, "\(more)")
    }
  }

  @Test func truncatedAnswerKeepsItsPartAndNamesFailure() throws {
    let bench = try Bench()
    let head = "HTTP/1.1 200 A\r\nContent-Length: 9\r\n"
    var answer = try #require(bench.ask(.last(Array((head + "\r\nab").utf8))))
    #expect(answer.status == 200 && answer.body == [0x61, 0x62] && !answer.isWhole)
    // 18: the file is partial.
    #expect(answer.failure?.code == 18 && answer.failure?.words.isEmpty == false)
    // Of half a head not even the status counts.
    answer = try #require(bench.ask(.last(Array(head.utf8))))
    #expect(answer.status == 0 && answer.kind.isEmpty && answer.body.isEmpty && !answer.isWhole)
    answer = try #require(bench.ask(.last([])))
    #expect(answer.status == 0 && answer.failure?.code == 52)
    answer = try #require(bench.ask(.reset([])))
    #expect(answer.failure?.code == 56 && answer.failure?.systemError == 104)
    // And then all is well.
    #expect(bench.ask(.status(204)) == .init(status: 204, isWhole: true))
  }

  @Test func aSilentEndpointHasSoMuchTime() throws {
    let bench = try Bench()
    bench.peer.usual = .silence
    let begun = SystemClock.read().instant
    #expect(bench.request.begin([1], within: .milliseconds(400), isFresh: false))
    #expect(bench.request.isRunning)
    #expect(bench.scene.runs { !bench.answers.isEmpty })
    let took = SystemClock.read().instant - begun
    #expect(took > .milliseconds(380))
    let failure = try #require(bench.answers.first?.failure)
    #expect(failure.code == 28 && failure.words.contains("Operation timed out"))
    #expect(bench.answers.count == 1 && !bench.request.isRunning)
  }

  @Test func closedPortIsConnectionRefused() throws {
    let bench = try Bench { $0.http.url = "http://127.0.0.1:\(FreePort.take())" }
    let failure = try #require(bench.ask(.silence)?.failure)
    #expect(failure.code == 7 && failure.systemError == 111 && failure.words.contains("connect"))
  }

  @Test func cancelledRequestHasNoAnswerAndNextOneWorks() throws {
    let bench = try Bench()
    bench.request.cancel()
    bench.peer.usual = .silence
    #expect(bench.request.begin([1], within: .seconds(generous), isFresh: false))
    #expect(bench.scene.runs { bench.peer.posts.count == 1 })
    bench.request.cancel()
    #expect(!bench.request.isRunning && bench.scene.runs { bench.peer.ended == 1 })
    #expect(bench.answers.isEmpty)
    #expect(bench.ask(.status(204)) == .init(status: 204, isWhole: true))
  }

  @Test func afterItsCloseNothingIsCalledAndNothingGoes() throws {
    let bench = try Bench()
    bench.peer.usual = .silence
    #expect(bench.request.begin([1], within: .milliseconds(300), isFresh: false))
    #expect(bench.scene.runs { bench.peer.posts.count == 1 })
    bench.request.close()
    bench.request.close()
    #expect(bench.scene.runs { bench.peer.ended == 1 })
    // Past the moment at which it would have run out of time.
    bench.scene.run(until: bench.scene.now + .milliseconds(400))
    #expect(bench.answers.isEmpty)
  }

  @Test func itCostsNothingWhileNothingHappens() throws {
    let bench = try Bench()
    #expect(bench.ask(.status(204))?.status == 204)
    bench.peer.usual = .silence
    #expect(bench.request.begin([1], within: .seconds(generous), isFresh: false))
    #expect(bench.scene.runs { bench.peer.posts.count == 2 })
    bench.scene.loop.runOnce(within: .milliseconds(50))
    #expect(bench.scene.loop.comesToRest(for: .milliseconds(400), wakeUps: 10))
  }
}
