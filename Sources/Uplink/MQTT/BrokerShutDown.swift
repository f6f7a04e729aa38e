import Glibc
import Model
import Timebase

/// Leaving the broker with DISCONNECT, so that it publishes no will.
extension Broker {
  /// DISCONNECT on a connection that stands, while the program goes on.
  func sayGoodbye() {
    guard let client else { return }
    let held = BrokerLinger(client.socket)
    client.disconnect()
    // Still open: the kernel accepts no more bytes, and that is not waited for.
    guard client.socket < 0, let held else { return }
    linger = held
    held.finish(on: loop)
  }

  /// For the end of the program: waits at most `span` for the broker to acknowledge the messages in flight, then sends
  /// DISCONNECT so that it publishes no will. Runs no loop; acknowledgements are posted as usual.
  public func shutDown(within span: Span) {
    perform(machine.leave(for: .stopped, at: loop.now.instant))
    guard machine.isClosing, let client else { return }
    let deadline = SystemClock.read().instant + span
    while !client.inFlight.isEmpty || client.wantsWrite {
      guard serve(client, until: deadline) else { break }
    }
    let linger = BrokerLinger(client.socket)
    client.disconnect()
    while client.socket >= 0 {
      guard serve(client, until: deadline) else { break }
    }
    if client.socket < 0 { linger?.finish(until: deadline) }
    finish()
  }

  /// One round of reading and writing. False: time is up, or the connection is gone.
  private func serve(_ client: BrokerClient, until deadline: Instant) -> Bool {
    let left = deadline - SystemClock.read().instant
    guard left > .zero, client.socket >= 0 else { return false }
    let events = Int16(client.wantsWrite ? POLLIN | POLLOUT : POLLIN)
    var polled = pollfd(fd: client.socket, events: events, revents: 0)
    guard poll(&polled, 1, Int32(max(1, left.seconds * 1000))) > 0 else { return false }
    var code: Int32 = 0
    if polled.revents & Int16(POLLOUT) != 0 { code = client.write() }
    if code == 0, client.socket >= 0, polled.revents & ~Int16(POLLOUT) != 0 { code = client.read() }
    digest()
    return code == 0 && client.socket >= 0
  }
}
