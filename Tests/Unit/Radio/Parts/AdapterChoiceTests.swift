import Testing
import Timebase

@testable import Radio

/// Which adapter is used, and the handle of the monitor on it.
@Suite struct AdapterChoiceTests {
  var choice = AdapterChoice()

  static func adapter(_ index: UInt16, _ address: UInt64, isOn: Bool = true) -> Adapter {
    Adapter(
      index: index, address: address, bus: 1, supported: [.lowEnergy], current: isOn ? [.powered] : [])
  }

  private mutating func list(_ adapters: [Adapter], wanted: UInt64? = nil) {
    choice.listed(adapters.map { .init(index: $0.index, bus: $0.bus) }, wanted: wanted)
    for adapter in adapters { choice.described(adapter, wanted: wanted) }
  }

  @Test mutating func eachAdapterIsAskedForBeforeOneIsChosen() {
    #expect(choice.question == .list)
    choice.listed([.init(index: 0, bus: 1), .init(index: 1, bus: 1)], wanted: nil)
    #expect(choice.question == .information(.init(index: 0, bus: 1)))
    choice.described(Self.adapter(0, 5), wanted: nil)
    #expect(choice.current == nil)
    choice.described(nil, wanted: nil)
    #expect(choice.question == nil)
    #expect(choice.current?.index == 0)
  }

  @Test mutating func oneThatIsOnIsPreferred() {
    list([Self.adapter(0, 5, isOn: false), Self.adapter(1, 6)])
    #expect(choice.current?.index == 1)
  }

  @Test mutating func theOneUsedLastIsSoughtFirst() {
    list([Self.adapter(0, 5, isOn: false)])
    choice.lost()
    list([Self.adapter(0, 9), Self.adapter(3, 5, isOn: false)])
    #expect(choice.current?.index == 3)
  }

  @Test mutating func onlyTheConfiguredOneIsTaken() {
    list([Self.adapter(0, 5)], wanted: 6)
    #expect(choice.current == nil)
    #expect(choice.absence(wanted: 6).hasSuffix("has the address 00:00:00:00:00:06 (scanAdapter)"))
  }

  @Test mutating func withoutLowEnergyThereIsNone() {
    list([Adapter(index: 0, address: 5, bus: 1, supported: [], current: [.powered])])
    #expect(choice.absence(wanted: nil) == "no Bluetooth adapter here knows Low Energy")
    list([])
    #expect(choice.absence(wanted: nil) == "there is no Bluetooth adapter")
  }

  @Test mutating func theAdapterInUseStaysWhileOthersAreListed() {
    list([Self.adapter(0, 5)])
    choice.unlist()
    #expect(choice.current?.index == 0)
    list([Self.adapter(0, 5), Self.adapter(1, 6)])
    #expect(choice.current?.index == 0)
  }

  @Test mutating func onlyAnotherPowerIsNews() {
    list([Self.adapter(0, 5)])
    #expect(choice.changed([.powered, .lowEnergy]) == nil)
    #expect(choice.changed([.lowEnergy]) == false)
    #expect(choice.changed([.powered]) == true)
    choice.switchedOffByOthers(at: .zero)
    #expect(choice.offSince == .zero)
    choice.forgiveSwitchOff()
    #expect(choice.offSince == nil)
  }

  // The monitor's handle

  @Test func aLeftoverBelongsToOneAdapter() {
    var monitor = MonitorRegistration(leftover: .init(address: 5, handle: 12))
    #expect(monitor.leftover(on: 6) == nil)
    #expect(monitor.leftover(on: 5) == 12)
    monitor.leftoverRemoved()
    #expect(monitor.leftover(on: 5) == nil)
  }

  @Test func aHandleIsRecordedWithItsAdapter() {
    var monitor = MonitorRegistration()
    #expect(monitor.added(3, on: 5) == .init(address: 5, handle: 3))
    #expect(monitor.handle == 3)
    monitor.removed()
    #expect(monitor.handle == nil)
    #expect(!monitor.isObeyed(by: nil))
    monitor.obeyed(by: 5)
    #expect(monitor.isObeyed(by: 5))
    #expect(!monitor.isObeyed(by: 6))
  }
}
