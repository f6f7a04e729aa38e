import Glibc
import Model
import TestSupport
import Testing
import Timebase

@testable import Uplink

/// The second connection where the first one falls, or where it cannot be had.
@Suite struct StatusConnectionFallTests {
  typealias SecondScene = StatusConnectionTests.SecondScene

  @Test func itsTimesAreThoseThatItPromises() {
    #expect(StatusConnection.timeout == .seconds(10) && StatusConnection.settling == .seconds(5))
    #expect(StatusConnection.youth == .seconds(10) && StatusConnection.youngFallsAllowed == 5)
    #expect(StatusConnection.ban == .seconds(3600))
  }

  @Test func aBrokerThatSaysNothingIsWaitedForTenSeconds() throws {
    let second = try SecondScene()
    let peer = try SilentPeer(port: second.scene.port)
    second.connection.firstConnected()
    let begun = second.scene.loop.now.instant
    #expect(second.connection.cause == nil)
    #expect(second.scene.runs { second.connection.isWordKept })
    let took = second.scene.loop.now.instant - begun
    #expect(took >= .seconds(10))
    #expect(second.doubts == 1 && !second.connection.isStanding && second.complaints.isEmpty)
    withExtendedLifetime(peer) {}
  }

  @Test func lostStatusConnectionIsReestablished() throws {
    let second = try SecondScene()
    let peer = try ScriptedPeer(second.scene.loop, port: second.scene.port)
    #expect(second.stands())
    peer.hangUp()
    #expect(second.scene.runs { !second.connection.isStanding })
    #expect(!second.connection.isWordKept && second.doubts == 1)
    #expect(second.scene.runs { second.connection.isStanding })
    #expect(second.doubts == 2 && second.connection.isWordKept && peer.connections == 2)
  }

  /// A second call while the first connection stands is none.
  @Test func itIsBegunOnce() throws {
    let second = try SecondScene()
    let peer = try ScriptedPeer(second.scene.loop, port: second.scene.port)
    second.connection.firstLost(.closedByBroker, isOfflineSent: false)
    #expect(!second.connection.isStanding && !second.connection.isWordKept)
    #expect(second.stands())
    second.connection.firstConnected()
    #expect(second.connection.isStanding && second.doubts == 1 && peer.connections == 1)
  }

  @Test func lossWithoutOfflineMessageSendsNoDISCONNECT() throws {
    let second = try SecondScene()
    let peer = try ScriptedPeer(second.scene.loop, port: second.scene.port)
    #expect(second.stands())
    second.connection.firstLost(.reset, isOfflineSent: false)
    #expect(!second.connection.isWordKept && second.scene.runs { peer.ending != nil })
    #expect(!peer.hasHeardGoodbye)
    // What is said to it now goes nowhere.
    second.connection.say(second.word("here"))
    #expect(!second.scene.runs(0.3) { peer.published > 0 })
  }

  @Test func retiredOrAtTheEndItTakesItsWillBack() throws {
    for isEnd in [false, true] {
      let second = try SecondScene()
      let peer = try ScriptedPeer(second.scene.loop, port: second.scene.port)
      #expect(second.stands())
      if isEnd { second.connection.shutDown(within: .milliseconds(50)) } else { second.connection.retire() }
      #expect(!second.connection.isStanding && !second.connection.isWordKept)
      #expect(second.scene.runs { peer.ending != nil } && peer.hasHeardGoodbye)
      // Nor does it come again.
      #expect(!second.scene.runs(0.3) { peer.connections > 1 } && second.doubts == 1)
    }
  }

  // MARK: Who made the first one fall

