/// Why a command was not obeyed.
public enum CommandRefusal: String, Hashable, Sendable {
  /// `cmd` is off.
  case commandsOff
  /// `allowRemoteLocation` is off.
  case locationOff
  /// `remoteConfiguration` is off.
  case configurationOff
  /// A retained copy, which comes again with every connection.
  case retained
  /// Only encrypted commands are obeyed here: there is a secret, or `requireEncryptedCommands` is on.
  case notEncrypted
  /// Its `tst` is older than `commandMaxAge`, or lies ahead.
  case notOfNow
  /// It has no `tst`, where only encrypted commands of this time are obeyed; or no clock can judge it.
  case undated
  /// This very message was obeyed before.
  case repeated
  /// More than ten a minute, or two locations in a second.
  case tooMany
}
