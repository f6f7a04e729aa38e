import Model
import Testing

// behaviour: What stands crosses nothing
/// What stands at the edge of a region crosses nothing, and what moves is told.
@Suite struct ParkedAtTheEdgeTests {
  typealias Receiver = EdgeOfARegion.Receiver

  /// White noise and noise that wanders, claims that are too good, honest or missing, with speeds and without.
  static let noises: [Receiver] = [5, 10, 20].flatMap { sigma in
    [5, 18, nil].flatMap { (accuracy: Double?) in
      [true, false].flatMap { tellsSpeed in
        [
          Receiver(white: sigma, accuracy: accuracy, tellsSpeed: tellsSpeed),
          Receiver(slow: sigma, white: 0.5, accuracy: accuracy, tellsSpeed: tellsSpeed, speedError: 0.3),
          Receiver(slow: sigma, wanders: 400, accuracy: accuracy, tellsSpeed: tellsSpeed),
        ]
      }
    }
  }

  @Test(arguments: [-5, 5, 15.0])
  func aParkedVehicleCrossesNothing(beyond metres: Double) {
    for (seed, noise) in Self.noises.enumerated() {
      var edge = EdgeOfARegion(east: 100 + metres, noise, seed: UInt64(seed))
      edge.stand(900)
      #expect(edge.crossings.isEmpty, "\(noise)")
    }
  }

  @Test(arguments: [5.0, 20, 60, 600])
  func norDoesOneThatIsSeldomSeen(every seconds: Double) {
    for sigma in [5.0, 10] {
      for seed in 1...2 as ClosedRange<UInt64> {
        let noise = Receiver(slow: sigma, white: sigma / 2, step: seconds)
        var edge = EdgeOfARegion(east: 105, noise, seed: seed)
        edge.stand(86_400)
        #expect(edge.crossings.isEmpty, "seed \(seed)")
      }
    }
  }

