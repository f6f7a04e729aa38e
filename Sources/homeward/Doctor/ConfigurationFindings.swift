import Glibc
import Model
import OwnTracks

/// The doctor's findings about the configuration file, and the settings in it.
struct ConfigurationFindings {
  private let path: String
  private let isDaemonThere: Bool
  private let text: ConfigurationText?
  /// Of `open`; 0: it could be read.
  private let trouble: Int32

  init(path: String, isDaemonThere: Bool) {
    (self.path, self.isDaemonThere) = (path, isDaemonThere)
    trouble = access(path, R_OK) == 0 ? 0 : errno
    text = try? ConfigurationText(path)
  }

  /// Nil: there are none that the daemon would take.
  var settings: Configuration? {
    guard let text, text.decoded.problems.isEmpty else { return nil }
    return text.decoded.configuration
  }

  func findings() -> [Finding] {
    guard let text else { return [unreadable] }
    var findings = text.decoded.problems.map { problem in
      Finding(.fail, "configuration", "\(path): \(problem)", remedy: remedy(problem))
    }
    findings += text.missingFiles.map { problem in
      Finding(
        .fail, "configuration", "\(path): \(problem)",
        remedy: "put it there, or \(remedy(problem)); until then no server that needs it is reached")
    }
    if let permission = text.permissionProblem {
      findings.append(Finding(.fail, "configuration", permission, remedy: "sudo chmod o-rwx \(path)"))
    }
    guard findings.isEmpty else { return findings }
    let warnings = (text.decoded.remarks + text.nameNotes).map { Finding(.warn, "configuration", $0) }
    return warnings.isEmpty ? [Finding(.ok, "configuration", path)] : warnings
  }

  private var unreadable: Finding {
    switch trouble {
    case ENOENT:
      Finding(
        .fail, "configuration", "\(path): there is no such file",
        remedy: "begin one with: sudo homeward setup; or name another: homeward doctor --file FILE")
    case EACCES, EPERM:
      Finding(
        .fail, "configuration", "\(path): no permission to read it, as a user outside of the group homeward",
        remedy: "sudo homeward doctor; or join the group once: sudo usermod -aG homeward $USER")
    default:
      Finding(
        .fail, "configuration", "\(path): cannot be read",
        remedy: "it must be a file, and not a folder or a device")
    }
  }

  /// How the daemon learns of it.
  private func then(_ key: ConfigurationKey? = nil) -> String {
    isDaemonThere && key?.isFixed != true ? "homeward reload" : "sudo systemctl restart homeward"
  }

  private func remedy(_ problem: ConfigurationFile.Problem) -> String {
    guard let key = ConfigurationKey.named(problem.key) else {
      return "sudoedit \(path); look whether it is right now: homeward config check \(path); then: \(then())"
    }
    let change = "sudo homeward config set \(key.name) \(key.isSecret ? "-" : "VALUE") --file \(path)"
    return "\(change); then: \(then(key))"
  }
}
