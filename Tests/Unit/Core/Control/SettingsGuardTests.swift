import Model
import Testing
import Timebase

@testable import Core

/// Commands that are meant to take the board over: what they may not set, what they are not told, and what the
/// journal says of them.
struct SettingsGuardTests {
  private static let configuration = Scene.configuration {
    $0.broker.host = "home"
    $0.commands.isOn = true
    $0.commands.remoteConfiguration = true
    $0.login.password = "sesame"
    $0.http.headers = "X-Token:sesame"
    $0.tls.clientCertificate = "/c"
    $0.tls.clientKey = "/k"
  }

  private func scene(
    _ snapshot: Snapshot = .init(), _ edit: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    var configuration = Self.configuration
    edit(&configuration)
    var scene = Scene(configuration, snapshot: snapshot)
    scene.connect()
    scene.fix(at: 0, 0)
    return scene
  }

  private func change(
    _ settings: SettingsChange.Setting..., edit: (inout ReceivedCommand) -> Void = { _ in }
  ) -> Event {
    var change = SettingsChange()
    change.settings = settings
    var received = ReceivedCommand(.setConfiguration(change))
    received.topic = "owntracks/u/d/cmd"
    edit(&received)
    return .commanded(received)
  }

  // MARK: Who may

  // behaviour: Who is obeyed
  @Test func encryptionKeyRequiresEncryptedCommands() {
    var scene = scene { $0.messages.encryptionKey = "secret" }
    scene.post(change(.init("ping", .number(7))), at: 10)
    #expect(scene.adopted.isEmpty)
    #expect(scene.withheld.last?.reason == .commandRefused(action: "setConfiguration", .notEncrypted))
    scene.post(change(.init("ping", .number(7))) { $0.isEncrypted = true }, at: 20)
    #expect(scene.adopted.last?.reports.ping == 7)
  }

  @Test func aSecretAloneAsksForNoDate() {
    var scene = scene { $0.messages.encryptionKey = "secret" }
    for time in [10.0, 20] {
      scene.post(change(.init("ping", .number(Int(time)))) { $0.isEncrypted = true }, at: time)
    }
    #expect(scene.adopted.last?.reports.ping == 20)
  }

  // behaviour: Settings that a command changes
  @Test(arguments: [
    SettingsChange.Setting("encryptionKey", .text("theirs")), .init("tls", .flag(false)),
    .init("allowinvalidcerts", .flag(true)), .init("locked", .flag(false)),
  ])
  func remoteSecuritySettingIsRefused(_ setting: SettingsChange.Setting) {
    var scene = scene { $0.commands.locked = true }
    var expected = scene.tracker.settings
    expected.reports.ping = 7
    scene.post(change(setting, .init("ping", .number(7))), at: 10)
    #expect(scene.adopted == [expected])
  }

