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

  /// `orNew`: a board whose package has just been installed has none yet, or one with nothing in it.
  init(_ path: String, orNew: Bool = false) throws {
    self.path = path
    isNew = orNew && access(path, F_OK) != 0 && errno == ENOENT
    let found = isNew ? [] : try FileText.read(path, atMost: ConfigurationFile.limit)
    let begins = orNew && ConfigurationFile.isBlank(found)
    bytes = begins ? Array(#"{"_type":"configuration"}"#.utf8) : found
    decoded = ConfigurationFile.decode(bytes, written: FileText.lastChange(of: path))
  }

  /// A problem that a changed text has and the file has not. Without its line, which is of a text that nobody has read.
  func problem(addedBy after: ConfigurationFile.Decoded) -> ConfigurationFile.Problem? {
    func unplaced(_ problem: ConfigurationFile.Problem) -> ConfigurationFile.Problem {
      var problem = problem
      problem.place = ""
      return problem
    }
    let known = decoded.problems.map(unplaced)
    return after.problems.map(unplaced).first { !known.contains($0) }
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

  /// Everything that an installation is not to be left with, a line each: what would keep the daemon from starting, and
  /// files that are not there, without which it starts, keeps what happens, and reaches no server that needs them.
  var problemLines: [String] {
    (decoded.problems + missingFiles).map { "\(path): \($0)" } + (permissionProblem.map { [$0] } ?? [])
  }

  /// Files that it names and that are not there.
  var missingFiles: [ConfigurationFile.Problem] { Self.missingFiles(decoded) }

  static func missingFiles(_ decoded: ConfigurationFile.Decoded) -> [ConfigurationFile.Problem] {
    decoded.missingFiles { access($0, F_OK) == 0 || errno != ENOENT }
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
