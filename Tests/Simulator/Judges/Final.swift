import Model
import Timebase

extension Ledger {
  /// How things stood when the receiver fell silent, near the end of the run.
  public struct Final: Sendable {
    public var at: Instant
    /// Seconds since the last fault.
    public var calm: Double
    public var mode: MonitoringMode
    /// Minutes; 0: none.
    public var ping: Int
    /// How long it may look for a better fix, seconds.
    public var window: Int
    public var regions: [Region]
    /// Seconds.
    public var holdDown: Double
    /// The receiver was not put to rest by the tracker.
    public var isReceiverAwake: Bool
    public var isSpeedTold: Bool
    /// Fixes in a row.
    public var confirm: Int
  }
}

extension World {
  func rested() {
    receiver.isReached = false
    guard let tracker else {
      return ledger.complain(.process, "no tracker runs, long after the last fault", at: now)
    }
    ledger.final = Ledger.Final(
      at: now, calm: ledger.calmSince.map { (now - $0).seconds } ?? 0, mode: tracker.mode.mode,
      ping: configuration.reports.ping, window: configuration.reports.significantWindow,
      regions: tracker.knownRegions.map(\.region),
      holdDown: Double(configuration.regions.holdDown),
      isReceiverAwake: configuration.receiver.dutyCycle == 0,
      isSpeedTold: receiver.ground.tellsSpeed, confirm: configuration.regions.confirm
    )
  }

  /// The last look, after everything.
  func finish() {
    guard let tracker else {
      return ledger.complain(.process, "no tracker runs at the end", at: now)
    }
    let queue = tracker.status(at: clock.moment(at: now)).queue
    let young = ledger.made.count { $0.at + .seconds(30) > now }
    if queue.count > young + queue.waitingOld + stuck.count {
      ledger.complain(.calm, "\(queue.count) messages still wait", at: now)
    }
    if let file = desk?.file { twin.compare(with: file) }
    if !ledger.old.isTold(queue.droppedOld) {
      ledger.complain(.old, "\(queue.droppedOld) were dropped, and the journal does not say so", at: now)
    }
    complainOfStore()
    if desk == nil || queue.isStoreFailing { ledger.complain(.calm, "the store does not work", at: now) }
    noteDropped()
    if !hearing.hasHeardLast { ledger.complain(.obeyed, "the last command was not obeyed", at: now) }
    tryStore()
    tryFolder()
    tryLetters()
  }
}