  @Test func fallsWhileItIsPlacedCountAsWell() throws {
    let second = try SecondScene()
    let peer = try SilentPeer(port: second.scene.port)
    for _ in 1..<StatusConnection.youngFallsAllowed {
      second.connection.firstConnected()
      second.connection.firstLost(.closedByBroker, isOfflineSent: false)
    }
    second.connection.firstConnected()
    #expect(!second.connection.isWordKept && second.connection.cause?.contains("ends the first") != true)
    // One of another cause begins the count anew.
    second.connection.firstLost(.routeChanged, isOfflineSent: false)
    for _ in 1...StatusConnection.youngFallsAllowed {
      second.connection.firstConnected()
      #expect(!second.connection.isWordKept && second.doubts == 0)
      second.connection.firstLost(.closedByBroker, isOfflineSent: false)
    }
    second.connection.firstConnected()
    #expect(second.connection.isWordKept && second.doubts == 1)
    #expect(second.connection.cause == "it ends the first one as soon as there is a second one")
    // While it is left alone falls are not its doing.
    second.connection.firstLost(.closedByBroker, isOfflineSent: false)
    #expect(!second.connection.isWordKept)
    second.connection.firstConnected()
    #expect(second.connection.isWordKept && second.doubts == 2)
    withExtendedLifetime(peer) {}
  }

  @Test func otherCausesAreNeverItsDoing() throws {
    let second = try SecondScene()
    let peer = try ScriptedPeer(second.scene.loop, port: second.scene.port)
    for isStanding in [false, true] {
      for _ in 0...StatusConnection.youngFallsAllowed {
        second.connection.firstConnected()
        if isStanding { #expect(second.scene.runs { second.connection.isStanding }) }
        second.connection.firstLost(.routeChanged, isOfflineSent: false)
      }
    }
    second.connection.firstConnected()
    #expect(!second.connection.isWordKept)
    #expect(second.scene.runs { second.connection.isStanding })
    withExtendedLifetime(peer) {}
  }

  /// Nobody can set the loop's clock: the ten seconds are lived through.
  @Test func oneThatStoodForTenSecondsDidNotEndTheFirst() throws {
    let second = try SecondScene()
    let peer = try ScriptedPeer(second.scene.loop, port: second.scene.port)
    for _ in 1..<StatusConnection.youngFallsAllowed {
      #expect(second.stands())
      second.connection.firstLost(.closedByBroker, isOfflineSent: false)
    }
    #expect(second.stands())
    let since = second.scene.loop.now.instant
    second.scene.runs { second.scene.loop.now.instant - since >= StatusConnection.youth }
    second.connection.firstLost(.closedByBroker, isOfflineSent: false)
    #expect(second.stands() && peer.connections == 6)
  }

  @Test func whyItCannotBeHadIsSaidOnce() throws {
    let second = try SecondScene()
    var settings = second.settings
    // Nothing of before can speak later than ten seconds from now.
    settings.keepalive = 0
    second.connection.configure(settings)
    for _ in 1...2 {
      second.connection.firstConnected()
      let doubts = second.doubts
      #expect(second.scene.runs { second.connection.isWordKept && second.doubts > doubts })
      let begun = second.scene.loop.now.instant
      #expect(second.scene.runs { second.doubts == doubts + 2 })
      let took = second.scene.loop.now.instant - begun
      #expect(took >= .seconds(10) && second.complaints.count == 1)
      second.connection.firstLost(.reset, isOfflineSent: false)
    }
  }

  // MARK: What it is made of

  @Test func statusSettingsDeriveFromTheFirstConnection() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.keepalive = 33
    scene.configuration.broker.roundTrip = true
    let first = scene.settings
    let will = scene.message(0, suffix: "/status", text: "gone")
    var wanted = first
    (wanted.clientID, wanted.will, wanted.isSessionClean) = ("jane-pi_status", will, true)
    (wanted.subscriptions, wanted.ownFilters, wanted.aliases) = ([], [], [:])
    wanted.trials = BrokerSettings.Trials()
    wanted.backoff.most = 900
    #expect(first.onlyFor(will: will) == wanted && wanted.keepalive == 33 && !first.subscriptions.isEmpty)
    var patient = first
    patient.backoff.most = 1000
    #expect(patient.onlyFor(will: will).backoff.most == 1000)
    patient.backoff.spread = 60
    #expect(patient.onlyFor(will: will).backoff.spread == 0)
  }

  @Test func aTrialLeavesNothingBehind() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.roundTrip = true
    scene.configuration.commands.isOn = true
    scene.configuration.queue.resendLost = 3600
    var wanted = scene.settings
    #expect(wanted.trials != BrokerSettings.Trials())
    (wanted.clientID, wanted.isSessionClean) = ("jane-pi_doctor", true)
    wanted.trials = BrokerSettings.Trials()
    #expect(scene.settings.asTrial() == wanted)
  }
}
