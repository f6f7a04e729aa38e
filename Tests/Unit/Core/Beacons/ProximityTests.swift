import Model
import Testing

/// How far a beacon is by its strength.
struct ProximityTests {
  private func metres(power: Double) -> Double { Proximity.metres(rssi: -72, power: power, exponent: 2) }

  @Test func theStrengthAtAMetreIsTheMeasure() {
    #expect((metres(power: -72) - 1).magnitude < 1e-9)
    #expect((metres(power: -52) - 10).magnitude < 1e-9)
    #expect(metres(power: -20) > 300)
    #expect(Proximity.metres(rssi: -128, power: -20, exponent: 0.5) == 1e6)
  }

  /// Some send the power of their transmitter there.
  @Test(arguments: [-19.0, 0, 1, 4, 20, 127]) func implausibleMeasuredPowerUsesDefault(_ power: Double) {
    #expect(metres(power: power) == metres(power: -59))
    #expect(Proximity(metres: metres(power: power)) == .far)
  }
}
