import Model
import Testing
import Timebase

@testable import Core

/// Which settings are in force, call by call.
struct SettingsLayersTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func layers(
    _ stored: RemoteSettings = .init(), _ change: (inout Configuration) -> Void = { _ in }
  ) -> SettingsLayers {
    var snapshot = Snapshot()
    snapshot.remote = stored
    return SettingsLayers(
      file: Scene.configuration {
        $0.broker.host = "home"
        change(&$0)
      }, stored: snapshot)
  }

  private let ping = [SettingsChange.Setting("ping", .number(7))]
  private let host = [SettingsChange.Setting("host", .text("away"))]

  @Test func aChangeIsInForceOnceItIsEnacted() {
    var (layers, deadlines) = (layers(), Deadlines())
    #expect(layers.take(ping, deadlines: &deadlines, at: at(0)))
    #expect(
      layers.inForce.reports.ping == 0 && layers.merged.reports.ping == 7 && layers.durable == layers.remote)
    layers.enact()
    #expect(
      layers.inForce.reports.ping == 7 && layers.rules.reports.ping == .minutes(7)
        && layers.file.reports.ping == 0)
    #expect(!layers.isOnTrial && deadlines[.configurationTrial] == nil)
  }

  @Test func settingOfSameValueIsNotWritten() {
    var (layers, deadlines) = (layers(), Deadlines())
    #expect(!layers.take([.init("ping", .number(0))], deadlines: &deadlines, at: at(0)))
  }

  @Test func anotherServerIsOnTrialAndNothingOfItIsWritten() {
    var (layers, deadlines) = (layers(), Deadlines())
    #expect(!layers.take(host, deadlines: &deadlines, at: at(0)))
    #expect(layers.isOnTrial && layers.durable.isEmpty && deadlines[.configurationTrial] == at(120))
    layers.enact()
    // The second change begins the time anew, and does not forget what was before the first.
    #expect(!layers.take([.init("host", .text("farther"))], deadlines: &deadlines, at: at(60)))
    #expect(layers.durable.isEmpty && deadlines[.configurationTrial] == at(180))
    #expect(layers.inconsistency(deadlines) == nil)
  }

  @Test func overMQTTAMessageThatWasTakenIsTheProof() {
    var (layers, deadlines) = (layers(), Deadlines())
    let before = layers.uplinkConnected()
    _ = layers.take(host, deadlines: &deadlines, at: at(0))
    layers.enact()
    let early = layers.uplinkConfirmed(deadlines: &deadlines)
    let (first, second) = (layers.uplinkConnected(), layers.uplinkConnected())
    #expect([before, early, first, second] == [false, false, true, false])
    #expect(!layers.isRefusalOfServer && layers.isOnTrial)
    let isProven = layers.uplinkConfirmed(deadlines: &deadlines)
    #expect(isProven && layers.durable == layers.remote && deadlines[.configurationTrial] == nil)
  }

  /// It greets, and what it is given it leaves unanswered.
  @Test func aBrokerThatGreetsAndTakesNothingIsLeftAgain() {
    var (layers, deadlines) = (layers(), Deadlines())
    _ = layers.take(host, deadlines: &deadlines, at: at(0))
    layers.enact()
    let isOpen = layers.uplinkConnected()
    #expect(isOpen && layers.timeIsOver(isConnected: true, isOwed: true, deadlines: &deadlines) == .failed)
  }

  /// Without a time nothing can be told: then nothing waits, and the connection has to do.
  @Test func aConnectionOverWhichNothingCanBeSaidIsKept() {
    var (layers, deadlines) = (layers(), Deadlines())
    _ = layers.take(host, deadlines: &deadlines, at: at(0))
    layers.enact()
    let isOpen = layers.uplinkConnected()
    #expect(isOpen && layers.timeIsOver(isConnected: true, isOwed: false, deadlines: &deadlines) == .kept)
  }

  @Test func overHTTPSomethingHasToBeTakenFirst() {
    var deadlines = Deadlines()
    var layers = layers {
      $0.transport = .http
      $0.http.url = "https://home/pub"
    }
    _ = layers.take([.init("url", .text("https://away/pub"))], deadlines: &deadlines, at: at(0))
    layers.enact()
    #expect(layers.isRefusalOfServer)
    #expect(layers.uplinkConfirmed(deadlines: &deadlines) == false)
    let isToProve = layers.uplinkConnected()
    #expect(isToProve && layers.uplinkConfirmed(deadlines: &deadlines) && !layers.isOnTrial)
  }

  @Test func withoutProofTheOldOnesAreBack() {
    var (layers, deadlines) = (layers(), Deadlines())
    _ = layers.take(ping, deadlines: &deadlines, at: at(0))
    layers.enact()
    _ = layers.take(host, deadlines: &deadlines, at: at(10))
    layers.enact()
    #expect(layers.timeIsOver(isConnected: false, isOwed: false, deadlines: &deadlines) == .failed)
    #expect(layers.rollBack(deadlines: &deadlines, at: at(130)) == .seconds(120))
    layers.enact()
    #expect(layers.inForce.broker.host == "home" && layers.inForce.reports.ping == 7 && !layers.isOnTrial)
    #expect(layers.rollBack(deadlines: &deadlines, at: at(131)) == nil)
    #expect(layers.timeIsOver(isConnected: false, isOwed: false, deadlines: &deadlines) == .settled)
  }

  @Test func aConnectionThatStoodAllTheTimeIsProofEnough() {
    var (layers, deadlines) = (layers(), Deadlines())
    _ = layers.take(host, deadlines: &deadlines, at: at(0))
    layers.enact()
    #expect(layers.timeIsOver(isConnected: true, isOwed: true, deadlines: &deadlines) == .kept)
    #expect(layers.inForce.broker.host == "away" && !layers.isOnTrial)
  }

  @Test func toBeOfflineIsOnTrialAndNoConnectionProvesIt() {
    var (layers, deadlines) = (layers(), Deadlines())
    _ = layers.take([.init("port", .number(0))], deadlines: &deadlines, at: at(0))
    layers.enact()
    #expect(
      layers.isOnTrial
        && layers.timeIsOver(isConnected: true, isOwed: false, deadlines: &deadlines) == .failed)
  }

  @Test func aLineOfTheFileThatWasEditedWins() {
    var (layers, deadlines) = (layers(), Deadlines())
    _ = layers.take(ping + host, deadlines: &deadlines, at: at(0))
    layers.enact()
    var edited = layers.file
    edited.reports.ping = 3
    let before = layers.laid
    let isEdited = layers.read(edited)
    layers.enact()
    #expect(isEdited)
    #expect(layers.inForce.reports.ping == 3 && layers.inForce.broker.host == "away")
    #expect(
      layers.news(since: before, by: .file) == [.changed(key: "ping", from: "7", to: "3", .file)])
    let isEditedAgain = layers.read(edited)
    #expect(!isEditedAgain)
  }

  @Test func settingsOverruledByFileAreReportedOnce() {
    let stored = RemoteSettings([.init(name: "ping", value: .number(7), over: .number(5))])
    var layers = layers(stored)
    #expect(layers.isOverruled && layers.inForce.reports.ping == 0 && layers.durable.isEmpty)
    #expect(layers.takeOverruled() == stored && layers.takeOverruled() == nil)
  }

  @Test func thePeopleAtTheBoardEndATrialToo() {
    var (layers, deadlines) = (layers(), Deadlines())
    #expect(layers.forgetRemote(deadlines: &deadlines) == false)
    _ = layers.take(host, deadlines: &deadlines, at: at(0))
    layers.enact()
    #expect(layers.forgetRemote(deadlines: &deadlines) == true)
    layers.enact()
    #expect(layers.inForce == layers.file && !layers.isOnTrial && layers.inconsistency(deadlines) == nil)
  }

  @Test func linesThatAreTooManyAreCounted() {
    var (layers, deadlines) = (layers(), Deadlines())
    let line = SettingsNews.changed(key: "ping", from: "1", to: "2", .command(topic: nil))
    for _ in 0..<NewsBudget.lines { #expect(layers.admits(line, deadlines: &deadlines, at: at(0))) }
    #expect(!layers.admits(line, deadlines: &deadlines, at: at(1)))
    #expect(deadlines[.settingsNews] == at(60) && layers.takeSkipped() == 1 && layers.takeSkipped() == 0)
  }

  @Test func aTrialWithoutAnEndIsNamed() {
    var (layers, deadlines) = (layers(), Deadlines())
    _ = layers.take(host, deadlines: &deadlines, at: at(0))
    deadlines[.configurationTrial] = nil
    #expect(layers.inconsistency(deadlines) == "on trial: true, and its end is armed: false")
  }

  @Test func theFormOfTheClientIDIsTheStoredOne() {
    var snapshot = Snapshot()
    snapshot.clientIDForm = .unsaid
    let first = SettingsLayers(file: Scene.configuration(), stored: snapshot)
    #expect(first.clientIDForm == .joined(user: "u", device: "d"))
    snapshot.clientIDForm = first.clientIDForm
    let renamed = Scene.configuration { $0.identity.deviceId = "other" }
    #expect(SettingsLayers(file: renamed, stored: snapshot).clientIDForm == first.clientIDForm)
  }
}
