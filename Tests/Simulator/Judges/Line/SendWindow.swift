/// No more is under way than broker and people allow, a connection begins with few, and what came back goes again later.
struct SendWindow: Judge {
  /// A connection begins with so many under way, and takes one more with each confirmation.
  private static let first = 20
  /// The tracker looks at answers of the connection before when this one stands already.
  private static let late = 8

  func saw(_ what: Seen, in world: World) {
    guard case .line(.sends(let message)) = what else { return }
    let (client, count) = (world.client, world.client.inFlight.count + 1)
    let most = Self.mayBeUnderWay(confirmed: client.confirmed, repeated: client.repeated)
    if world.tracker != nil, world.process.takingUp == nil, message.qos > 0, count > most {
      world.complain(.limits, "\(count) under way, \(most) may be by now")
    }
    if count > client.windowLimit {
      world.complain(.limits, "\(count) unacknowledged, the window is \(client.windowLimit)")
    }
  }

  /// `repeated`: what the connection before left unanswered, which goes by itself.
  static func mayBeUnderWay(confirmed: Int, repeated: Int) -> Int {
    max(first + confirmed + late, repeated + 1)
  }
}
