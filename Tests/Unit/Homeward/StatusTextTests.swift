import OwnTracks
import Testing

@testable import homeward

/// The daemon's answers for people.
struct StatusTextTests {
  @Test func anOlderDaemonsStatusIsShownAsFarAsItGoes() {
    #expect(StatusText([:], isColoured: false).text == "Mode:      -\nPosition:  none yet")
  }

  @Test func unreachedBrokerIsShownWithItsCause() {
    let status: StatusRecord = [
      "label": "Move",
      "connection": [
        "colour": "amber", "state": "waiting", "host": "example.org", "port": 8883,
        "cause": "refused", "since": 90, "nextAttempt": 30,
      ],
    ]
    let lines = StatusText(status, isColoured: false).text.split(separator: "\n")
    #expect(lines[1] == "Broker:    [amber] waiting example.org:8883: refused, for 90 s")
    #expect(lines[2] == "           next attempt in 30 s")
  }

  @Test func modeIsShownWithItsCause() {
    let status: StatusRecord = ["label": "Manual", "modeCause": "by hand, on this board"]
    let text = StatusText(status, isColoured: false).text
    #expect(text.hasPrefix("Mode:      Manual (by hand, on this board)\n"))
  }

  // behaviour: Data volume
  @Test func dataVolumeIsShown() {
    let text = StatusText(["data": ["today": 9999, "month": 12_345_678]], isColoured: false).text
    #expect(text.contains("Data:      9999 bytes today, 12 MB this month"))
    #expect(!StatusText([:], isColoured: false).text.contains("Data:"))
    let tight: StatusRecord = [
      "data": ["today": 9999, "month": 12_345_678, "budget": 20_000_000, "spacing": 120]
    ]
    let lines = StatusText(tight, isColoured: false).text.split(separator: "\n")
    #expect(lines.contains("Data:      9999 bytes today, 12 MB of 20 MB this month"))
    #expect(lines.contains("           to save data, positions are sent 2 min apart (dataBudget)"))
  }

  // behaviour: Presence and Home Assistant
  @Test func leftoverEntitiesAreShown() {
    let lines = StatusText(["leftDescriptions": 1], isColoured: false).text.split(separator: "\n")
    #expect(lines.contains { $0.hasSuffix("1 entity of Home Assistant, see homeward doctor") })
    #expect(!StatusText([:], isColoured: false).text.contains("Home Assistant"))
  }

  @Test func connectedIsNotRepeatedAsCause() {
    let status: StatusRecord = [
      "connection": ["colour": "green", "state": "connected", "cause": "connected", "since": 8]
    ]
    #expect(StatusText(status, isColoured: false).text.contains("[green] connected, for 8 s"))
  }

  // behaviour: status and doctor
  @Test(arguments: [("", "xterm", true), ("1", "xterm", false), ("", "dumb", false)])
  func coloursCanBeSwitchedOff(noColor: String, terminal: String, isColoured: Bool) {
    #expect(Terminal.takesColours(["NO_COLOR": noColor, "TERM": terminal]) == isColoured)
  }

  @Test func messageCountsUseSingularAndPlural() {
    for (count, words) in [(1, "1 message, the last"), (12, "12 messages, the last")] {
      let number = JSON.integer(Int64(count))
      let messages: JSON = [
        "malformed": number, "lastMalformed": "a: b", "unopened": number, "lastUnopened": "c",
      ]
      let text = StatusText(["connection": [:], "messages": messages], isColoured: false).text
      #expect(text.contains(" \(words): a: b") && text.contains(" \(words): c"))
    }
  }

