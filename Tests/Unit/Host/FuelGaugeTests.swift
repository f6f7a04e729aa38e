import Model
import OwnTracks
import Testing

@testable import Host

/// The chips behind a register reader of the test's own.
@Suite struct FuelGaugeTests {
  let table: VoltageTable

  init() throws { table = try #require(VoltageTable("3.0:0 4.0:100")) }

  private func max17040(_ soc: UInt16) throws -> FuelGauge.Reading {
    try FuelGauge.max17040 { register in register == 0x04 ? soc : 0xFFFF }
  }

  /// `shunt` in 10 µV, `millivolts` of the battery.
  private func ina219(_ millivolts: Int, _ shunt: Int16, isReversed: Bool = false) throws -> FuelGauge.Reading
  {
    let registers: [UInt8: UInt16] = [
      0x01: UInt16(bitPattern: shunt), 0x02: UInt16(millivolts / 4) << 3 | 0b010,
    ]
    return try FuelGauge.ina219({ register in registers[register] ?? 0 }, table, isReversed: isReversed)
  }

  @Test func aMAX17040CountsIn256thsOfAPercent() throws {
    #expect(try max17040(0x3980) == FuelGauge.Reading(percent: 57.5))
    #expect(try max17040(0x6540).percent == 100)
  }

  @Test func aBusThatFloatsIsNoMAX17040() {
    #expect(throws: FuelGauge.Trouble.self) { try max17040(0xFFFF) }
  }

  @Test(arguments: [(500, Battery.State.charging), (-500, .unplugged), (9, .unknown), (-9, .unknown)])
  func currentSignDeterminesBatteryState(_ shunt: Int, _ state: Battery.State) throws {
    let reading = try ina219(3500, Int16(shunt))
    #expect(reading.state == state)
    #expect(abs(reading.percent - 50) < 0.5)
  }

  @Test func aMeterMayBeTheOtherWayRound() throws {
    #expect(try ina219(3500, 500, isReversed: true).state == .unplugged)
    #expect(try ina219(3500, .min, isReversed: true).state == .charging)
  }

  @Test func withoutACurrentAFullBatteryIsFull() throws {
    #expect(try ina219(4100, 0).state == .full)
  }

  @Test func aMeterWithoutABatterySaysSo() {
    #expect(throws: FuelGauge.Trouble.self) { try ina219(0, 0) }
  }

  @Test func aBusThatIsNotThereIsNamedWithItsRemedy() {
    let place = BatterySource.I2CPlace(bus: 255, address: 0x36)
    #expect { _ = try FuelGauge.read(.max17040(place), table) } throws: {
      "\($0)".contains("/dev/i2c-255: cannot be opened") && "\($0)".contains("i2c_arm")
    }
  }
}
