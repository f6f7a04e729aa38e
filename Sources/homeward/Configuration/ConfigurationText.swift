import Glibc
import Model
import OwnTracks

/// The configuration file as people handle it.
struct ConfigurationText {
  static let usualPath = "/etc/homeward/homeward.otrc"

  let path: String
  let bytes: [UInt8]
  let decoded: ConfigurationFile.Decoded

  /// Whether there was no such file before.
  let isNew: Bool

  /// `orNew`: a board whose package has just been installed has none yet.
  init(_ path: String, orNew: Bool = false) throws {
    self.path = path
    isNew = orNew && access(path, F_OK) != 0 && errno == ENOENT
    bytes =
      isNew
      ? Array(#"{"_type":"configuration"}"#.utf8) : try FileText.read(path, atMost: ConfigurationFile.limit)
    decoded = ConfigurationFile.decode(bytes, written: FileText.lastChange(of: path))
  }

  /// Hint for a person who has just made the file; empty if it was there before.
  var newWords: String {
    guard isNew else { return "" }
    return
      "\n\(path) is new; what is still missing: homeward config check; then start the tracker: "
      + "systemctl enable --now homeward"
  }

  /// `, 3 regions, 1 deletion, 1 skipped`; nothing where the file has none.
  var regionWords: String {
    let (good, bad) = (decoded.waypoints.count, decoded.skipped.count)
    guard good + bad > 0 else { return "" }
    let deletions = decoded.waypoints.filter { $0.coordinate == nil }.count
    return ", \(Readable.count(good - deletions, "region"))"
      + (deletions > 0 ? ", \(Readable.count(deletions, "deletion"))" : "")
      + (bad > 0 ? ", \(bad) skipped" : "")
  }

  /// Everything that would keep the daemon from starting, a line each.
  var problemLines: [String] {
    (decoded.problems + missingFiles).map { "\(path): \($0)" } + (permissionProblem.map { [$0] } ?? [])
  }

  /// Files that it names and that are not there.
  var missingFiles: [ConfigurationFile.Problem] {
    let tls = decoded.configuration.tls
    let named = [
      ("tlsCaFile", tls.caFile), ("tlsClientCert", tls.clientCertificate), ("tlsClientKey", tls.clientKey),
    ]
    return named.compactMap { key, file in
      guard !file.isEmpty, access(file, F_OK) != 0, errno == ENOENT else { return nil }
      return decoded.problem(with: key, expected: "a file that is there")
    }
  }

  /// Names of regions that look as if they switched modes.
  var nameNotes: [String] { decoded.waypoints.compactMap { Region.switchNote(on: $0.name) } }

  /// A secret that every user of the board can read, and the command that fixes it.
  var permissionProblem: String? {
    var status = stat()
    guard decoded.holdsSecret, stat(path, &status) == 0, status.st_mode & 0o007 != 0 else { return nil }
    return "\(path): holds a password and is open to every user; fix it with: chmod o-rwx \(path)"
  }
}
