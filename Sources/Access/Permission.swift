/// The permission of a session.
public enum Permission: String, Hashable, Sendable, CaseIterable {
  /// See everything.
  case look
  /// See everything, and have the tracker do what its owner may.
  case change
}
