import Glibc
import Model
import OwnTracks

/// The configuration file as people handle it.
struct ConfigurationText {
  static let usualPath = "/etc/homeward/homeward.otrc"

  let path: String
  let bytes: [UInt8]
  let decoded: ConfigurationFile.Decoded

  init(_ path: String) throws {
    self.path = path
    bytes = try FileText.read(path, atMost: ConfigurationFile.limit)
    decoded = ConfigurationFile.decode(bytes, written: FileText.lastChange(of: path))
  }

  /// `, 3 regions, 1 skipped`; nothing where the file has none.
  var regionWords: String {
    let (good, bad) = (decoded.waypoints.count, decoded.skipped.count)
    guard good + bad > 0 else { return "" }
    return ", \(Readable.count(good, "region"))" + (bad > 0 ? ", \(bad) skipped" : "")
  }

  /// Everything that would keep the daemon from starting, a line each.
  var problemLines: [String] {
    decoded.problems.map { "\(path): \($0)" } + (permissionProblem.map { [$0] } ?? [])
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
