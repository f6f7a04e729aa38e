import Model
import Testing

@testable import Core

struct RegionSideTests {
  /// Who leaves has to be further away than the fix may be off: at least 10 m and at most 100.
  @Test(arguments: [(0.0, 10.0), (5, 10), (10, 10), (60, 60), (100, 100), (250, 100)])
  func outsideIsFurtherThanTheFixMayBeOff(accuracy: Double, margin: Double) {
    let region = Scene.home(radius: 300).region
    func side(_ beyond: Double) -> RegionSide { RegionSide.of(region, beyond: beyond, accuracy: accuracy) }
    #expect(side(0) == .inside)
    #expect(side(0.1) == .between && side(margin) == .between)
    #expect(side(margin + 0.1) == .outside)
  }
}
