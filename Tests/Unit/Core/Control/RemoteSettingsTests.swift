import Model
import Testing
import Timebase

@testable import Core

/// Settings that come by command: over the file's, on trial, and gone when the file says something else.
struct RemoteSettingsTests {
  static let configuration = Scene.configuration {
    $0.broker.host = "home"
    $0.commands.isOn = true
    $0.commands.remoteConfiguration = true
  }

  func change(_ settings: SettingsChange.Setting...) -> Event {
    var change = SettingsChange()
    change.settings = settings
    return .commanded(ReceivedCommand(.setConfiguration(change)))
  }

  func scene() -> Scene {
    var scene = Scene(Self.configuration)
    scene.connect()
    scene.fix(at: 0, 0)
    return scene
  }

  // behaviour: Settings that a command changes
  @Test func aSettingIsInForceAndOnTheDiskAtOnce() {
    var scene = scene()
    scene.post(change(.init("locatorInterval", .number(60))), at: 10)
    #expect(scene.adopted.last?.reports.locatorInterval == 60)
    let stored = RemoteSettings([
      .init(name: "locatorInterval", value: .number(60), over: .number(300))
    ])
    #expect(scene.writes.contains(.remoteSettings(stored)))
  }

  @Test func theSameAgainChangesNothing() {
    var scene = scene()
    scene.post(change(.init("host", .text("home"))), at: 10)
    #expect(scene.adopted.isEmpty)
    #expect(!scene.writes.contains { if case .remoteSettings = $0 { true } else { false } })
  }

  @Test func anotherBrokerIsOnTrialUntilItIsReached() {
    var scene = scene()
    scene.post(change(.init("host", .text("away"))), at: 10)
    #expect(scene.adopted.last?.broker.host == "away")
    #expect(!scene.writes.contains { if case .remoteSettings = $0 { true } else { false } })
    scene.post(.brokerLost(), at: 10)
    scene.connect(at: 20)
    #expect(scene.writes.contains { if case .remoteSettings = $0 { true } else { false } })
    scene.run(until: 300)
    #expect(scene.adopted.last?.broker.host == "away")
  }

  // behaviour: Settings that a command changes
  @Test func aBrokerThatIsNotReachedInTwoMinutesIsLeftAgain() {
    var scene = scene()
    scene.post(change(.init("host", .text("away"))), at: 10)
    scene.post(.brokerLost(), at: 10)
    scene.run(until: 129)
    #expect(scene.adopted.last?.broker.host == "away")
    scene.run(until: 131)
    #expect(scene.adopted.last?.broker.host == "home")
    #expect(scene.lastReason == "configurationRolledBack")
  }

  /// As one does that has no QoS 2, or that lets this user write nowhere.
  @Test func aBrokerThatGreetsAndTakesNothingIsLeftAgain() {
    var scene = scene()
    scene.acknowledges = false
    scene.post(change(.init("host", .text("away"))), at: 10)
    scene.post(.brokerLost(), at: 10)
    scene.connect(at: 11)
    scene.run(until: 129)
    #expect(scene.adopted.last?.broker.host == "away")
    scene.run(until: 131)
    #expect(scene.adopted.last?.broker.host == "home" && scene.lastReason == "configurationRolledBack")
  }

  func overHTTP() -> Event {
    change(.init("mode", .number(3)), .init("url", .text("https://away/")))
  }

  @Test func anEndpointThatMayBePostedToHasNotAnsweredYet() {
    var scene = scene()
    scene.acknowledges = false
    scene.post(overHTTP(), at: 10)
    scene.post(.brokerLost(), at: 10)
    scene.connect(at: 11)
    scene.post(.brokerLost(), at: 12)
    scene.run(until: 131)
    #expect(scene.adopted.last?.transport == .mqtt)
    #expect(scene.lastReason == "configurationRolledBack")
  }

  // behaviour: Settings that a command changes
  @Test func anEndpointThatTakesAMessageIsReached() {
    var scene = scene()
    scene.post(overHTTP(), at: 10)
    scene.post(.brokerLost(), at: 10)
    scene.connect(at: 11)
    scene.post(.acknowledged([1]), at: 12)
    scene.post(.brokerLost(), at: 13)
    scene.run(until: 200)
    #expect(scene.adopted.last?.transport == .http)
  }

