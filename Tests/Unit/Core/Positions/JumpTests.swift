import Model
import Testing
import Timebase

@testable import Core

/// The gate by itself: what one fix after the other makes of a jump.
struct JumpTests {
  private static func fix(_ east: Double, _ time: Double, _ speed: Double? = 0) -> Fix {
    Fix(
      time: WallTime(seconds: Scene.start + time), coordinate: Scene.place(east, 0), accuracy: 5, speed: speed
    )
  }

  /// What is wrong on purpose is 500 m east of where it stood, from second 1 on.
  private static func suspicious(_ speed: Double? = 0) -> PhysicsGate {
    var gate = PhysicsGate()
    _ = gate.refusal(of: fix(0, 0, speed))
    #expect(gate.refusal(of: fix(500, 1, speed)) != nil)
    return gate
  }

  private func isTaken(_ gate: inout PhysicsGate, _ east: Double, _ time: Double, _ speed: Double? = 0)
    -> Bool
  {
    gate.refusal(of: Self.fix(east, time, speed)) == nil
  }

  @Test func onlyFixesWithinTenSecondsAreCompared() {
    var gate = PhysicsGate()
    #expect(isTaken(&gate, 0, 0) && !gate.hasProvenJump)
    var other = gate
    #expect(!isTaken(&gate, 500, 10))
    #expect(isTaken(&other, 500, 10.1) && !other.hasProvenJump)
  }

  @Test func jumpIsProvenOnceAfterFifteenSeconds() {
    var gate = Self.suspicious()
    for second in 2...15 { #expect(!isTaken(&gate, 500, Double(second)), "\(second)") }
    #expect(isTaken(&gate, 500, 16) && gate.hasProvenJump)
    #expect(isTaken(&gate, 500, 17) && !gate.hasProvenJump)
  }

  @Test func returnToTrackProvesNoJump() {
    var gate = Self.suspicious()
    #expect(isTaken(&gate, 0, 2) && !gate.hasProvenJump)
    // Sixty metres off for a quarter of a minute, and then half-way back, nearer to where it stood.
    var slow = PhysicsGate()
    _ = slow.refusal(of: Self.fix(0, 0))
    for second in 1...15 { #expect(!isTaken(&slow, 60, Double(second))) }
    #expect(isTaken(&slow, 29, 16) && !slow.hasProvenJump)
  }

  @Test func aSilenceOfMoreThanTenSecondsEndsTheDoubt() {
    var gate = Self.suspicious()
    var other = gate
    #expect(!isTaken(&gate, -500, 11))
    #expect(isTaken(&other, -500, 11.1) && !other.hasProvenJump)
  }

  @Test func aLateFixSaysNothingAndADateThatIsSetRightEndsTheDoubt() {
    var gate = Self.suspicious()
    #expect(!isTaken(&gate, 0, 1), "of the same time, wherever it is")
    #expect(!isTaken(&gate, 0, 0.5) && !isTaken(&gate, 500, -59))
    var other = gate
    #expect(!isTaken(&gate, 0, 1) && isTaken(&gate, 0, 2))
    #expect(isTaken(&other, 500, -59.1))
  }

  /// Where the suspect goes elsewhere the fifteen seconds begin anew.
  @Test func inconsistentJumpRestartsProof() {
    var gate = Self.suspicious()
    for second in 2...16 { #expect(!isTaken(&gate, 900, Double(second)), "\(second)") }
    #expect(isTaken(&gate, 900, 17) && gate.hasProvenJump)
  }

  /// How far noise may reach is measured by the jump that the row began with.
  @Test func theNewRowHasItsOwnMeasure() {
    var gate = Self.suspicious()
    #expect(!isTaken(&gate, 100, 2))
    for second in 3...17 { #expect(!isTaken(&gate, 160, Double(second)), "\(second)") }
    #expect(isTaken(&gate, 160, 18) && gate.hasProvenJump)
  }

  /// Two metres a second for ten seconds is standing still, twenty metres at the most.
  @Test func standingFixNearerToOriginIsReturn() {
    func isBack(_ speed: Double) -> Bool {
      var gate = PhysicsGate()
      _ = gate.refusal(of: Self.fix(0, 0, speed))
      #expect(!isTaken(&gate, 100, 1, speed))
      return isTaken(&gate, 45, 10, speed)
    }
    #expect(isBack(2) && !isBack(2.1))
  }

  // MARK: Receivers that tell no speed

  @Test func withoutSpeedsTheStepsMakeOne() {
    var gate = PhysicsGate()
    _ = gate.refusal(of: Self.fix(0, 0, nil))
    #expect(isTaken(&gate, 10, 1, nil))
    var other = gate
    // 10 m/s, 4 m of acceleration, 30 m of accuracies, 20 m.
    #expect(!isTaken(&gate, 10 + 65, 2, nil) && isTaken(&other, 10 + 63, 2, nil))
  }

  /// How far it may be a second later: as far as the pace of the step before says, or 70 m where there is none.
  @Test(arguments: [(100.0, 10.0, false), (100, 20, true), (40, 0, true)])
  func aStepSaysSomethingOfThePaceForTenSeconds(metres: Double, seconds: Double, isAnyPace: Bool) {
    var gate = PhysicsGate()
    _ = gate.refusal(of: Self.fix(0, 0, nil))
    #expect(isTaken(&gate, metres, seconds, nil))
    var other = gate
    #expect(isTaken(&gate, metres + 100, seconds + 1, nil) == isAnyPace)
    #expect(!isTaken(&other, metres + 500, seconds + 1, nil))
  }

  @Test func afterAProvenJumpThePaceIsThatOfTheNewPlace() {
    var gate = Self.suspicious(nil)
    for second in 2...15 { #expect(!isTaken(&gate, 500, Double(second), nil)) }
    #expect(isTaken(&gate, 500, 16, nil) && gate.hasProvenJump)
    #expect(!isTaken(&gate, 560, 17, nil))
  }

  @Test func withoutSpeedsNothingSaysThatItStands() {
    var gate = PhysicsGate()
    _ = gate.refusal(of: Self.fix(0, 0, nil))
    _ = gate.refusal(of: Self.fix(0, 1, nil))
    #expect(!isTaken(&gate, 60, 2, nil))
    #expect(!isTaken(&gate, 29, 3, nil))
  }
}
