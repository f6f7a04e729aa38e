/// Nothing is taken from the disk that is under way: neither by overflow nor by a person who clears the queue.
struct RemovedMessages: Judge {
  func saw(_ what: Seen, in world: World) {
    guard case .ordered(_, let writes) = what else { return }
    let underWay = world.client.inFlight.lazy.map(\.message).filter { $0.qos > 0 }.map(\.sequence)
    for write in writes {
      switch write {
      case .remove(let sequences):
        for sequence in sequences where underWay.contains(sequence) {
          world.complain(.delivered, "\(sequence) is taken from the disk, and the broker has not answered")
        }
      case .removeRange(let after, let through):
        guard let taken = underWay.first(where: { $0 > after && $0 <= through }) else { continue }
        world.complain(.delivered, "\(taken) is cleared from the disk, and the broker has not answered")
      default: break
      }
    }
  }
}
