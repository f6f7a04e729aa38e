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

  @Test func whatIsNotKnownIsLeftOut() {
    let receiver = Answer.receiver(GPSD.Status(), at: now)
    #expect(receiver["reached"] == false && receiver["version"] == nil && receiver["lastReport"] == nil)
    let radio = Answer.radio(BeaconScanner.Status(), at: now)
    #expect(radio["state"]?.text == "idle" && radio["adapter"] == nil && radio["lastHeard"] == nil)
  }

  @Test func timesAreAges() {
    var status = GPSD.Status()
    status.lastReport = .zero + .seconds(97)
    #expect(Answer.receiver(status, at: now)["lastReport"] == .real(3))
  }

  @Test func aStoreThatIsMissingSaysWhyAndWhen() {
    let missing = StoreAccess.Condition.missing("disk full", nextTry: now + .seconds(5))
    let answer = Answer.store(missing, path: "/state", at: now)
    #expect(answer["cause"]?.text == "disk full; going on in memory, trying again")
    #expect(answer["nextAttempt"] == .real(5) && answer["size"] == nil)
    let late = Answer.store(.missing("disk full", nextTry: .zero), path: "/state", at: now)
    #expect(late["nextAttempt"] == .real(0))
    #expect(Answer.store(nil, path: "/state", at: now) == ["path": "/state"])
  }

  // behaviour: status and doctor
  @Test func aPageIsToldWhatItDrawsOtherwise() {
    var page = Configuration().page
    #expect(Answer.page(page) == Optional.none)
    page.tacho = .linear
    #expect(Answer.page(page) == ["tacho": "linear"])
    (page.template, page.copyright) = ("https://t/{z}/{x}/{y}", "them")
    #expect(
      Answer.page(page) == ["template": "https://t/{z}/{x}/{y}", "copyright": "them", "tacho": "linear"])
  }

  @Test func unopenedMessagesAreCountedWhereThereIsAKey() {
    var sealing = Sealing()
    #expect(Answer.messages(Traffic(), sealing)["unopened"] == nil)
    sealing.configure("secret")
    #expect(Answer.messages(Traffic(), sealing)["unopened"] == .integer(0))
  }
}
