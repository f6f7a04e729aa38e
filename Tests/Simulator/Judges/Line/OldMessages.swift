import Core
import Model

/// What is old goes as people have set it: neither over a way that counts bytes, nor for a broker to keep.
struct OldMessages: Judge {
  func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: world.ledger.old.began()
    case .tookUp: world.ledger.old.tookUp()
    case .event(let event) where world.configuration.queue.backlog != .always: look(event, world)
    case .line(.sends(let message)) where world.process.takingUp == nil && world.tracker != nil:
      judge(message, world)
    case .withheld(.backlogDropped(let count)):
      guard let dropped = world.queue?.droppedOld, let lie = world.ledger.old.told(count, of: dropped)
      else { return }
      world.complain(.old, lie)
    default: break
    }
  }

  private func look(_ event: Event, _ world: World) {
    world.ledger.old.policy = world.configuration.queue.backlog
    switch event {
    case .brokerConnected:
      // With the next connection they would go over whatever way out there is then.
      let again = world.client.inFlight.count { $0.message.qos > 0 }
      if again > 0 { world.complain(.old, "\(again) were under way and go again by themselves") }
      world.ledger.lookAtOld(life: world.life, isConnected: true, at: world.now)
    case .networkChanged: world.ledger.lookAtOld(life: world.life, isConnected: false, at: world.now)
    case .localTime(let minute):
      let times = world.configuration.queue.backlogTimes.value
      if world.ledger.old.timeToldIs(free: times?.hold(at: minute) ?? false) {
        world.ledger.lookAtOld(life: world.life, isConnected: false, at: world.now)
      }
    default:
      guard isWaitingTogether(world) else { return }
      world.ledger.lookAtOld(life: world.life, isConnected: false, at: world.now)
    }
  }

  /// Over a way that is paid for, what waits to travel together grows old.
  private func isWaitingTogether(_ world: World) -> Bool {
    let queue = world.configuration.queue
    return queue.backlog == .wifi && queue.batchSeconds > 0 && !isFree(world)
  }

  private func isFree(_ world: World) -> Bool { world.line.way.network.isFree || world.ledger.old.isTimeFree }

  private func judge(_ message: Message, _ world: World) {
    let (backlog, line) = (world.configuration.queue.backlog, world.line)
    guard backlog != .always, !message.isEvent, !world.isBlind else { return }
    let indices = world.ledger.indices(of: message)
    guard !indices.isEmpty, indices.allSatisfy(world.ledger.old.isOld) else { return }
    if backlog == .never {
      world.complain(.old, "\(message.sequence) is old and sent, and nobody wants it")
    } else if !world.ledger.old.isTimeFree, !line.wire.isUp || !line.way.network.isFree {
      world.complain(.old, "\(message.sequence) is old and sent, over \(line.way.network)")
    }
    if message.isRetained {
      world.complain(.old, "\(message.sequence) is old, and the broker is to keep it")
    }
  }
}