  @Test func legacyRemoteSecuritySettingsAreDropped() {
    var snapshot = Snapshot()
    snapshot.remote = RemoteSettings([
      .init(name: "encryptionKey", value: .text(""), over: .text("secret")),
      .init(name: "locked", value: .flag(false), over: .flag(true)),
      .init(name: "ping", value: .number(7), over: .number(0)),
      .init(name: "tls", value: .flag(false), over: .flag(true)),
    ])
    let scene = scene(snapshot) {
      $0.messages.encryptionKey = "secret"
      $0.commands.locked = true
    }
    #expect(scene.tracker.settings.messages.encryptionKey == "secret")
    #expect(
      scene.tracker.settings.tls.isOn && scene.tracker.settings.commands.locked
        && scene.tracker.settings.reports.ping == 7)
    let left = RemoteSettings([.init(name: "ping", value: .number(7), over: .number(0))])
    #expect(scene.writes.contains(.remoteSettings(left)))
    #expect(scene.news.map(\.news) == [.dropped(keys: ["encryptionKey", "locked", "tls"])])
  }

  // MARK: The way back

  private func lockedFromAfar() -> Scene {
    var scene = scene()
    scene.post(change(.init("locked", .flag(true))), at: 10)
    #expect(scene.tracker.settings.commands.locked)
    return scene
  }

  private func error(_ answer: ControlAnswer?) -> String? {
    if case .failed(let text)? = answer { text } else { nil }
  }

  // behaviour: The control socket
  @Test func rootTakesItAllBackThoughTheBoardIsLocked() {
    var scene = lockedFromAfar()
    scene.post(.control(.settingsClear, from: 1, byRoot: false), at: 20)
    #expect(error(scene.answers.last)?.contains("only root") == true)
    #expect(scene.tracker.settings.commands.locked)
    scene.post(.control(.settingsClear, from: 2, byRoot: true), at: 30)
    #expect(error(scene.answers.last) == nil)
    #expect(!scene.tracker.settings.commands.locked)
  }

  @Test func elseALockHoldsForRootToo() {
    var scene = lockedFromAfar()
    scene.post(.control(.tag("x"), from: 1, byRoot: true), at: 20)
    #expect(error(scene.answers.last)?.contains("locked") == true)
  }

  // MARK: Passwords

  // behaviour: Settings that a command changes
  @Test func theFilesPasswordsGoToTheFilesHostOnly() {
    var scene = scene()
    scene.post(change(.init("host", .text("away"))), at: 10)
    let settings = scene.tracker.settings
    #expect(settings.broker.host == "away" && settings.identity.username == "u")
    #expect(settings.login.password.isEmpty && !settings.login.usePassword && !settings.login.auth)
    #expect(settings.tls.clientCertificate.isEmpty && settings.tls.clientKey.isEmpty)
  }

  @Test(arguments: [("home, away", ""), ("home:443 HOME.", "sesame"), ("away", "")])
  func ofSeveralBrokersEachHasToBeTheFiles(_ host: String, _ password: String) {
    var scene = scene { $0.tls.isOn = true }
    scene.post(change(.init("host", .text(host))), at: 10)
    #expect(scene.tracker.settings.login.password == password)
    // The file may name several itself.
    var many = self.scene { $0.broker.host = "home, away" }
    many.post(change(.init("host", .text("away"))), at: 10)
    #expect(many.tracker.settings.login.password == "sesame")
  }

  @Test func theyComeBackWithTheFilesHost() {
    var scene = scene()
    scene.post(change(.init("host", .text("away"))), at: 10)
    scene.post(change(.init("host", .text("HOME."))), at: 20)
    #expect(scene.tracker.settings.login.password == "sesame" && scene.tracker.settings.login.auth)
    #expect(scene.tracker.settings.tls.clientCertificate == "/c")
  }

  /// On a machine of several users anybody can listen at some port, but not with its certificate.
  @Test(arguments: [(true, false, "sesame"), (false, false, ""), (true, true, "")])
  func anotherPortIsTheSameServerWhereACertificateSaysSo(tls: Bool, takesAny: Bool, password: String) {
    var scene = scene {
      $0.tls.isOn = tls
      $0.tls.allowsInvalidCertificates = takesAny
    }
    scene.post(change(.init("port", .number(443))), at: 10)
    #expect(scene.tracker.settings.login.password == password)
    scene.post(change(.init("port", .number(8883))), at: 20)
    #expect(scene.tracker.settings.login.password == "sesame")
  }

  @Test(arguments: ["theirs", "sesame"])
  func passwordSentAlongWithHostIsUsed(_ password: String) {
    var scene = scene()
    scene.post(change(.init("host", .text("away")), .init("password", .text(password))), at: 10)
    let settings = scene.tracker.settings
    #expect(settings.login.password == password && settings.login.usePassword && settings.login.auth)
    #expect(settings.tls.clientCertificate.isEmpty)
  }

  @Test func aUserWithoutAPasswordIsGivenWithoutOne() {
    var scene = scene()
    scene.post(change(.init("host", .text("away")), .init("username", .text("other"))), at: 10)
    let settings = scene.tracker.settings
    #expect(settings.login.auth && settings.identity.username == "other" && !settings.login.usePassword)
  }

  // behaviour: Settings that a command changes
  @Test func remotePasswordIsDroppedWithHostChange() {
    var scene = scene()
    scene.post(change(.init("password", .text("second"))), at: 10)
    scene.post(change(.init("host", .text("away"))), at: 20)
    #expect(scene.tracker.settings.login.password.isEmpty && !scene.tracker.settings.login.auth)
  }

  /// Before the board has left the broker that both commands came from.
  @Test func norIsItByWayOfBeingOffline() {
    var scene = scene { $0.tls.isOn = false }
    scene.post(change(.init("password", .text("second"))), at: 10)
    scene.post(change(.init("port", .number(0))), at: 20)
    scene.post(change(.init("host", .text("away")), .init("port", .number(1883))), at: 20)
    #expect(scene.tracker.settings.login.password.isEmpty)
  }

  @Test(arguments: [
    ("https://home/", "sesame", "X-Token:sesame"), ("http://home/", "", ""), ("https://away/", "", ""),
    ("https://home:444/", "sesame", "X-Token:sesame"), ("https://home:sesame@away/", "", ""),
    ("https://away/@home", "", ""),
  ])
  func overHTTPItIsTheSame(_ url: String, _ password: String, _ headers: String) {
    var scene = scene()
    scene.post(change(.init("mode", .number(3)), .init("url", .text(url))), at: 10)
    #expect(scene.tracker.settings.login.password == password)
    #expect(scene.tracker.settings.http.headers == headers)
  }

  @Test func newPathOnPlainHTTPHostKeepsPassword() {
    var scene = scene {
      $0.http.url = "http://other/x"
      $0.broker.host = ""
      $0.transport = .http
    }
    scene.post(change(.init("url", .text("http://other/y"))), at: 10)
    #expect(scene.tracker.settings.login.password == "sesame")
  }

  @Test func aTrialThatFailsBringsThePasswordsBack() {
    var scene = scene()
    scene.post(change(.init("host", .text("away"))), at: 10)
    scene.post(.brokerLost(), at: 10)
    scene.run(until: 131)
    #expect(scene.tracker.settings.login.password == "sesame" && scene.tracker.settings.login.auth)
  }
}

