/// Nothing is published where nobody is named.
struct NamedTopics: Judge {
  /// What topics begin with where no `username` is set.
  private static let nobody = "owntracks/user/"

  func saw(_ what: Seen, in world: World) {
    guard case .line(.delivers(let message)) = what, message.topic.hasPrefix(Self.nobody) else { return }
    world.complain(.truth, "\(message.topic) is published, and nobody is named")
  }
}
