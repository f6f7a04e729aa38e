import Timebase

/// What came of one seed.
public struct Outcome: Sendable {
  public let seed: UInt64
  /// Of everything that reached the broker, with its time: the same seed, the same hash.
  public let hash: UInt64
  public let complaints: [Complaint]
  /// By `Fault`.
  public let counts: [Int]
  public let seconds: Double
  public let made: Int
  public let delivered: Int
  public let repeats: Int
  public let crossings: Int
  public let dropped: Int
  public let lostByCrash: Int
  public let blindStarts: Int
  public let lives: Int
  /// Commands that reached the tracker.
  public let obeyed: Int

  init(of world: World) {
    let ledger = world.ledger
    seed = world.seed
    complaints = Court.judge(ledger, world.road)
    counts = ledger.counts
    seconds = Span(nanoseconds: ledger.ended.nanoseconds).seconds
    made = ledger.made.count
    delivered = ledger.deliveries.count
    repeats = Consumer(ledger).repeats
    crossings = ledger.made.count { if case .transition = $0.report { true } else { false } }
    dropped = ledger.losses.dropped
    lostByCrash = ledger.losses.byCrash
    blindStarts = ledger.lives.blindStarts
    lives = world.board.boots
    obeyed = world.people.orders.obeyed
    hash = Self.hash(of: ledger)
  }

  private static func hash(of ledger: Ledger) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for delivery in ledger.deliveries {
      for shift in stride(from: 0, to: 64, by: 8) {
        mix(UInt8(truncatingIfNeeded: delivery.at.nanoseconds >> Int64(shift)))
      }
      delivery.topic.utf8.forEach(mix)
      delivery.payload.forEach(mix)
    }
    return hash
  }
}
