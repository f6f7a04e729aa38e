import Model

/// Whether a command may be obeyed at all. Checked before anything of it is decoded: a sender without permission
/// must not cause any work either.
public enum CommandGate {
  /// `action`: nil where it is not known yet; then only the rules for every command are checked.
  public static func refusal(
    of action: String?, isRetained: Bool, isEncrypted: Bool, _ configuration: Configuration
  ) -> CommandRefusal? {
    guard configuration.commands.isOn else { return .commandsOff }
    if isRetained, !configuration.commands.acceptRetained { return .retained }
    // A sender that shares a secret with the board has no reason to command it in clear; any other might.
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
