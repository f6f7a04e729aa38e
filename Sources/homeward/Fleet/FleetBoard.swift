import Access
import Model
import OwnTracks

/// One board with the configuration that it is to have, or has.
struct FleetBoard {
  /// Files of a board's folder, and where they go on the board.
  static let folderOnBoard = "/etc/homeward"
  static let configurationFile = "homeward.otrc"
  static let authorityFile = "ca.pem"
  static let certificateFile = "board.pem"
  static let keyFile = "board.key"
  /// A later certificate, of a key that only the board has.
  static let renewedFile = "renewed.pem"

  /// For people: `boards.csv: line 3`, or the board's folder.
  let place: String
  /// As its file has it.
  var settings: JSON
  let configuration: Configuration
  let topics: Topics

  init(place: String, settings: JSON) {
    self.place = place
    self.settings = settings
    configuration = ConfigurationFile.decode(settings.pretty()).configuration
    topics = Topics(configuration, hostName: "")
  }

  var user: String { configuration.identity.username }
  var device: String { configuration.identity.deviceId }
  /// User and device, which no two boards share.
  var identity: [String] { [user, device] }

  var password: String { settings["password"]?.text ?? "" }
  var logsInByPassword: Bool { configuration.login.auth && configuration.login.usePassword }

  private var isEncrypted: Bool { configuration.tls.isOn || configuration.transport == .http }

  /// It has no word of its own about a key that the fleet's certificates would give it.
  private func isOurs(_ key: String, _ file: String) -> Bool {
    let value = settings[key] ?? .null
    return isEncrypted && (value.isNull || value.text == Self.folderOnBoard + "/" + file)
  }

  /// It trusts the fleet's authority.
  var hasAuthority: Bool { isOurs("tlsCaFile", Self.authorityFile) }
  /// It gets a certificate.
  var hasCertificate: Bool {
    isOurs("tlsClientCert", Self.certificateFile) && isOurs("tlsClientKey", Self.keyFile)
  }

  /// The same with the names of the files that it gets.
  func namingFiles() -> FleetBoard {
    var named = settings
    if hasAuthority { named.set("tlsCaFile", .string(Self.folderOnBoard + "/" + Self.authorityFile)) }
    if hasCertificate {
      named.set("tlsClientCert", .string(Self.folderOnBoard + "/" + Self.certificateFile))
      named.set("tlsClientKey", .string(Self.folderOnBoard + "/" + Self.keyFile))
    }
    return FleetBoard(place: place, settings: named)
  }

  /// Names that a file system, a shell and a person can live with, and that tell apart: `jane-van`. `taken`: names that
  /// others have, in lower case.
  static func folderName(user: String, device: String, taken: Set<String>) -> String {
    let plain = safe(user) + "-" + safe(device)
    let isExact = safe(user) == user && safe(device) == device && plain.utf8.count <= 100
    if isExact, !taken.contains(plain.lowercased()) { return plain }
    return plain.prefix(100) + "-" + Secret.hash(of: user + "\0" + device).prefix(8)
  }

  private static func safe(_ name: String) -> String {
    let letters = name.unicodeScalars.map { letter -> Character in
      let isKept = letter.isASCII && (letter.properties.isAlphabetic || letter.properties.numericType != nil)
      return isKept || "._-".unicodeScalars.contains(letter) ? Character(letter) : "_"
    }
    // Neither hidden nor taken for an option.
    return String(letters.first == "." || letters.first == "-" ? ["_"] + letters : letters)
  }
}
