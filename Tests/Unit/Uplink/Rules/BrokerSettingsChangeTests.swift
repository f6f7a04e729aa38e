import Model
import OwnTracks
import Testing
import Timebase

@testable import Uplink

/// What a change of settings costs, and what is made of single ones.
@Suite struct BrokerSettingsChangeTests {
  private func settings(
    willQoS: Int = 1, _ change: (inout Configuration) -> Void = { _ in }
  ) -> BrokerSettings {
    var configuration = Configuration()
    configuration.identity.username = "jane"
    configuration.identity.deviceId = "pi"
    configuration.broker.host = "broker.example"
    change(&configuration)
    let topics = Topics(configuration, hostName: "board")
    let will = Message(
      topic: topics.base, payload: [1], qos: willQoS, isRetained: false, isEvent: false, time: 1)
    return BrokerSettings(configuration, topics: topics, will: will)
  }

  @Test func localSettingsNeedNoReconnection() {
    let old = settings()
    #expect(old.change(to: settings { $0.retry.timeout += 1 }) == .none)
    #expect(old.change(to: settings { $0.retry.least += 1 }) == .none)
    #expect(old.change(to: settings { $0.retry.most += 1 }) == .none)
    #expect(old.change(to: settings { $0.broker.roundTrip.toggle() }) == .none)
    #expect(old.change(to: settings { $0.messages.retain.toggle() }) == .none)
  }

  /// They were made when it could be kept.
  @Test func locationsThatWaitAreNoLongerToBeKeptWhereNoneAre() {
    func location(_ sequence: UInt64, on topic: String = "owntracks/jane/pi", isRetained: Bool = true)
      -> Message
    {
      Message(
        sequence: sequence, topic: topic, payload: [1], qos: 1, isRetained: isRetained, isEvent: false,
        time: 1)
    }
    let (kept, not) = (settings { $0.messages.retain = true }, settings { $0.messages.retain = false })
    #expect(kept.retains(location(1)) && !kept.retains(location(1, isRetained: false)))
    #expect(!not.retains(location(1)))
    // What is said again for those who came later, and cards.
    #expect(not.retains(location(0)) && not.retains(location(1, on: "owntracks/jane/pi/info")))
  }

  @Test func connectionSettingsKeepTheSession() {
    let old = settings()
    #expect(old.change(to: settings(willQoS: 2)) == .connection)
    #expect(old.change(to: settings { $0.broker.keepalive += 7 }) == .connection)
    #expect(old.change(to: settings { $0.broker.cleanSession.toggle() }) == .connection)
    #expect(old.change(to: settings { $0.tls.isOn.toggle() }) == .connection)
    #expect(old.change(to: settings { $0.tls.caFile = "/other.pem" }) == .connection)
    #expect(old.change(to: settings { $0.messages.encryptionKey = "secret" }) == .connection)
    var blocked = old
    blocked.blockedReason = "a setting"
    #expect(old.change(to: blocked) == .connection)
  }

  /// Where the filters stay the same, so does what the broker keeps.
  @Test func anotherBaseTopicKeepsTheSessionOfOtherFilters() {
    let old = settings { $0.broker.subTopic = "elsewhere/#" }
    let new = settings {
      $0.broker.subTopic = "elsewhere/#"
      $0.messages.topicBase = "other/%u/%d"
    }
    #expect(old.will.topic != new.will.topic && old.aliases != new.aliases)
    #expect(old.change(to: new) == .connection)
  }

  @Test func anotherBrokerIsAnotherSession() {
    let old = settings()
    #expect(old.change(to: settings { $0.broker.host = "other.example" }) == .session)
    #expect(old.change(to: settings { $0.broker.port += 1 }) == .session)
    #expect(old.change(to: settings { $0.broker.subQos = 0 }) != .none)
  }

  @Test func roundTripAndEchoNeedSubscriptions() {
    for (isWanted, isSubscribing) in [(true, true), (true, false), (false, true), (false, false)] {
      let settings = settings {
        $0.broker.roundTrip = isWanted
        $0.broker.sub = isSubscribing
      }
      #expect(settings.trials.isRoundTripWanted == (isWanted && isSubscribing))
      // Where nobody's commands are obeyed it is of no consequence whether they arrive.
      #expect(!settings.trials.isEchoWanted)
      let obeying = self.settings {
        ($0.broker.roundTrip, $0.broker.sub, $0.commands.isOn) = (isWanted, isSubscribing, true)
      }
      #expect(obeying.trials.isEchoWanted == (isWanted && isSubscribing))
    }
  }

