/// An event is on the disk before it is sent.
struct SentEvents: Judge {
  func saw(_ what: Seen, in world: World) {
    guard case .line(.sends(let message)) = what, message.isEvent, world.process.takingUp == nil,
      world.process.desk != nil, world.queue?.isStoreFailing == false,
      world.breakage != .eventsAreNotDurable, world.ledger.isUndurable(message, life: world.life)
    else { return }
    world.complain(.delivered, "event \(message.sequence) is sent, and not yet on the disk")
  }
}
