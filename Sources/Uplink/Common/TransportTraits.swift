import Model

/// How the uplinks differ for those who use them.
extension Configuration.Transport {
  /// The topic travels in the message itself.
  public var carriesTopicInside: Bool { self == .http }

  /// The server keeps messages for others, and publishes a will.
  public var retains: Bool { self == .mqtt }

  /// In the journal, at the beginning of a line about the connection. `server`: its name.
  public func label(_ server: String) -> String { self == .http ? server : "broker \(server)" }

  /// In the journal, as the one that refuses a message.
  public func subject(_ server: String) -> String { self == .http ? server : "the broker" }

  /// In the journal, of an uplink that can take messages.
  public func greeting(_ server: String) -> String {
    self == .http ? "posting to \(server)" : "connected to \(server)"
  }
}
