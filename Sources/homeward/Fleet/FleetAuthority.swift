import Glibc
import OwnTracks

/// Signs the boards' certificates.
struct FleetAuthority {
  static let folderName = "ca"
  static let keyName = "ca.key"

  /// Of the authority's own files.
  let folder: String
  /// Of openssl's settings.
  private let settings: String

  private static let days = 20 * 365

  /// The content of the certificates, besides names and dates. A board is a client, and nothing else.
  private static let text = """
    [req]
    distinguished_name = name
    prompt = no
    [name]
    [board]
    basicConstraints = critical,CA:FALSE
    keyUsage = critical,digitalSignature
    extendedKeyUsage = clientAuth
    subjectKeyIdentifier = hash
    authorityKeyIdentifier = keyid
    [authority]
    basicConstraints = critical,CA:TRUE,pathlen:0
    keyUsage = critical,keyCertSign,cRLSign
    subjectKeyIdentifier = hash

    """

  /// `folder`: of an authority that is there. `work`: where temporary files go.
  init(in folder: String, work: String) throws {
    self.folder = folder
    settings = work + "/openssl.conf"
    try AtomicFile.write(Array(Self.text.utf8), as: "openssl.conf", in: work, mode: 0o600)
  }

  var certificate: String { folder + "/" + FleetBoard.authorityFile }
  private var key: String { folder + "/" + Self.keyName }

  private var common: [String] { ["req", "-x509", "-batch", "-utf8", "-sha256", "-config", settings] }
  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-keyout"]

  /// Makes the authority itself, in its folder.
  func make() throws {
    let words =
      common + ["-extensions", "authority", "-days", "\(Self.days)", "-subj", "/CN=Homeward fleet"]
      + Self.newKey + [key, "-out", certificate]
    let made = try OpenSSL.run([words])[0]
    guard made.isGood else { throw Failure(.failed, "openssl made no authority: \(made.lastLine.plainLine)") }
  }

  /// It can sign.
  func look() throws {
    let text = String(decoding: try FileText.read(key, atMost: 1 << 20), as: UTF8.self)
    guard !text.contains("ENCRYPTED") else {
      throw Failure(.usage, "\(key): the key has a password, expected one without")
    }
    let read = try OpenSSL.run([
      ["x509", "-in", certificate, "-noout", "-pubkey"], ["pkey", "-in", key, "-pubout"],
    ])
    guard read[0].isGood else {
      throw Failure(.usage, "\(certificate): cannot be read, expected the authority's certificate")
    }
    guard read[1].isGood, read[0].text == read[1].text else {
      throw Failure(
        .usage, "\(key): does not match \(FleetBoard.authorityFile), expected the key of that certificate")
    }
  }

  /// Why a request is not signed.
  struct RequestFault: Error {
    var text: String
  }

  /// Signs the request in a file, if it is of this user and made with its own key.
  func sign(_ request: String, for user: String, days: Int, as certificate: String) throws {
    let look = ["req", "-in", request, "-noout", "-verify", "-subject", "-nameopt", "sep_multiline,utf8"]
    let read = try OpenSSL.run([look])[0]
    guard read.isGood, read.text.contains("verify OK") else {
      throw RequestFault(text: "its request has no good signature, expected one by the key that it is for")
    }
    let name = FleetCertificates.Certificate(read.text).name
    guard name == user else { throw RequestFault(text: "its request is for \(name), expected \(user)") }
    let words =
      common + [
        "-extensions", "board", "-days", "\(days)", "-CA", self.certificate, "-CAkey", key, "-in", request,
        "-subj",
        Self.subject(user), "-out", certificate,
      ]
    let made = try OpenSSL.run([words])[0]
    guard made.isGood else {
      throw Failure(.failed, "openssl made no certificate: \(made.lastLine.plainLine)")
    }
  }

  private static func subject(_ user: String) -> String {
    user.reduce(into: "/CN=") { name, letter in
      if letter == "\\" || letter == "/" || letter == "+" { name.append("\\") }
      name.append(letter)
    }
  }

  /// The words for openssl that make the certificate of one board. `hasKey`: the key is there, and only read.
  func words(user: String, days: Int, key: String, hasKey: Bool, certificate: String) -> [String] {
    common + [
      "-extensions", "board", "-days", "\(days)", "-CA", self.certificate, "-CAkey", self.key, "-subj",
      Self.subject(user),
    ] + (hasKey ? ["-new", "-key", key] : Self.newKey + [key]) + ["-out", certificate]
  }
}
