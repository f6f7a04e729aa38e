import Core
import Host
import Model
import OwnTracks
import Radio
import Storage

/// The settings in force: the file's with those of commands over them, and the encoder made from them.
final class SettingsInForce {
  let hostName: String
  let additions: Encoder.Additions
  private(set) var configuration: Configuration
  private(set) var encoder: Encoder
  /// A file with certificate and key that is used in place of the configuration's own; nil: none is.
  var renewed: String?

  init(file: Configuration, hostName: String) {
    self.hostName = hostName
    configuration = Self.complete(file, hostName: hostName)
    additions = Encoder.Additions()
    additions.board.number = Board.number
    additions.board.model = Board.model
    additions.board.version = Release.version
    encoder = Encoder(configuration, hostName: hostName, additions: additions)
  }

  /// With what stands in for the configuration's own certificate. Where that is kept from a server, so is this.
  var connecting: Configuration {
    guard let renewed, !configuration.tls.clientCertificate.isEmpty else { return configuration }
    var connecting = configuration
    (connecting.tls.clientCertificate, connecting.tls.clientKey) = (renewed, renewed)
    return connecting
  }

  /// `form`: how the client id is made, which only the store knows.
  func adopt(_ new: Configuration, _ form: ClientIDForm) {
    configuration = new
    encoder = Encoder(new, hostName: hostName, clientIDForm: form, additions: additions)
  }

  /// A device needs a name; the board's own will do.
  static func complete(_ configuration: Configuration, hostName: String) -> Configuration {
    var configuration = configuration
    if configuration.identity.deviceId.isEmpty { configuration.identity.deviceId = hostName }
    return configuration
  }

  /// To `settings show`; `status`: the tracker's, which knows what commands have changed.
  func answer(_ status: TrackerStatus) -> [UInt8] {
    SettingsWords.answer(
      configuration, standard: Self.complete(Configuration(), hostName: hostName), changed: status.remote,
      mode: status.mode.mode, isOnTrial: status.isOnTrial)
  }

  var isHTTP: Bool { configuration.transport == .http }

  /// The way to the server is encrypted, whatever is sent over it.
  var isTLS: Bool {
    isHTTP ? HTTPAddress(configuration.http.url)?.isEncrypted ?? false : configuration.tls.isOn
  }

  /// For people: nothing secret is in it.
  var server: String {
    guard isHTTP else { return configuration.broker.places.map(\.description).joined(separator: ", ") }
    return HTTPAddress(configuration.http.url)?.origin ?? ""
  }

  /// Where the control socket is.
  var runtimeDirectory: String { Self.runtimeDirectory(configuration) }

  private static func runtimeDirectory(_ configuration: Configuration) -> String {
    configuration.board.controlSocket.split(separator: "/").dropLast().map { "/" + $0 }.joined()
  }

  /// Nil: nothing is recorded.
  var recording: RecordingFolder? {
    configuration.board.record > 0 ? Self.recordings(configuration) : nil
  }

  /// Folder of recordings, also of earlier days, whether anything is recorded now or not.
  static func recordings(_ configuration: Configuration) -> RecordingFolder {
    let folder = configuration.board.recordDir
    return RecordingFolder(
      path: folder.isEmpty ? runtimeDirectory(configuration) : folder,
      limit: configuration.board.record << 20)
  }

  var scanner: BeaconScanner.Settings {
    .init(
      adapter: configuration.beacons.scanAdapter, method: configuration.beacons.scanMethod,
      directory: runtimeDirectory)
  }
}
