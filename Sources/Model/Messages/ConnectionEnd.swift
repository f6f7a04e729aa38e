/// How a connection to the server that stood has ended: as much of it as says something of what was under way.
public struct ConnectionEnd: Hashable, Sendable {
  /// The side that ended it, and how that was seen.
  public enum Kind: Hashable, Sendable {
    /// By the other side or the network: reset, closed, the broker's DISCONNECT.
    case closed
    /// Given up, because nothing came back on it.
    case silent
    /// Left for a reason of our own: what was under way has nothing to do with it.
    case left
    /// Left for other settings: what the next broker takes is another matter.
    case replaced
  }

  /// Of this end.
  public var kind: Kind
  /// Something that has no place in the queue had no answer either.
  public var hasAnnouncement: Bool

  /// Nothing but messages of the queue was under way, unless it is said.
  public init(_ kind: Kind, hasAnnouncement: Bool = false) {
    (self.kind, self.hasAnnouncement) = (kind, hasAnnouncement)
  }
}
