import Model
import Testing

@testable import Core

// behaviour: What stands crosses nothing
/// Lies that come one upon another, noise that no claim covers, and vehicles that nobody has seen stand.
@Suite struct LiesAtTheEdgeTests {
  typealias Receiver = EdgeOfARegion.Receiver

  /// The second one comes while the first is suspect, or has only just lasted.
  @Test(arguments: [3.0, 10, 16, 25, 60], [true, false])
  func oneJumpAfterAnotherIsNoWay(after seconds: Double, tellsSpeed: Bool) {
    let receiver = Receiver(slow: 2, white: 0.5, tellsSpeed: tellsSpeed)
    for metres in [110, 400, 1500, 3000.0] {
      var edge = EdgeOfARegion(radius: 60, east: 20, receiver, seed: 3)
      edge.stand(120)
      edge.stand(seconds, off: 200)
      edge.stand(40, off: 200 + metres)
      edge.stand(60)
      #expect(edge.crossings.isEmpty, "\(metres) m")
    }
  }

  @Test(arguments: [10.0, 20], [20, 140.0])
  func aJumpInNoiseBeyondEveryClaimIsNoWay(sigma: Double, east: Double) {
    for seed in 1...20 as ClosedRange<UInt64> {
      let receiver = Receiver(white: sigma, accuracy: seed % 2 == 0 ? 5 : nil, tellsSpeed: false)
      var edge = EdgeOfARegion(radius: 150, east: east, receiver, seed: seed)
      edge.stand(300)
      for seconds in [3, 7, 12, 20, 40.0] {
        edge.stand(seconds, off: 200)
        edge.stand(90)
      }
      #expect(edge.crossings.isEmpty, "seed \(seed)")
    }
  }

  /// Neither stays for ten minutes, nor is it more than 2 km off for as long.
  @Test func placesThatAreFarOffInTurnAreNoNewPlace() {
    var edge = EdgeOfARegion(east: 20, Receiver(slow: 2), seed: 1)
    edge.stand(120)
    for (seconds, metres) in [(280, 2200), (240, 500), (200, 2800)] as [(Double, Double)] {
      edge.stand(seconds, off: metres)
    }
    edge.stand(60)
    #expect(edge.crossings.isEmpty)
  }

  // behaviour: Jumps
  /// Noise that steps over a gate which holds it to its claims is a place all the same.
  @Test(arguments: [15.0, 20], [160, 350.0])
  func aPlaceThatStaysIsBelievedInNoise(sigma: Double, metres: Double) {
    for seed in 1...20 as ClosedRange<UInt64> {
      var edge = EdgeOfARegion(east: 20, Receiver(white: sigma), seed: seed)
      edge.stand(300)
      edge.stand(metres > 300 ? 40 : 75, off: metres)
      let told = Scene.place(edge.east + metres, 0)
      let taken = edge.scene.tracker.positioning.position
      #expect(taken.map { $0.coordinate.distance(to: told) < 5 * sigma } == true, "seed \(seed)")
    }
  }

  // behaviour: Jumps
  /// What steps out of line now and then is back in line with the next fix.
  @Test func noiseDoesNotSilenceAParkedReceiver() {
    for seed in 1...10 as ClosedRange<UInt64> {
      var edge = EdgeOfARegion(east: 20, Receiver(white: 12), seed: seed)
      var refused = 0
      for _ in 0..<600 {
        edge.stand(1)
        if edge.scene.tracker.status(at: edge.scene.now).fixAge != .zero { refused += 1 }
      }
      #expect(refused < 60, "seed \(seed)")
    }
  }

  // MARK: Vehicles that nobody has seen stand

  /// The first fix finds it under way, without speeds, and it stops before it is known to move.
  @Test(arguments: Array(stride(from: 200.0, through: 1400, by: 50)))
  func enterAfterStartWhileMovingIsPublished(metres: Double) {
    var edge = EdgeOfARegion(
      east: -60 - metres, inside: .outside, Receiver(slow: 2, white: 0.5, tellsSpeed: false), seed: 1)
    edge.go(metres * 0.8, at: 25, acceleration: 100)
    edge.go(metres * 0.2, at: 8, acceleration: 100)
    let stopped = edge.time
    edge.stand(120)
    #expect(edge.crossings.map(\.crossing) == [.enter])
    #expect(edge.crossings.allSatisfy { $0.at <= stopped + 65 }, "\(edge.crossings)")
  }

  @Test(arguments: [4.0, 6, 8, 12]) func aSlowDriveIsKnownToMoveAfterAStart(speed: Double) {
    var edge = EdgeOfARegion(
      east: -700, inside: .outside, Receiver(slow: 2, white: 0.5, tellsSpeed: false), seed: 3)
    edge.go(1400, at: speed, acceleration: 100)
    let (entered, left) = (edge.time - 800 / speed, edge.time - (600 - 10) / speed)
    #expect(edge.crossings.map(\.crossing) == [.enter, .leave])
    #expect(
      zip(edge.crossings, [entered, left]).allSatisfy { ($1 - 1...$1 + 4).contains($0.at) },
      "\(edge.crossings), entered at \(entered), left at \(left)")
  }

  /// The first fixes were wrong, and those of the way were held back: the speeds need not explain how far off it was.
  @Test(arguments: [800.0, 2000]) func crossingsAfterWrongFixesArePublishedWithin3Seconds(off: Double) {
    var edge = EdgeOfARegion(
      radius: 300, east: -3000, inside: .outside, Receiver(slow: 2, white: 0.5), seed: 2)
    edge.stand(20, off: -off)
    edge.go(6000, at: 17, acceleration: 100)
    let entered = edge.time - (3000 + 300) / 17
    let left = edge.time - (3000 - 300 - 10) / 17
    #expect(edge.crossings.map(\.crossing) == [.enter, .leave])
    #expect(
      zip(edge.crossings, [entered, left]).allSatisfy { ($1 - 1...$1 + 3).contains($0.at) },
      "\(edge.crossings), entered at \(entered), left at \(left)")
  }

  /// It came to rest while its place was held back as a jump, and the smoothed place has not caught up.
  @Test(arguments: [200.0, 600, 1200]) func jumpIntoRegionFollowedByStopIsAnEnter(metres: Double) {
    var edge = EdgeOfARegion(east: -2000 - metres - 60, Receiver(slow: 2, white: 0.5), seed: 4)
    edge.stand(60)
    edge.go(2000, at: 36)
    edge.silence(0, movedBy: metres)
    let stopped = edge.time
    edge.stand(300)
    #expect(edge.crossings.map(\.crossing) == [.enter])
    #expect(edge.crossings.allSatisfy { $0.at <= stopped + 95 }, "\(edge.crossings)")
  }
}