  @Test func queueTextListsHeldAndPassedByMessages() {
    let queue: StatusRecord.Queue = [
      "count": 1, "bytes": 40, "inFlight": 0, "window": 20, "held": ["owntracks/u/d/event"], "dropped": 3,
      "lastConfirmed": 150,
    ]
    let text = QueueText.text(queue)
    #expect(text.contains("Waiting:    1 message (40 bytes)"))
    #expect(text.contains("In flight:  0 of 20") && text.contains("Dropped:    3"))
    #expect(text.contains("Held:       owntracks/u/d/event: "))
    #expect(text.contains("Confirmed:  the last message 2 min ago"))
    #expect(QueueText.held(on: ["a", "b", "c", "d"])?.hasPrefix("a, b, c, d: ") == true)
    #expect(
      QueueText.held(on: ["a", "b", "c", "d", "e"])?.hasPrefix("a, b, c and 2 more: ") == true)
    #expect(QueueText.summary([:]) == "nothing")
    let together = "3 messages (40 bytes); 2 to travel together (batchSeconds)"
    #expect(QueueText.summary(["count": 3, "bytes": 40, "waitsForBatch": 2]) == together)
    #expect(
      QueueText.summary(["count": 2, "waitsForBatch": 2])
        == "2 messages; all to travel together (batchSeconds)")
    let passedBy = QueueText.text(["count": 2, "passedBy": ["u/d", "u/d"]])
    #expect(passedBy.contains("Passed by:  2 messages on u/d: not taken"))
    let old = QueueText.text(["count": 2, "waitsForWifi": 2])
    #expect(old.contains("Backlog:    2 old locations waiting for WiFi, a cable or their time (backlog)"))
    let status: StatusRecord = ["queue": ["count": 0, "notSent": 1]]
    let line = "1 old location not sent since the start (backlog)"
    #expect(StatusText(status, isColoured: false).text.contains(line))
  }

  @Test func aRegionThatTheBoardIsInsideOfHasAnAsterisk() {
    let regions: [RegionRecord] = [
      ["rid": "abcdef", "desc": "Home", "lat": 48.1, "lon": 11.5, "rad": 100, "inside": true, "dwell": 60],
      ["rid": "fedcba", "desc": "Car", "lat": 0, "lon": 0, "rad": 0, "share": false, "speedLimit": 50],
    ]
    let lines = RegionCommand.text(regions).split(separator: "\n")
    #expect(lines[0] == "   id      radius  latitude  longitude  name")
    #expect(lines.count == 3 && lines[1].hasPrefix("*  abcdef  100 m   48.1"))
    #expect(lines[1].hasSuffix("Home  (after 60 s)"))
    #expect(lines[2].hasSuffix("Car  (not shared)  (50 km/h)"))
    #expect(RegionCommand.text([]).hasPrefix("No regions."))
  }

  @Test func settingsOnTrialAreSaidToBe() {
    let remote: StatusRecord.Remote = ["settings": ["host": "a", "tid": "b"], "trial": true]
    #expect(remote.summary == "host, tid (on trial)")
    let nothing: StatusRecord.Remote = ["settings": [:], "trial": false]
    #expect(nothing.summary == nil)
  }

  // behaviour: The board's own health
  @Test func boardTroublesAreShown() {
    let board: JSON = [
      "temperature": 82.4, "underVoltage": false, "underVoltageSeen": true, "storageWear": 30,
      "troubles": ["hot", "readOnly", "fromTomorrow"],
    ]
    let findings = BoardFindings(.init(answer: board)).findings()
    #expect(findings.map(\.verdict) == [.warn, .fail, .warn, .warn])
    #expect(findings.map(\.text).first == "the processor is hot: 82 °C")
    #expect(findings.last?.remedy == "a supply of 5.1 V, and a shorter or thicker cable")
    #expect(
      StatusText(["board": board], isColoured: false).text.contains(
        "Board:     82 °C, storage 30 % worn, the processor is hot, the file system of the store is read-only, "
          + "something that this program does not know, the voltage was too low before"))
    let silent: StatusRecord.Board = ["troubles": []]
    #expect(BoardFindings(nil).findings().isEmpty && silent.words == nil)
    #expect(BoardFindings(["troubles": [], "temperature": 50]).findings().map(\.verdict) == [.ok])
  }
}