  @Test func aSecondChangeInTheTrialGoesBackToBeforeTheFirst() {
    var scene = scene()
    scene.post(change(.init("host", .text("away"))), at: 10)
    scene.post(.brokerLost(), at: 10)
    scene.post(change(.init("host", .text("farther"))), at: 20)
    scene.run(until: 200)
    #expect(scene.adopted.last?.broker.host == "home")
  }

  @Test func aConnectionThatStandsThroughTheTrialIsProof() {
    var scene = scene()
    scene.post(change(.init("usePassword", .flag(false))), at: 10)
    scene.run(until: 200)
    #expect(scene.adopted.last?.login.usePassword == false)
    #expect(scene.writes.contains { if case .remoteSettings = $0 { true } else { false } })
  }

  // behaviour: Settings that a command changes
  @Test func fileEditOverridesRemoteSetting() {
    var scene = scene()
    scene.post(change(.init("locatorInterval", .number(60)), .init("ping", .number(7))), at: 10)
    var file = Self.configuration
    file.reports.locatorInterval = 90
    scene.post(.configured(file, waypoints: []), at: 20)
    #expect(scene.adopted.last?.reports.locatorInterval == 90)
    #expect(scene.adopted.last?.reports.ping == 7)
  }

  @Test func afterARestartTheyLieOverTheFileAgain() {
    var snapshot = Snapshot()
    snapshot.remote = RemoteSettings([.init(name: "ping", value: .number(7), over: .number(0))])
    let scene = Scene(Self.configuration, snapshot: snapshot)
    #expect(scene.tracker.settings.reports.ping == 7)
  }

  @Test func localOnlySettingIsRefused() {
    let keys = ConfigurationKey.all.filter { !$0.isRemote }.map(\.name)
    #expect(keys.contains("stateDir") && keys.contains("encryptionKey"))
    for key in keys {
      var scene = scene()
      var expected = scene.tracker.settings
      expected.reports.ping = 7
      scene.post(change(.init(key, .text("/elsewhere")), .init("ping", .number(7))), at: 10)
      #expect(scene.adopted == [expected], "\(key)")
      let stored = RemoteSettings([.init(name: "ping", value: .number(7), over: .number(0))])
      #expect(scene.writes.contains(.remoteSettings(stored)), "\(key)")
    }
  }

  private func isStored(_ name: String, in scene: Scene) -> Bool? {
    var found: Bool?
    for case .remoteSettings(let remote) in scene.writes {
      found = remote.settings.contains { $0.name == name }
    }
    return found
  }

  @Test func aReloadInTheTrialStoresNothingThatIsOnTrial() {
    var scene = scene()
    scene.post(change(.init("locatorInterval", .number(60))), at: 5)
    scene.post(change(.init("host", .text("away"))), at: 10)
    scene.post(.brokerLost(), at: 10)
    var file = Self.configuration
    file.reports.locatorInterval = 90
    scene.post(.configured(file, waypoints: []), at: 20)
    #expect(isStored("host", in: scene) == false)
    scene.run(until: 200)
    #expect(scene.adopted.last?.broker.host == "home" && scene.adopted.last?.reports.locatorInterval == 90)
    #expect(isStored("host", in: scene) == false)
  }

  @Test func anEmptyNameIsTheBoardsOwn() {
    var scene = scene()
    scene.post(change(.init("deviceId", .text("other"))), at: 10)
    scene.connect(at: 11)
    scene.post(change(.init("deviceId", .text(""))), at: 20)
    #expect(scene.adopted.last?.identity.deviceId == "d")
  }

  @Test func settingOfInactiveTransportNeedsNoTrial() {
    var scene = scene()
    scene.post(change(.init("url", .text("https://away/"))), at: 10)
    #expect(isStored("url", in: scene) == true)
    scene.post(.brokerLost(), at: 20)
    scene.run(until: 300)
    #expect(scene.adopted.last?.http.url == "https://away/")
  }

  @Test func goingOfflineIsOnTrialLikeAnyOtherWay() {
    var scene = scene()
    scene.post(change(.init("port", .number(0))), at: 10)
    #expect(scene.adopted.last?.isOffline == true)
    scene.post(.brokerLost(), at: 10)
    scene.run(until: 131)
    #expect(scene.adopted.last?.broker.port == 8883)
    #expect(scene.lastReason == "configurationRolledBack")
    #expect(isStored("port", in: scene) == false)
  }

  @Test func aConnectionThatStillStandsIsNoProofOfBeingOffline() {
    var scene = scene()
    scene.post(change(.init("port", .number(0))), at: 10)
    scene.run(until: 131)
    #expect(scene.adopted.last?.broker.port == 8883)
  }