/// What the journal is told.
extension SettingsGuardTests {
  private func sentences(_ scene: Scene) -> [String] { scene.news.map(\.news.sentence) }

  // behaviour: Settings that a command changes
  @Test func everyChangeIsALineWithItsSource() {
    var scene = scene()
    scene.post(change(.init("ping", .number(7)), .init("password", .text("x"))), at: 10)
    #expect(
      sentences(scene) == [
        "ping changed from 0 to 7 by a command on owntracks/u/d/cmd",
        "password changed from (hidden) to (hidden) by a command on owntracks/u/d/cmd",
      ])
    scene.news = []
    scene.post(change(.init("tid", .text("zz"))) { $0.topic = nil }, at: 20)
    scene.post(.control(.settingsClear, from: 1), at: 30)
    #expect(
      sentences(scene) == [
        "tid changed from nothing to zz by a command in an answer over HTTP",
        "tid changed from zz to nothing by a local user",
        "ping changed from 7 to 0 by a local user",
        "password changed from (hidden) to (hidden) by a local user",
      ])
  }

  @Test func theModeThatACommandSetsIsALineToo() {
    var scene = scene()
    var change = SettingsChange()
    change.monitoring = .move
    scene.post(.commanded(ReceivedCommand(.setConfiguration(change))), at: 10)
    #expect(sentences(scene) == ["monitoring changed from 1 to 2 by a command in an answer over HTTP"])
  }

  @Test func fileChangeIsLoggedWithItsSource() {
    var scene = scene()
    var file = Self.configuration
    file.reports.locatorInterval = 90
    scene.post(.configured(file, waypoints: []), at: 10)
    #expect(sentences(scene) == ["locatorInterval changed from 300 to 90 by the file"])
  }

  @Test func withheldCredentialsAndRollbackAreLogged() {
    var scene = scene()
    scene.post(change(.init("host", .text("away"))), at: 10)
    #expect(sentences(scene).first == "host changed from home to away by a command on owntracks/u/d/cmd")
    #expect(
      sentences(scene).last?.hasPrefix("password, tlsClientCert of the file are for the file's own server")
        == true)
    #expect(!sentences(scene).joined().contains("sesame"))
    scene.post(.brokerLost(), at: 10)
    scene.news = []
    scene.run(until: 131)
    #expect(
      sentences(scene) == [
        "host changed from away to home by the end of a trial: no server was reached with it"
      ]
    )
  }

  @Test func offlineNothingIsKeptFromAnybody() {
    var scene = scene { $0.tls.isOn = false }
    scene.post(change(.init("port", .number(0))), at: 10)
    #expect(sentences(scene) == ["port changed from 8883 to 0 by a command on owntracks/u/d/cmd"])
  }

  @Test func aValueOfAMegabyteIsCut() {
    var scene = scene()
    let name = String(repeating: "e\u{301}", count: 500_000)
    scene.post(change(.init("clientId", .text(name))), at: 10)
    #expect((sentences(scene).first?.utf8.count ?? 0) < 250)
  }

  // behaviour: Settings that a command changes
  @Test func tenLinesAMinuteAndThenTheirNumber() {
    var scene = scene()
    for time in 0..<14 {
      scene.post(
        change(.init("ping", .number(time + 1)), .init("downgrade", .number(time + 1))), at: 10 + Double(time)
      )
    }
    // Ten commands a minute are obeyed, and one more after six seconds each: twelve of fourteen.
    let written = scene.news.count
    #expect(written == 10)
    scene.run(until: 69)
    #expect(scene.news.count == written)
    scene.run(until: 71)
    #expect(scene.news.last?.news == .more(14))
    scene.post(change(.init("ping", .number(99))), at: 100)
    #expect(sentences(scene).last?.hasPrefix("ping changed") == true)
  }
}

