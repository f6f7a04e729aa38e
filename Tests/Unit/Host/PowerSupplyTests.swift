import Loop
import Model
import TestSupport
import Testing
import Timebase

@testable import Host

@Suite struct PowerSupplyTests {
  let scratch = Scratch()

  func battery(_ name: String, _ capacity: String, _ status: String) {
    scratch.put("Battery\n", at: "\(name)/type")
    scratch.put(capacity + "\n", at: "\(name)/capacity")
    scratch.put(status + "\n", at: "\(name)/status")
  }

  // behaviour: What the board tells
  @Test(arguments: [
    ("Discharging", Battery.State.unplugged), ("Not charging", .unplugged), ("Charging", .charging),
    ("Full", .full), ("Unknown", .unknown),
  ])
  func theStatusBecomesTheState(_ word: String, _ state: Battery.State) {
    battery("BAT0", "57", word)
    #expect(PowerSupply.read(root: scratch.path) == Battery(level: 57, state: state))
  }

  @Test func mainsIsNoBattery() {
    scratch.put("Mains\n", at: "AC/type")
    scratch.put("1\n", at: "AC/online")
    #expect(PowerSupply.read(root: scratch.path) == nil)
  }

  @Test func theBatteryOfAMouseIsNotOurs() {
    battery("hid-mouse", "20", "Discharging")
    scratch.put("Device\n", at: "hid-mouse/scope")
    #expect(PowerSupply.read(root: scratch.path) == nil)
  }

  @Test func aBatteryThatIsTakenOutIsNone() {
    battery("BAT0", "20", "Unknown")
    scratch.put("0\n", at: "BAT0/present")
    #expect(PowerSupply.read(root: scratch.path) == nil)
  }

  @Test func levelIsComputedFromChargeWithoutCapacity() {
    battery("BAT0", "", "Discharging")
    scratch.put("1500000\n", at: "BAT0/charge_now")
    scratch.put("2000000\n", at: "BAT0/charge_full")
    #expect(PowerSupply.read(root: scratch.path)?.level == 75)
  }

  @Test func aLevelStaysWithinItsRange() {
    battery("BAT0", "104", "Full")
    #expect(PowerSupply.read(root: scratch.path)?.level == 100)
  }

  @Test func oneOfTwoBatteriesThatDischargesMeansUnplugged() {
    battery("BAT0", "100", "Full")
    battery("BAT1", "50", "Discharging")
    #expect(PowerSupply.read(root: scratch.path) == Battery(level: 75, state: .unplugged))
  }

  @Test func onlyEventsOfPowerSuppliesAreHeard() {
    let power = Array("change@/devices/bat\0ACTION=change\0SUBSYSTEM=power_supply\0SEQNUM=7\0".utf8)
    let usb = Array("add@/devices/usb\0SUBSYSTEM=usb\0X=SUBSYSTEM=power_supply\0".utf8)
    #expect(PowerSupply.isAboutPower(power[...]))
    #expect(!PowerSupply.isAboutPower(usb[...]))
    #expect(!PowerSupply.isAboutPower(power.prefix(40)))
  }

  @Test func theFirstStateIsPostedAndThenOnlyChanges() throws {
    battery("BAT0", "57", "Discharging")
    var posts: [Battery?] = []
    let supply = try PowerSupply(loop: EventLoop(), root: scratch.path) { event in
      switch event {
      case .batteryChanged(let battery): posts.append(battery)
      }
    }
    supply.look()
    battery("BAT0", "56", "Discharging")
    supply.look()
    #expect(posts == [Battery(level: 57, state: .unplugged), Battery(level: 56, state: .unplugged)])
  }

  @Test func noBatteryIsPostedOnce() throws {
    var posts: [Battery?] = []
    let supply = try PowerSupply(loop: EventLoop(), root: scratch.path) { event in
      switch event {
      case .batteryChanged(let battery): posts.append(battery)
      }
    }
    supply.look()
    #expect(posts == [nil])
  }

  @Test func onlyABatteryIsReadAgainByTheClock() throws {
    let loop = try EventLoop()
    let supply = try PowerSupply(loop: loop, root: scratch.path) { _ in }
    #expect(supply.nextReading == nil)
    battery("BAT0", "57", "Discharging")
    supply.look()
    #expect(supply.nextReading == loop.now.instant + .seconds(60))
    // Nobody waits for it, and then somebody does again.
    supply.pace(isRare: true)
    supply.look()
    #expect(supply.nextReading == loop.now.instant + .minutes(5))
    supply.pace(isRare: false)
    #expect(supply.nextReading == loop.now.instant + .seconds(60))
  }
}
