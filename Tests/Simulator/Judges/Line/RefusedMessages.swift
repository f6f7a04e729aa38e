/// The tracker counts as many refused messages as it was told of.
struct RefusedMessages: Judge {
  /// This process was told that they will never be taken.
  private var count = 0

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: count = 0
    case .line(.refused): count += 1
    case .minute:
      guard world.living != nil, let refused = world.queue?.refused, refused != count, !world.isBlind
      else { return }
      world.complain(.agreement, "\(refused) refused, \(count) were")
    default: break
    }
  }
}
