import Model
import Testing

@testable import Core

// behaviour: Once more
/// What was refused for good goes once more, and the files that hold it go when the store has it.
struct OutboxResendTests {
  private func scene() -> Scene {
    var scene = Scene(Scene.configuration { $0.reports.monitoring = .manual })
    scene.connect()
    scene.fix(at: 0, 0)
    return scene
  }

  private static func refused(_ first: UInt64, _ count: Int = 3) -> RefusedMessages {
    RefusedMessages(
      first: first,
      messages: (0..<count).map {
        Message(topic: "old/\($0)", payload: [65], qos: 1, isRetained: false, isEvent: true, time: 5)
      })
  }

  /// The sequence that was asked for.
  private func ask(_ scene: inout Scene) throws -> UInt64 {
    scene.post(.asked(.refused, from: 9), at: 1)
    #expect(scene.refused.map(\.word) == ["take"] && scene.answers.isEmpty)
    return try #require(scene.refused.first).first
  }

  private func said(_ scene: Scene) -> String? {
    guard case .done(let text) = scene.answers.last else { return nil }
    return text
  }

  @Test func theyAreSentInOrderBehindAllThatWaits() throws {
    var scene = scene()
    scene.isDiskSlow = true
    scene.acknowledges = false
    let first = try ask(&scene)
    scene.post(.control(.publish(poi: "meanwhile"), from: 1), at: 1.5)
    scene.post(.refusedTaken(Self.refused(first), for: 9), at: 2)
    #expect(scene.answers.isEmpty && scene.refused.count == 1)
    while !scene.pendingBatches.isEmpty { scene.finishWrites(at: 3) }
    let sent = scene.sent.suffix(4)
    #expect(sent.dropFirst().map(\.topic) == ["old/0", "old/1", "old/2"])
    #expect(sent.dropFirst().first?.sequence == first && (sent.first?.sequence ?? 0) < first)
    #expect(said(scene) == "3 messages are in the queue again")
    #expect(scene.refused.map(\.word) == ["take", "forget"] && scene.refused.last?.first == first)
  }

  /// A store that has given the first sequence has all of them.
  @Test func oneBatchHasAllOfThem() throws {
    var scene = scene()
    scene.isDiskSlow = true
    let first = try ask(&scene)
    scene.post(.control(.tag("under way"), from: 1), at: 1.5)
    scene.post(.refusedTaken(Self.refused(first, 2000), for: 9), at: 2)
    var batches: [Int] = []
    while let batch = scene.pendingBatches.first {
      batches.append(
        batch.1.count { if case .insert(let message) = $0 { message.topic.hasPrefix("old") } else { false } })
      scene.finishWrites(at: 3)
    }
    #expect(batches.filter { $0 > 0 } == [2000])
  }

  @Test func unsendableDeadLettersAreReported() throws {
    var scene = scene()
    let first = try ask(&scene)
    var refused = Self.refused(first, 1)
    (refused.leftCount, refused.leftBecause) = (2, "/f, line 1: no JSON object")
    scene.post(.refusedTaken(refused, for: 9), at: 2)
    #expect(
      said(scene) == "1 message is in the queue again; 2 cannot be sent again: /f, line 1: no JSON object")
  }

  @Test func aDiskThatTakesNothingIsNotTrustedWithThem() {
    var scene = scene()
    scene.isDiskBroken = true
    scene.post(.control(.tag("x"), from: 1), at: 1)
    scene.post(.asked(.refused, from: 9), at: 2)
    #expect(scene.refused.isEmpty)
    guard case .failed(let why) = scene.answers.last else {
      Issue.record("taken into memory alone")
      return
    }
    #expect(why.contains("the disk takes nothing"))
  }

  /// It fails between the question and its answer: they are in memory, and their file stays for the next start.
  @Test func theirFileStaysWhereTheStoreDoesNotTakeThem() throws {
    var scene = scene()
    let first = try ask(&scene)
    scene.isDiskBroken = true
    scene.post(.refusedTaken(Self.refused(first), for: 9), at: 2)
    scene.run(until: 5)
    #expect(said(scene)?.contains("in memory only") == true)
    scene.isDiskBroken = false
    scene.run(until: 60)
    #expect(scene.refused.map(\.word) == ["take"])
  }

  @Test func shutdownKeepsUnwrittenResendFile() throws {
    var scene = scene()
    scene.isDiskSlow = true
    let first = try ask(&scene)
    scene.post(.refusedTaken(Self.refused(first), for: 9), at: 2)
    scene.post(.stopping, at: 2.1)
    #expect(scene.refused.map(\.word) == ["take"])
  }

  @Test func aLockedBoardSendsThemAllTheSame() {
    var scene = Scene(Scene.configuration { $0.commands.locked = true })
    scene.post(.asked(.refused, from: 9), at: 1)
    #expect(scene.refused.map(\.word) == ["take"])
  }
}
