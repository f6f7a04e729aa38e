import Model
import Testing
import Timebase

@testable import Core

/// What the engines are told of the settings: 0 is off, and 1 is not.
struct TrackerRulesTests {
  private func rules(_ value: Int) -> TrackerRules {
    TrackerRules(
      Scene.configuration {
        $0.receiver.dutyCycle = value
        $0.reports.locatorInterval = value
        $0.reports.significantWindow = value
        $0.reports.ping = value
        $0.beacons.lossTimeout = value
      })
  }

  @Test func zeroIsOff() {
    let rules = rules(0)
    #expect(!rules.regions.isReceiverResting && rules.reports.interval == nil && rules.reports.window == nil)
    #expect(rules.reports.ping == nil && rules.beacons.lossTimeout == nil)
  }

  @Test func oneIsTheLeast() {
    let rules = rules(1)
    #expect(rules.regions.isReceiverResting)
    #expect(rules.reports.interval == .seconds(1) && rules.reports.window == .seconds(1))
    #expect(rules.reports.ping == .minutes(1) && rules.beacons.lossTimeout == .seconds(1))
  }
}