// behaviour: Kinds and names
/// How many regions there may be.
extension SettingsGuardTests {
  private func entries(_ numbers: Range<Int>) -> [WaypointEntry] {
    numbers.map {
      WaypointEntry(
        rid: "r\($0)", name: "R\($0)", coordinate: Scene.place(Double($0) * 10, 0), radius: 5, created: 1)
    }
  }

  @Test func aThousandRegionsAreAllThatCommandsMake() {
    var scene = scene()
    scene.post(.commanded(ReceivedCommand(.setWaypoints(entries(0..<900)))), at: 10)
    scene.post(.commanded(ReceivedCommand(.setWaypoints(entries(800..<1200)))), at: 20)
    #expect(scene.tracker.knownRegions.count == 1000)
    #expect(sentences(scene).count == 1)
    #expect(sentences(scene).last?.hasPrefix("200 regions refused that came by a command") == true)
    #expect(sentences(scene).last?.contains("at most 1000") == true)
  }

  @Test func norDoPeopleOrTheFile() {
    var scene = scene()
    scene.post(.control(.regionImport(entries(0..<1001)), from: 1), at: 10)
    #expect(error(scene.answers.last)?.contains("1000 added, 0 changed, 0 removed, 1 refused") == true)
    scene.post(.control(.regionAdd(entries(2000..<2001)[0], isHere: false), from: 1), at: 20)
    #expect(error(scene.answers.last)?.contains("at most 1000 regions") == true)
    scene.post(.configured(Self.configuration, waypoints: entries(3000..<3002)), at: 30)
    #expect(sentences(scene).last?.hasPrefix("2 regions refused that came by the file") == true)
    #expect(scene.tracker.knownRegions.count == 1000)
  }

  @Test func removedRegionMakesRoom() {
    var scene = scene()
    scene.post(.control(.regionImport(entries(0..<1000)), from: 1), at: 10)
    scene.post(.control(.regionRemove(region: "R7"), from: 1), at: 20)
    scene.post(.control(.regionAdd(entries(2000..<2001)[0], isHere: false), from: 1), at: 30)
    #expect(error(scene.answers.last) == nil)
  }
}
