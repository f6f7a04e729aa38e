import Model
import OwnTracks
import Testing
import Timebase
import Uplink

@testable import Simulator

/// How the board connects: who does it too often, too rarely or with the wrong session is noticed.
struct ConnectingTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  /// What is said of attempts at these seconds that fail at once.
  private func says(ofAttempts moments: [Double], isVerdict: Bool = false) -> [String?] {
    var attempts = Attempts()
    return moments.map { second in
      defer { attempts.end(isVerdict: isVerdict, at: at(second)) }
      return attempts.begins(isIPv4Forced: false, level: 5, at: at(second))
    }
  }

  @Test func attemptsThatDoNotThinOutAreNoticed() {
    #expect(says(ofAttempts: [0, 2, 6, 14, 30, 62, 126, 190]) == Array(repeating: nil, count: 8))
    #expect(says(ofAttempts: [0, 1.9]).last != .some(nil))
    #expect(says(ofAttempts: [0, 2, 5.9]).last != .some(nil))
    #expect(says(ofAttempts: [0, 2, 6, 14, 30, 62, 125.9]).last != .some(nil))
    #expect(says(ofAttempts: [0, 64], isVerdict: true).last == .some(nil))
    #expect(says(ofAttempts: [0, 63], isVerdict: true).last != .some(nil))
  }

  @Test func onlyUserRequestMayHurryAfterVerdict() {
    for isAsked in [false, true] {
      var attempts = Attempts()
      for second in [0.0, 2, 6, 14] {
        #expect(attempts.begins(isIPv4Forced: false, level: 5, at: at(second)) == nil)
        attempts.end(isVerdict: second == 14, at: at(second))
      }
      attempts.mayHurry(isAsked: isAsked)
      let isNoticed = attempts.begins(isIPv4Forced: false, level: 5, at: at(16)) != nil
      // Who is told that the password is wrong has no reason in news.
      #expect(isNoticed == !isAsked)
    }
  }

  @Test func theOtherHalfOfAnAttemptFollowsAtOnce() {
    var attempts = Attempts()
    for (isIPv4Forced, level, isNoticed) in [
      (false, 5, false), (true, 5, false), (false, 4, false), (false, 4, true),
    ] {
      let said = attempts.begins(isIPv4Forced: isIPv4Forced, level: level, at: at(1))
      #expect((said != nil) == isNoticed)
      attempts.end(isVerdict: false, at: at(1))
    }
  }

  @Test func missingAttemptIsNoticed() {
    var attempts = Attempts()
    func look(_ seconds: Double, isGood: Bool = true, isUnderWay: Bool = false) -> Bool {
      attempts.look(isGood: isGood, isUnderWay: isUnderWay, further: 0, at: at(seconds)) != nil
    }
    #expect(!look(0) && !look(86) && look(87))
    #expect(!look(88, isGood: false) && !look(89) && !look(175) && look(176))
    // It began before and hangs.
    attempts.disturbed(at: at(200))
    #expect(attempts.begins(isIPv4Forced: false, level: 5, at: at(200)) == nil)
    #expect(!look(201, isUnderWay: true) && !look(231, isUnderWay: true))
    attempts.end(isVerdict: false, at: at(231))
    #expect(!look(317) && look(318))
  }

  @Test func aRivalMayTakeLonger() {
    var attempts = Attempts()
    for second in [0.0, 10, 20] {
      attempts.stands(at: at(second))
      attempts.end(isVerdict: false, at: at(second + 5))
    }
    func look(_ seconds: Double) -> Bool {
      attempts.look(isGood: true, isUnderWay: false, further: 0, at: at(seconds)) != nil
    }
    #expect(!look(30) && !look(190) && look(194))
  }

  @Test func overdueAcknowledgementIsNoticed() {
    var patience = Patience()
    patience.stands(at: at(0))
    #expect(patience.look(oldest: at(10), at: at(74)) == nil)
    #expect(patience.look(oldest: at(10), at: at(75)) != nil)
    patience.acknowledged(at: at(30))
    #expect(patience.look(oldest: at(10), at: at(94)) == nil)
    // Something passes.
    patience.asked(7)
    patience.answered(6, at: at(70))
    #expect(patience.look(oldest: at(10), at: at(90)) == nil)
    patience.answered(7, at: at(71))
    #expect(patience.look(oldest: at(10), at: at(73)) == nil)
    #expect(patience.look(oldest: at(10), at: at(78)) != nil)
    #expect(patience.isOver(oldest: at(10), at: at(54)) != nil)
    #expect(patience.isOver(oldest: at(10), at: at(55)) == nil)
    #expect(patience.isOver(oldest: nil, at: at(55)) != nil)
  }

  @Test func newsThatIsNoneIsNoticed() {
    var news = ConnectionNews()
    #expect(news.lost(.refused) == nil && news.lost(.timedOut) == nil)
    #expect(news.lost(.timedOut) != nil)
    news.stands()
    #expect(news.lost(.timedOut) == nil)
    #expect(news.attempt() == nil && news.connected() == nil)
    #expect(news.attempt() != nil && news.connected() != nil)
    #expect(news.lost(.timedOut) == nil && news.attempt() == nil)
  }

  @Test func aSessionOfOtherSettingsThatGoesOnIsNoticed() {
    func settings(_ name: String) -> BrokerSettings {
      var configuration = Configuration()
      configuration.identity.username = name
      let topics = Topics(configuration, hostName: "board")
      let will = Message(
        sequence: 0, topic: topics.base, payload: [], qos: 1, isRetained: false, isEvent: false, time: 1)
      return BrokerSettings(configuration, topics: topics, will: will)
    }
    var continuity = Continuity()
    continuity.configured(settings("anna"), after: nil)
    #expect(continuity.connects(isPresent: true) == nil)
    continuity.configured(settings("anna"), after: settings("anna"))
    #expect(continuity.connects(isPresent: true) == nil)
    continuity.configured(settings("bert"), after: settings("anna"))
    #expect(continuity.connects(isPresent: true) != nil)
    continuity.configured(settings("anna"), after: settings("bert"))
    #expect(continuity.connects(isPresent: false) == nil && continuity.connects(isPresent: true) == nil)
  }
}
