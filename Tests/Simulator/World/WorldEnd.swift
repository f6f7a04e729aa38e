/// How a world comes to its end.
extension World {
  /// The receiver falls silent.
  func rested() {
    receiver.isReached = false
    show(.rests)
    guard let tracker else { return }
    let (reports, regions) = (configuration.reports, configuration.regions)
    ledger.final = Ledger.Final(
      at: now, calm: max(0, calm), mode: tracker.mode.mode, ping: reports.ping,
      pinging: seconds(since: evidence.mode.pingsSince), window: reports.significantWindow,
      together: configuration.queue.batchSeconds,
      regions: tracker.knownRegions.map(\.region),
      holdDown: Double(regions.holdDown), isReceiverAwake: isReceiverOn,
      isSpeedTold: receiver.ground.tellsSpeed, confirm: regions.confirm)
  }

  /// The last look, after everything.
  func finish() {
    ledger.putOff(
      in: life, batching: .seconds(Double(configuration.queue.batchSeconds)),
      queue: Set(process.writing.known.values.map(Ledger.Content.init)), at: now)
    show(.finished)
    guard tracker != nil else { return }
    if let file = process.desk?.file { card.twin.compare(with: file) }
    complainOfStore()
    noteDropped()
    tryStore()
    tryFolder()
    tryLetters()
  }
}
