/// What the broker ends connections over is found out, and then it waits for itself, while others wait behind it: the first
/// end is over many, the next over what was there again, two more over it alone.
struct EndsInARow: Judge {
  /// So many in a row, since a filter that is not answered yet may be the reason just as well, and the network, too.
  private static let most = 12

  private var message: Line.Alone?
  private var count = 0

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    // The broker has said something of a message, whatever it was.
    case .line(.decides): self = Self()
    case .line(.endsOver(let message)):
      guard world.process.isRunning, let queue = world.queue else { return }
      // What is old may have to wait for another network.
      let isAlone = queue.count < 2 || world.configuration.queue.backlog != .always
      let over = Line.Alone(life: world.life, sequence: message.sequence)
      count = self.message == over && !isAlone ? count + 1 : 1
      self.message = over
      guard count > Self.most else { return }
      self = Self()
      let ends = "\(Self.most + 1) connections in a row end over \(message.sequence)"
      world.complain(.connecting, "\(ends), and others wait behind it")
    default: break
    }
  }
}
