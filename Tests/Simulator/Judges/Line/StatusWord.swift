import Timebase

/// The word that the broker keeps on `status`, for those who come later, is true: whether the board is there.
struct StatusWord: Judge {
  /// A connection that is left alone has said that the board is there after this, seconds.
  private static let time = 15.0

  /// What stands there. With each connection the broker may still publish the will of the one before.
  private var isOnline = false
  /// The connection and the state of the line that it was looked at last, and since when both are the same.
  private var seen: (connection: Int, changes: Int, since: Instant)?
  /// What was said may never have reached the broker.
  private var isDoubtful = false

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .line(.stands): self = Self()
    case .announced(.status(let status)):
      guard let isOnline = status.isOnline else { return }
      if connection(in: world) != nil, world.line.wire.isUp {
        self.isOnline = isOnline
      } else {
        isDoubtful = true
      }
    case .second: look(world)
    // Who ends in good order has no will that says so.
    case .leaves:
      guard isWanted(in: world), connection(in: world) != nil, world.line.wire.isUp, isOnline, !isDoubtful
      else { return }
      world.complain(.picture, "it has ended in good order, and its status says online")
    default: break
    }
  }

  private func isWanted(in world: World) -> Bool {
    world.configuration.dashboard.availability && world.isAddressed
  }

  /// The one that the broker knows, too.
  private func connection(in world: World) -> Int? {
    guard let connection = world.client.connection, world.line.server.isOpen(connection),
      !world.line.wire.isDead(connection)
    else { return nil }
    return connection
  }

  /// Who asks the broker whether a board is there, that is connected, is told that it is.
  private mutating func look(_ world: World) {
    guard world.working != nil, isWanted(in: world), world.client.isTold,
      let connection = connection(in: world)
    else {
      seen = nil
      return
    }
    let changes = world.line.changes
    if seen?.connection != connection || seen?.changes != changes { seen = (connection, changes, world.now) }
    let seconds = world.seconds(since: seen?.since)
    guard seconds > Self.time, world.line.wire.isUp, !isOnline, !isDoubtful else { return }
    isDoubtful = true
    world.complain(.picture, "connected for \(Int(seconds)) s, and its status says offline")
  }
}