  @Test func theLibraryTakesNoKeepaliveOfOneToFourSeconds() {
    let wanted = [0, 1, 4, 5, 6, 60]
    #expect(
      wanted.map { second in settings { $0.broker.keepalive = second }.keepalive } == [0, 5, 5, 5, 6, 60])
  }

  /// Often enough that a ping is late by a sixth at most, and every ten seconds where nothing is to be pinged.
  @Test func pingsAreLookedAfterInTime() {
    let wanted = [0, 5, 6, 30, 60, 600]
    let looks = wanted.map { second in settings { $0.broker.keepalive = second }.keepAliveLook.seconds }
    #expect(looks == [10, 1, 1, 5, 10, 10])
  }
}

/// What is known of messages that are under way, and of topics with numbers.
@Suite struct BrokerUnderWayTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  /// One message.
  private func table(sequence: UInt64 = 10, qos: Int, isAliasOnly: Bool = false) -> BrokerInFlight {
    var table = BrokerInFlight()
    let isNew = table.add(1, sequence: sequence, qos: qos, isAliasOnly: isAliasOnly, at: at(1))
    #expect(isNew)
    return table
  }

  @Test func aliasOnlyMessageAboveQoS0IsFlagged() {
    for (qos, isAliasOnly, isTrouble) in [
      (0, true, false), (1, true, true), (2, true, true), (1, false, false),
    ] {
      #expect(table(qos: qos, isAliasOnly: isAliasOnly).hasAliasOnly == isTrouble, "\(qos) \(isAliasOnly)")
    }
  }

  @Test func onlyQoS1And2AreOwed() {
    for (qos, isOwed) in [(0, false), (1, true), (2, true)] {
      #expect(table(qos: qos).hasUnanswered == isOwed)
      #expect((table(qos: qos).owedSince == at(1)) == isOwed)
    }
  }

  @Test func anAnnouncementHasNoPlaceInTheQueue() {
    for (sequence, qos, isOne) in [(UInt64(0), 1, true), (0, 0, false), (1, 1, false), (1, 0, false)] {
      #expect(table(sequence: sequence, qos: qos).hasAnnouncement == isOne, "\(sequence) \(qos)")
    }
  }

  @Test func onlyTheBrokerAnswers() {
    for (qos, isAnswer) in [(0, false), (1, true), (2, true)] {
      var table = table(qos: qos)
      #expect(!table.hasAnswers)
      _ = table.take(1, at: at(2))
      #expect(table.hasAnswers == isAnswer, "\(qos)")
    }
  }

  @Test func anotherConnectionHasNoAnswersYet() {
    var table = table(qos: 1)
    _ = table.take(1, at: at(2))
    table.sentAgain(at: at(3))
    #expect(!table.hasAnswers)
  }

  /// Whatever was passed over on the last connection waits in line on this one.
  @Test func passedOverMessagesAreForgottenOnReconnection() {
    var table = BrokerInFlight()
    for number in Int32(1)...3 {
      _ = table.add(number, sequence: 10, qos: 1, isAliasOnly: false, at: at(Double(number)))
    }
    _ = table.take(3, at: at(50))
    table.sentAgain(at: at(60))
    _ = table.take(1, at: at(70))
    #expect(table.owedSince == at(70))
  }

  @Test func aBrokerThatNamesNoNumberTakesNoAlias() {
    var none = BrokerAliases(numbers: ["base": 1])
    let alias = none.alias(for: "base")
    #expect(alias == nil)
  }
}

/// The ladder's memory of connections that died young.
@Suite struct BackoffMemoryTests {
  /// How many deaths more, over a message perhaps, until connections keep dying young.
  private func deathsLeft(_ backoff: Backoff) -> Int {
    var copy = backoff
    var count = 0
    while !copy.isFlapping, count < 20 {
      copy.lost(after: .seconds(1), because: .perhapsMessage)
      count += 1
    }
    return count
  }

  @Test func forgivingClearsAllYoungDeaths() {
    var backoff = Backoff(minimum: .seconds(2), maximum: .seconds(64))
    #expect(deathsLeft(backoff) == 6)
    backoff.lost(after: .seconds(9.9))
    #expect(deathsLeft(backoff) == 4)
    var lived = backoff
    lived.lost(after: .seconds(10))
    #expect(deathsLeft(lived) == 6)
    var explained = backoff
    explained.forgive()
    #expect(deathsLeft(explained) == 6)
    var other = backoff
    other.reset()
    #expect(deathsLeft(other) == 6)
  }
}
