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

extension CommandRefusal {
  var sentence: String {
    switch self {
    case .commandsOff: "cmd is off"
    case .locationOff: "allowRemoteLocation is off"
    case .configurationOff: "remoteConfiguration is off"
    case .retained: "it is a retained copy, which would come again with every connection"
    case .notEncrypted:
      "only encrypted commands are obeyed (encryptionKey is set, or requireEncryptedCommands)"
    case .notOfNow: "its tst is older than commandMaxAge, or lies ahead"
    case .undated: "it has no tst to date it by, or there is no trusted clock to judge it"
    case .repeated: "this very message was obeyed before"
    case .tooMany: "too many: ten commands a minute and one location a second are obeyed"
    }
  }
}
