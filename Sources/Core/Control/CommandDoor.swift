import Model

/// Whether a command may be obeyed at all, asked before anything of it is decoded: who may not order the board about
/// may not make it work either.
public enum CommandDoor {
  /// `action`: nil where it is not known yet; then only what holds for every command is asked.
  public static func refusal(
    of action: String?, isRetained: Bool, isEncrypted: Bool, _ configuration: Configuration
  ) -> CommandRefusal? {
    guard configuration.commands.isOn else { return .commandsOff }
    if isRetained, !configuration.commands.acceptRetained { return .retained }
    // Those who share a secret with the board have no reason to order it about in clear; all others might.
    let isSecret = configuration.commands.requireEncrypted || !configuration.messages.encryptionKey.isEmpty
    if isSecret, !isEncrypted { return .notEncrypted }
    guard let action else { return nil }
    if Command.changes.contains(action), !configuration.commands.remoteConfiguration {
      return .configurationOff
    }
    if action == Command.reportLocation.action, !configuration.commands.allowRemoteLocation {
      return .locationOff
    }
    return nil
  }
}
