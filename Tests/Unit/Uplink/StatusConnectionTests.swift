import Model
import Testing
import Timebase

@testable import Uplink

/// The second connection, whose will takes back the word that the board is there.
@Suite struct StatusConnectionTests {
  /// A scene of one second connection; the first one is only said to stand and to fall.
  final class SecondScene {
    let scene: BrokerScene
    var connection: StatusConnection!
    var events: [StatusConnection.Event] = []

    init() throws {
      scene = try BrokerScene()
      scene.configuration.broker.keepalive = 5
      connection = StatusConnection(loop: scene.loop, worker: scene.worker) { [unowned self] in
        events.append($0)
      }
      connection.configure(settings)
    }

    var settings: BrokerSettings { scene.settings.onlyFor(will: word("gone")) }

    func word(_ text: String) -> Message {
      Message(
        topic: "owntracks/jane/pi/status", payload: Array(text.utf8), qos: 1, isRetained: true,
        isEvent: false,
        time: 0)
    }

    func stands() -> Bool {
      connection.firstConnected()
      return scene.runs { connection.isStanding }
    }

    var doubts: Int { events.count { if case .doubted = $0 { true } else { false } } }
    var complaints: [String] { events.compactMap { if case .failed(let why) = $0 { why } else { nil } } }
  }

  // behaviour: Presence and Home Assistant
  @Test func itIsAnotherClientWithNothingButAWill() throws {
    var configuration = Configuration()
    (configuration.identity.username, configuration.identity.deviceId, configuration.broker.keepalive) = (
      "jane", "van", 0
    )
    let scene = try BrokerScene()
    scene.configuration = configuration
    let will = scene.message(0, suffix: "/status")
    let settings = scene.settings.onlyFor(will: will)
    #expect(settings.clientID == "jane-van_status" && settings.will == will)
    #expect(settings.subscriptions.isEmpty && settings.isSessionClean && settings.keepalive == 60)
  }

  @Test func noBrokerKeepsASessionForIt() throws {
    let second = try SecondScene()
    second.scene.configuration.broker.protocolLevel = 5
    second.connection.configure(second.settings)
    let peer = try ScriptedPeer(second.scene.loop, port: second.scene.port, level: 5)
    #expect(second.stands())
    #expect(peer.sessionExpiry == 0)
  }

  @Test func onlineMayBeRetainedOnlyOnceWillIsPlaced() throws {
    let second = try SecondScene()
    let peer = try ScriptedPeer(second.scene.loop, port: second.scene.port)
    second.connection.firstConnected()
    #expect(!second.connection.isWordKept && second.doubts == 0)
    #expect(second.scene.runs { second.connection.isStanding })
    #expect(second.connection.isWordKept && second.doubts == 1 && peer.subscribed == 0)
    // The will of an earlier connection may be published a little later.
    #expect(second.scene.runs { second.doubts == 2 })
  }

  @Test func lossWithoutOfflineMessagePublishesTheWill() throws {
    let second = try SecondScene()
    try second.scene.startMosquitto()
    #expect(second.scene.isListening())
    try second.scene.startSubscriber()
    #expect(second.stands())
    second.connection.firstLost(.reset, isOfflineSent: false)
    #expect(second.scene.runs { second.scene.heard == ["owntracks/jane/pi/status 0 gone"] })
    #expect(second.stands() && second.connection.isWordKept)
  }

  @Test func itsWillIsMadeForEachConnection() throws {
    let second = try SecondScene()
    try second.scene.startMosquitto()
    #expect(second.scene.isListening())
    try second.scene.startSubscriber()
    var made = 0
    second.connection.configure(second.settings) {
      made += 1
      return second.word("gone \(made)")
    }
    for number in 1...2 {
      #expect(second.stands())
      second.connection.firstLost(.reset, isOfflineSent: false)
      #expect(second.scene.runs { second.scene.heard.last == "owntracks/jane/pi/status 0 gone \(number)" })
    }
  }

  @Test func afterAnOfflineMessageItTakesItsWillBack() throws {
    let second = try SecondScene()
    let peer = try ScriptedPeer(second.scene.loop, port: second.scene.port)
    #expect(second.stands())
    second.connection.say(second.word("bye"))
    second.connection.firstLost(.settingsChanged, isOfflineSent: true)
    #expect(second.scene.runs { peer.ending != nil })
    #expect(peer.hasHeardGoodbye && peer.published == 1 && !second.connection.isWordKept)
  }

  @Test func theOneOfAnEarlierLifeSpeaksBeforeThisOneIsPlaced() throws {
    let second = try SecondScene()
    try second.scene.startMosquitto()
    #expect(second.scene.isListening())
    try second.scene.startSubscriber()
    let dead = Broker(loop: second.scene.loop, worker: second.scene.worker) { _ in }
    dead.configure(second.settings)
    #expect(second.scene.runs { dead.status.connectedSince != nil })
    #expect(second.stands())
    dead.retire()
    #expect(second.doubts == 1)
    #expect(second.scene.runs { second.scene.heard == ["owntracks/jane/pi/status 0 gone"] })
  }

  @Test func onlineMayBeRetainedWithoutStatusConnection() throws {
    let second = try SecondScene()
    second.connection.firstConnected()
    #expect(second.scene.runs { second.doubts == 1 })
    #expect(second.connection.isWordKept && !second.connection.isStanding && second.complaints.isEmpty)
    // One of before may speak until one and a half keepalives have gone by.
    #expect(second.scene.runs { second.complaints.count == 1 })
    #expect(second.doubts == 2 && second.complaints == ["connection refused: nothing listens on this port"])
  }

  @Test func theFirstOneIsNeverMadeToFallAgainAndAgain() throws {
    let second = try SecondScene()
    let peer = try ScriptedPeer(second.scene.loop, port: second.scene.port)
    for _ in 1...StatusConnection.youngFallsAllowed {
      #expect(second.stands())
      second.connection.firstLost(.closedByBroker, isOfflineSent: false)
    }
    second.connection.firstConnected()
    #expect(second.connection.isWordKept && second.connection.cause?.contains("ends the first one") == true)
    #expect(!second.scene.runs(1) { second.connection.isStanding })
    #expect(peer.connections == StatusConnection.youngFallsAllowed)
  }

  @Test func fallsOfOtherCausesDoNotCount() throws {
    let second = try SecondScene()
    let peer = try ScriptedPeer(second.scene.loop, port: second.scene.port)
    for number in 1...7 {
      #expect(second.stands())
      second.connection.firstLost(number % 3 == 0 ? .routeChanged : .closedByBroker, isOfflineSent: false)
    }
    #expect(second.stands() && peer.connections == 8)
  }
}
