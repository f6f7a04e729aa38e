import Glibc
import Model

/// The doctor's findings about the programs and folders of the board's owner; none where there are none.
enum ProgramFindings {
  static func findings(_ settings: Configuration) -> [Finding] {
    let programs = settings.programs
    return [program("onEvent", programs.onEvent), folder("extraKeys", programs.extraKeys)].compactMap(\.self)
  }

  private static func program(_ key: String, _ path: String) -> Finding? {
    guard !path.isEmpty else { return nil }
    var facts = stat()
    guard stat(path, &facts) == 0 else { return missing(key, path) }
    guard facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o111 != 0 else {
      return Finding(
        .warn, key, "\(path): cannot be run", remedy: "sudo chmod 755 \(path), if it is your program")
    }
    return nil
  }

  private static func folder(_ key: String, _ path: String) -> Finding? {
    guard !path.isEmpty else { return nil }
    var facts = stat()
    guard stat(path, &facts) == 0 else { return missing(key, path) }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      return Finding(
        .warn, key, "\(path): not a folder",
        remedy: "homeward config set \(key) FOLDER; then: homeward reload")
    }
    return nil
  }

  private static func missing(_ key: String, _ path: String) -> Finding {
    Finding(
      .warn, key, "\(path): \(lastError())",
      remedy: "put it there, or: homeward config set \(key) --default; then: homeward reload")
  }
}
