import OwnTracks
import Testing

@testable import homeward

// behaviour: Whether commands arrive
/// What people are told of commands to the board.
struct CommandsTextTests {
  private func status(_ commands: JSON?) -> StatusRecord {
    var connection: JSON = ["colour": "green", "state": "connected"]
    connection.set("commands", commands)
    return ["connection": connection]
  }

  private func words(_ commands: JSON) -> String? {
    CommandsText.words(status(commands).connection ?? [:])
  }

  @Test func commandStatesHaveDistinctTexts() {
    #expect(words(["topic": "a/cmd", "state": "untried"]) == "not tried out yet on a/cmd")
    let heard = words(["topic": "a/cmd", "state": "heard", "age": 7_300.0])
    #expect(heard?.hasPrefix("heard: ") == true && heard?.hasSuffix("came back 2 h 1 min ago") == true)
    #expect(words(["topic": "a/cmd", "state": "missing"])?.hasPrefix("NOT HEARD: ") == true)
    #expect(words(["topic": "a/cmd", "state": "unclear"])?.contains("does not say which") == true)
    let refused = words(["topic": "a/cmd", "state": "barred", "why": "Not authorized (reason code 0x87)"])
    #expect(refused?.hasPrefix("not tried out: ") == true && refused?.contains("0x87") == true)
    #expect(words(["topic": "a/cmd", "state": "barred"])?.hasPrefix("heard: those of others") == true)
    #expect(words(["topic": "a/cmd", "state": "later"]) == nil && CommandsText.words([:]) == nil)
  }

  @Test func doctorWarnsOnlyOfUnclearCommands() {
    #expect(CommandsText.findings(nil).isEmpty && CommandsText.findings(status(nil)).isEmpty)
    #expect(CommandsText.findings(status(["topic": "a", "state": "missing"])).isEmpty)
    let unclear = CommandsText.findings(status(["topic": "a", "state": "unclear"]))
    #expect(unclear.map(\.verdict) == [.warn] && unclear[0].remedy?.contains("mqttProtocolLevel 5") == true)
    for state in ["heard", "untried", "barred"] {
      let found = CommandsText.findings(status(["topic": "a", "state": .string(state)]))
      #expect(found.map(\.verdict) == [.ok], "\(state)")
    }
  }
}
