import Answers
import Model
import OwnTracks
import Radio
import Receiver
import Testing
import Timebase

@testable import homewardd

/// What the adapters add to `status`.
struct AnswerTests {
  private let now = Instant.zero + .seconds(100)

  @Test func unknownValuesAreOmitted() {
    let receiver = StatusRecord.Receiver(PositionSourceStatus(name: "gpsd"), at: now).answer
    #expect(
      receiver["source"] == "gpsd" && receiver["reached"] == false
        && receiver["version"] == nil && receiver["lastReport"] == nil)
    var reached = PositionSourceStatus(name: "gpsd")
    (reached.version, reached.lastReport) = ("3.22", now)
    let known = StatusRecord.Receiver(reached, at: now).answer
    #expect(known["version"] == "3.22" && known["lastReport"] == .real(0))
    let radio = StatusRecord.Scanner(BeaconScanner.Status(), at: now).answer
    #expect(radio["state"]?.text == "idle" && radio["adapter"] == nil && radio["lastHeard"] == nil)
    var hearing = BeaconScanner.Status()
    (hearing.adapter, hearing.lastHeard) = ("hci0", now)
    let heard = StatusRecord.Scanner(hearing, at: now).answer
    #expect(heard["adapter"] == "hci0" && heard["lastHeard"] == .real(0))
  }

  @Test func timesAreAges() {
    var status = PositionSourceStatus(name: "gpsd")
    status.lastReport = .zero + .seconds(97)
    #expect(StatusRecord.Receiver(status, at: now).answer["lastReport"] == .real(3))
  }

  @Test func aStoreThatIsMissingSaysWhyAndWhen() {
    let missing = StoreAccess.Condition.missing("disk full", nextTry: now + .seconds(5))
    let answer = StatusRecord.Store(missing, path: "/state", at: now).answer
    #expect(answer["cause"]?.text == "disk full; going on in memory, trying again")
    #expect(answer["nextAttempt"] == .real(5) && answer["size"] == nil)
    let late = StatusRecord.Store(.missing("disk full", nextTry: .zero), path: "/state", at: now).answer
    #expect(late["nextAttempt"] == .real(0))
    #expect(StatusRecord.Store(nil, path: "/state", at: now).answer == ["path": "/state"])
  }

  // behaviour: status and doctor
  @Test func onlyNonDefaultPageSettingsAreAnswered() {
    var page = Configuration().page
    #expect(StatusRecord.Page(page) == nil)
    page.tacho = .linear
    #expect(StatusRecord.Page(page)?.answer == ["tacho": "linear"])
    (page.template, page.copyright) = ("https://t/{z}/{x}/{y}", "them")
    #expect(
      StatusRecord.Page(page)?.answer == [
        "template": "https://t/{z}/{x}/{y}", "copyright": "them", "tacho": "linear",
      ])
  }

  @Test func unopenedMessagesAreCountedWhereThereIsAKey() {
    var payloadEncryption = PayloadEncryption()
    #expect(StatusRecord.Messages(Traffic(), payloadEncryption).unopened == nil)
    payloadEncryption.configure("secret")
    #expect(StatusRecord.Messages(Traffic(), payloadEncryption).unopened == 0)
  }
}
