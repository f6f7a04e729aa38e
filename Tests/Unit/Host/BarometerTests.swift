import TestSupport
import Testing

@testable import Host

@Suite struct BarometerTests {
  let scratch = Scratch()

  @Test func withoutADeviceThereIsNoPressure() {
    #expect(Barometer(root: scratch.path).pressure() == nil)
    #expect(Barometer(root: scratch.path + "/none").pressure() == nil)
  }

  @Test func aProcessedReadingIsKilopascalAlready() {
    scratch.put("101.325000000\n", at: "iio:device0/in_pressure_input")
    #expect(Barometer(root: scratch.path).pressure() == 101.325)
  }

  // behaviour: What the board tells
  @Test func aRawReadingIsScaled() {
    scratch.put("4000\n", at: "iio:device0/in_pressure_raw")
    scratch.put("0.025\n", at: "iio:device0/in_pressure_scale")
    #expect(Barometer(root: scratch.path).pressure() == 100)
  }

  @Test func theOffsetIsAddedBeforeTheScale() {
    scratch.put("3000\n", at: "iio:device0/in_pressure_raw")
    scratch.put("1000\n", at: "iio:device0/in_pressure_offset")
    scratch.put("0.025\n", at: "iio:device0/in_pressure_scale")
    #expect(Barometer(root: scratch.path).pressure() == 100)
  }

  @Test func otherDevicesArePassedOver() {
    scratch.put("500\n", at: "iio:device0/in_illuminance_raw")
    scratch.put("99.5\n", at: "iio:device1/in_pressure_input")
    #expect(Barometer(root: scratch.path).pressure() == 99.5)
  }

  @Test(arguments: ["0", "-3", "500", "nan", "inf", "", "abc"])
  func invalidPressureGivesNoReading(_ text: String) {
    scratch.put(text, at: "iio:device0/in_pressure_input")
    #expect(Barometer(root: scratch.path).pressure() == nil)
  }
}