  /// At walking pace, and whatever the circle; the margin beyond the radius is crossed first.
  @Test(arguments: [100.0, 5000], [true, false])
  func leaveOfTowedVehicleIsPublishedWithinAMinute(radius: Double, tellsSpeed: Bool) {
    for seed in 1...10 as ClosedRange<UInt64> {
      let noise = Receiver(slow: 3, white: 0.5, tellsSpeed: tellsSpeed)
      var edge = EdgeOfARegion(radius: radius, east: radius - 10, noise, seed: seed)
      edge.scene.post(.ignition(false), at: 0)
      edge.stand(600)
      let start = edge.time
      edge.go(150, at: 1.4)
      edge.stand(60)
      let crossed = start + (10 + 10) / 1.4
      #expect(edge.crossings.map(\.crossing) == [.leave])
      #expect(
        edge.crossings.allSatisfy { (crossed - 10...crossed + 60).contains($0.at) }, "\(edge.crossings)")
    }
  }

  /// The power comes back on the last metres home: the first fix is still outside, and the vehicle comes to rest before
  /// anybody has seen it move.
  @Test(arguments: [true, false], [80.0, 110, 140])
  func arrivalRightAfterStartIsAnEnter(tellsSpeed: Bool, metres: Double) {
    for seed in 1...30 as ClosedRange<UInt64> {
      let seconds = [10, 20, 60][Int(seed % 3)]
      let receiver = Receiver(slow: 2, white: 2, tellsSpeed: tellsSpeed)
      var edge = EdgeOfARegion(east: metres + 65, inside: .outside, receiver, seed: seed)
      let sum = Double(seconds * (seconds + 1) / 2)
      for left in (1...seconds).reversed() {
        let way = metres * Double(left) / sum
        edge.go(-way, at: way, acceleration: way)
      }
      let halted = edge.time
      edge.stand(300)
      #expect(edge.crossings.map(\.crossing) == [.enter], "seed \(seed)")
      #expect(edge.crossings.allSatisfy { $0.at <= halted + 75 }, "\(edge.crossings), at rest at \(halted)")
    }
  }

  @Test(arguments: [true, false])
  func fastDriveThroughIsPublishedWithin3Seconds(tellsSpeed: Bool) {
    let receivers = [
      Receiver(slow: 2, white: 0.5, tellsSpeed: tellsSpeed),
      Receiver(slow: 8, white: 1, accuracy: 18, tellsSpeed: tellsSpeed),
      Receiver(slow: 5, white: 1, accuracy: nil, tellsSpeed: tellsSpeed),
    ]
    for seed in 0..<15 {
      let receiver = receivers[seed % 3]
      var edge = EdgeOfARegion(radius: 300, east: -3000, receiver, seed: UInt64(seed))
      edge.stand(60)
      edge.go(6000, at: 36.1)
      let entered = edge.time - (3000 + 300) / 36.1
      let left = edge.time - (3000 - 300 - max(10, receiver.accuracy ?? 4.5)) / 36.1
      #expect(edge.crossings.map(\.crossing) == [.enter, .leave])
      #expect(
        zip(edge.crossings, [entered, left]).allSatisfy { ($1 - 1...$1 + 3).contains($0.at) },
        "\(edge.crossings), entered at \(entered), left at \(left)")
    }
  }

  /// It stands within metres of the edge when its place is known well enough to say so.
  @Test(arguments: [5.0, 15], [true, false])
  func parkingJustInsideIsAnEnter(metres: Double, tellsSpeed: Bool) {
    for seed in 1...10 as ClosedRange<UInt64> {
      let noise = Receiver(slow: 2, white: 0.5, tellsSpeed: tellsSpeed)
      var edge = EdgeOfARegion(east: -700, noise, seed: seed)
      edge.stand(120)
      edge.go(585, at: 10)
      edge.go(15 + metres, at: 2.5)
      let parked = edge.time
      edge.stand(3600)
      #expect(edge.crossings.map(\.crossing) == [.enter], "seed \(seed)")
      #expect(edge.crossings.allSatisfy { $0.at <= parked + 65 }, "seed \(seed)")
    }
  }

  // MARK: Lies

  /// Without speeds a drift is a way like any other, unless it sets out as no vehicle does.
  @Test(arguments: [5, 18, nil] as [Double?], [true, false])
  func jumpsAndDriftsOfAParkedVehicleCrossNothing(accuracy: Double?, tellsSpeed: Bool) {
    let receiver = Receiver(slow: 2, white: 0.5, accuracy: accuracy, tellsSpeed: tellsSpeed)
    var edge = EdgeOfARegion(radius: 60, east: 20, receiver, seed: 7)
    edge.stand(120)
    for metres in [110, 200, 500, 3000.0] {
      for seconds in [3, 8, 18, 40, 120.0] {
        edge.stand(seconds, off: metres)
        edge.stand(60)
      }
    }
    for speed in tellsSpeed ? [0.5, 1, 5, 10, 20] : [20.0] {
      edge.drift(200, at: speed, stays: 20)
      edge.stand(60)
    }
    #expect(edge.crossings.isEmpty)
  }

  @Test func aPlaceThatStaysForTenMinutesIsTheNewPlace() {
    var edge = EdgeOfARegion(east: 20, Receiver(slow: 2), seed: 1)
    edge.stand(120)
    edge.stand(900, off: 300)
    #expect(edge.crossings.map(\.crossing) == [.leave])
    #expect(edge.crossings.allSatisfy { (720...760).contains($0.at) }, "\(edge.crossings)")
  }

  /// Ferries, tows without power, a board that was off: nobody saw it go.
  @Test(arguments: [30.0, 400, 86_400])
  func afterAGapAnotherPlaceIsBelieved(seconds: Double) {
    var edge = EdgeOfARegion(east: 20, Receiver(slow: 2), seed: 1)
    edge.stand(120)
    edge.silence(seconds, movedBy: 500)
    edge.stand(20)
    #expect(edge.crossings.map(\.crossing) == [.leave])
    #expect(edge.crossings.allSatisfy { $0.at <= 120 + seconds + 3 }, "\(edge.crossings)")
  }

  @Test func jumpWhileParkedIsWithheldAsUnmoved() {
    var edge = EdgeOfARegion(radius: 60, east: 20, Receiver(accuracy: 18), seed: 1)
    edge.stand(120)
    edge.stand(20, off: 110)
    #expect(edge.scene.withheld.contains { $0.reason == .unmoved(region: "Home") })
    #expect(edge.crossings.isEmpty)
    edge.stand(900, off: 300)
    #expect(edge.crossings.map(\.crossing) == [.leave], "a place that stays is the new one")
  }
}
