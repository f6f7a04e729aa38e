import Model

extension Outbox {
  var status: QueueStatus {
    QueueStatus(
      count: count, bytes: bytes, inFlight: inFlight, window: window, oldest: oldest, dropped: dropped,
      resent: resent, refused: refusedCount, isStoreFailing: isStoreFailing)
  }
}
