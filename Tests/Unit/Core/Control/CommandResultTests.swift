import Model
import Testing
import Timebase

@testable import Core

// behaviour: Answers
/// What the sender of a command is told of it.
struct CommandResultTests {
  private func scene(_ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    var scene = Scene(
      Scene.configuration {
        $0.broker.host = "home"
        $0.commands.isOn = true
        $0.commands.remoteConfiguration = true
        change(&$0)
      })
    scene.connect()
    return scene
  }

  private func order(
    _ command: Command, id: CommandID? = .number(7), problems: [String] = [], topic: String? = "a/b/cmd"
  ) -> Event {
    var received = ReceivedCommand(command)
    (received.id, received.problems, received.topic) = (id, problems, topic)
    return .commanded(received)
  }

  private func settings(_ settings: SettingsChange.Setting...) -> Command {
    var change = SettingsChange()
    change.settings = settings
    return .setConfiguration(change)
  }

  private func results(_ scene: Scene) -> [CommandResult] {
    scene.reports.compactMap { if case .result(let result) = $0.report { result } else { nil } }
  }

  @Test func anAnswerGoesBelowTheTopicOfItsCommand() {
    var scene = scene()
    scene.post(order(.status), at: 10)
    scene.post(order(.status, id: .text("x"), topic: nil), at: 20)
    #expect(results(scene).map(\.topic) == ["a/b/cmd/answer", nil])
    #expect(results(scene).map(\.id) == [.number(7), .text("x")])
    #expect(results(scene).allSatisfy { $0.outcome == .done && $0.time != nil })
  }

  @Test func settingsOnTrialAreSaidToBeInTheAnswer() {
    var scene = scene()
    scene.post(order(settings(.init("locatorInterval", .number(60)))), at: 10)
    scene.post(order(settings(.init("host", .text("away")))), at: 20)
    #expect(results(scene).map(\.outcome) == [.done, .done])
    #expect(
      results(scene).map(\.reason) == [
        nil, "on trial: taken back after 120 s unless the server takes a message",
      ])
  }

  @Test func commandProblemsAreReportedInResult() {
    var scene = scene()
    scene.post(order(settings(.init("tid", .text("zz"))), problems: ["a is 1", "b is 2"]), at: 10)
    scene.post(order(settings(), problems: ["a is 1"]), at: 20)
    #expect(results(scene).map(\.outcome) == [.partly, .refused])
    #expect(results(scene).map(\.reason) == ["a is 1; b is 2", "a is 1"])
  }

  @Test func regionsWithoutRoomAreSaidToBeInTheAnswer() {
    let entries = (0..<Region.limit + 2).map {
      WaypointEntry(
        rid: "r\($0)", name: "R\($0)", coordinate: Coordinate(latitude: 1, longitude: 2), created: 1)
    }
    var scene = scene()
    scene.post(order(.setWaypoints(entries)), at: 10)
    scene.post(order(.setWaypoints([entries[Region.limit]])), at: 20)
    #expect(results(scene).map(\.outcome) == [.partly, .refused])
    #expect(results(scene)[0].reason == "2 regions were not taken: a board keeps at most \(Region.room)")
    #expect(results(scene)[1].reason == "1 region was not taken: a board keeps at most \(Region.room)")
  }

  @Test func anAnswerIsDurableBeforeItIsSent() {
    var scene = scene()
    scene.post(order(.clearWaypoints), at: 10)
    let isWritten = scene.writes.contains {
      if case .insert(let message) = $0 { message.isEvent } else { false }
    }
    #expect(isWritten)
  }

  @Test func rateLimitedRefusalResultsResume() {
    var scene = scene { $0.commands.isOn = false }
    for step in 0..<100 { scene.post(order(.dump), at: 10 + Double(step) / 10) }
    // Thirty in a row, and one that was earned meanwhile.
    #expect(results(scene).count == 31 && scene.lastReason == "resultNotTold")
    scene.post(order(.dump), at: 100)
    #expect(results(scene).count == 32 && results(scene).allSatisfy { $0.outcome == .refused })
  }

  @Test func failedCommandIsAnsweredOnlyWithID() {
    var scene = scene()
    scene.post(.commandMalformed(action: nil, id: .unusable, "id is wrong"), at: 10)
    scene.post(.commandBarred(action: nil, id: nil, .retained), at: 20)
    scene.post(.commandMalformed(action: "fly", id: nil, "unknown action"), at: 30)
    #expect(results(scene).map(\.reason) == ["id is wrong"])
    scene.post(.commandMalformed(action: "fly", id: .number(8), "unknown action"), at: 40)
    #expect(results(scene).map(\.reason) == ["id is wrong", "unknown action"])
  }
}
