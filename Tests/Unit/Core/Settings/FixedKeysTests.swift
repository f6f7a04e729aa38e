import Model
import Testing

// behaviour: The configuration file
/// Keys that are read at the start alone.
struct FixedKeysTests {
  @Test func aReloadKeepsTheRunningValuesAndTakesTheRest() {
    var running = Configuration()
    running.board.stateDir = "/var/lib/one"
    var new = running
    new.board.stateDir = "/var/lib/two"
    new.reports.ping = 7
    #expect(ConfigurationKey.keepFixed(of: running, in: &new).map(\.name) == ["stateDir"])
    #expect(new.board.stateDir == "/var/lib/one" && new.reports.ping == 7)
    #expect(ConfigurationKey.keepFixed(of: running, in: &new).isEmpty)
  }

  @Test func folderAndSocketAreFixed() {
    #expect(ConfigurationKey.all.filter(\.isFixed).map(\.name) == ["stateDir", "controlSocket"])
  }
}
