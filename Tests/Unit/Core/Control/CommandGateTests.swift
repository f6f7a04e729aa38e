import Model
import Testing

@testable import Core

// behaviour: Who is obeyed
/// What is asked of a command before anything of it is decoded.
struct CommandGateTests {
  private func refusal(
    _ action: String?, isRetained: Bool = false, isEncrypted: Bool = false,
    _ change: (inout Configuration) -> Void = { _ in }
  ) -> CommandRefusal? {
    var configuration = Configuration()
    configuration.commands.isOn = true
    change(&configuration)
    return CommandGate.refusal(
      of: action, isRetained: isRetained, isEncrypted: isEncrypted, configuration)
  }

  @Test func commandsAreRefusedUnlessSwitchedOn() {
    #expect(refusal(nil) { $0.commands.isOn = false } == .commandsOff)
    #expect(refusal("dump") { $0.commands.isOn = false } == .commandsOff && refusal("dump") == nil)
    let byDefault = CommandGate.refusal(of: "dump", isRetained: false, isEncrypted: false, Configuration())
    #expect(byDefault == .commandsOff)
  }

  @Test func generalChecksNeedNoAction() {
    #expect(refusal(nil) == nil)
    #expect(refusal(nil, isRetained: true) == .retained)
    #expect(refusal(nil) { $0.messages.encryptionKey = "s" } == .notEncrypted)
    #expect(refusal(nil, isEncrypted: true) { $0.messages.encryptionKey = "s" } == nil)
  }

  @Test(arguments: ["setWaypoints", "clearWaypoints", "setConfiguration", "park"])
  func changesNeedARightOfTheirOwn(_ action: String) {
    #expect(refusal(action) == .configurationOff)
    #expect(refusal(action) { $0.commands.remoteConfiguration = true } == nil)
  }

  @Test func everyActionThatChangesSomethingIsKnownToDoSo() {
    let changing = [
      Command.setWaypoints([]), .clearWaypoints, .setConfiguration(SettingsChange()), .park,
    ]
    let harmless = [
      Command.reportLocation, .dump, .status, .waypoints, .reportSteps(from: nil, to: nil),
      .requestCertificate,
      .setCertificate("x"), .acknowledgeSOS,
    ]
    #expect(Set(changing.map(\.action)) == Command.changes)
    #expect(harmless.allSatisfy { !Command.changes.contains($0.action) })
  }

  @Test func onlyLocationRequestsNeedLocationPermission() {
    #expect(refusal("reportLocation") { $0.commands.allowRemoteLocation = false } == .locationOff)
    #expect(refusal("status") { $0.commands.allowRemoteLocation = false } == nil)
    #expect(refusal("reportLocation") { $0.commands.allowRemoteLocation = true } == nil)
  }
}