  // behaviour: Settings that a command changes
  @Test func goingOfflineDoesNotEndATrial() {
    var scene = scene()
    scene.post(change(.init("host", .text("away"))), at: 10)
    scene.post(.brokerLost(), at: 10)
    scene.post(change(.init("port", .number(0))), at: 20)
    scene.run(until: 300)
    #expect(scene.adopted.last?.broker.host == "home" && scene.adopted.last?.broker.port == 8883)
  }

  private func onTrialOverHTTP() -> Scene {
    var scene = scene()
    scene.post(change(.init("mode", .number(3)), .init("url", .text("https://away/"))), at: 10)
    return scene
  }

  @Test func anAcknowledgementOfTheOldBrokerProvesNothing() {
    var scene = onTrialOverHTTP()
    scene.post(.acknowledged([1]), at: 10)
    #expect(isStored("mode", in: scene) != true)
    scene.post(.brokerLost(), at: 10)
    scene.run(until: 131)
    #expect(scene.adopted.last?.transport == .mqtt)
  }

  @Test func httpEndpointIsKeptAfterAcceptedStatus() {
    var scene = onTrialOverHTTP()
    scene.post(.brokerLost(), at: 10)
    scene.connect(at: 11)
    #expect(scene.story.last == "@11 status")
    #expect(isStored("mode", in: scene) == true)
    scene.run(until: 300)
    #expect(scene.adopted.last?.transport == .http)
  }

  @Test func anEndpointThatTakesNothingIsLeft() {
    var scene = onTrialOverHTTP()
    scene.post(.brokerLost(), at: 10)
    scene.acknowledges = false
    scene.connect(at: 11)
    scene.run(until: 131)
    #expect(scene.adopted.last?.transport == .mqtt)
  }

  @Test func messageRefusedByTrialEndpointIsResent() {
    var scene = onTrialOverHTTP()
    scene.post(.brokerLost(), at: 10)
    scene.acknowledges = false
    scene.connect(at: 11)
    let refused = scene.sent.last?.sequence ?? 0
    scene.post(.refused(refused), at: 12)
    #expect(scene.adopted.last?.transport == .mqtt)
    scene.post(.brokerLost(), at: 12)
    scene.sent = []
    scene.acknowledges = true
    scene.connect(at: 15)
    #expect(scene.sent.map(\.sequence) == [refused])
  }
}

/// What is stored of them, and what people at the board can do.
extension RemoteSettingsTests {
  private static let overruled: Snapshot = {
    var snapshot = Snapshot()
    snapshot.remote = RemoteSettings([
      .init(name: "locatorInterval", value: .number(60), over: .number(123)),
      .init(name: "ping", value: .number(7), over: .number(0)),
    ])
    return snapshot
  }()

  @Test func settingOverruledBeforeStartIsRemoved() {
    var scene = Scene(Self.configuration, snapshot: Self.overruled)
    scene.fix(at: 0, 0)
    let left = RemoteSettings([.init(name: "ping", value: .number(7), over: .number(0))])
    #expect(scene.writes.contains(.remoteSettings(left)))
    let reports = scene.tracker.settings.reports
    #expect(reports.ping == 7 && reports.locatorInterval == Self.configuration.reports.locatorInterval)
  }

  @Test func peopleAtTheBoardTakeItAllBack() {
    var scene = Scene(Self.configuration, snapshot: Self.overruled)
    scene.post(.control(.settingsClear, from: 1), at: 10)
    #expect(scene.adopted.last?.reports.ping == 0)
    #expect(scene.writes.contains(.remoteSettings(RemoteSettings())))
  }

  @Test func takingItAllBackEndsATrial() {
    var scene = scene()
    scene.post(change(.init("host", .text("away"))), at: 10)
    scene.post(.control(.settingsClear, from: 1), at: 20)
    #expect(scene.adopted.last?.broker.host == "home")
    scene.run(until: 300)
    #expect(scene.lastReason != "configurationRolledBack")
  }

  @Test func rollbackAfterRefusalReportsRefusal() {
    var scene = scene()
    scene.acknowledges = false
    scene.post(overHTTP(), at: 10)
    scene.post(.brokerLost(), at: 10)
    scene.connect(at: 11)
    scene.post(.refused(1), at: 15)
    let reason = scene.tracker.journal.entries.last?.reason
    #expect(reason == .configurationRolledBack(isRefused: true, seconds: 5))
  }
}
