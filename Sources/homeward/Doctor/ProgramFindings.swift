import Glibc
import Model

/// The doctor's findings about the programs and folders of the board's owner; none where there are none.
enum ProgramFindings {
  static func findings(_ settings: Configuration) -> [Finding] {
    let programs = settings.programs
    return [
      program("onEvent", programs.onEvent), folder("extraKeys", programs.extraKeys),
      programs.onOutage > 0 ? outage(OwnersProgram.outage) : nil,
    ].compactMap(\.self)
  }

  private static func program(_ key: String, _ path: String) -> Finding? {
    guard !path.isEmpty else { return nil }
    guard let program = OwnersProgram(at: path) else { return missing(key, path) }
    return program.fault.map { fault in
      Finding(.warn, key, "\(path) \(fault)", remedy: "sudo chmod 755 \(path), if it is your program")
    }
  }

  /// The program that root runs when the server is not reached. `path`: another one is for tests.
  static func outage(_ path: String) -> Finding? {
    guard let program = OwnersProgram(at: path) else {
      return Finding(
        .warn, "onOutage", "\(path): \(lastError())",
        remedy: "a program that restarts the modem (docs/vehicle.md), or: homeward config set onOutage 0")
    }
    return unfit("onOutage", path, program)
  }

  /// A program that root does not run as it is; nil: root does.
  static func unfit(_ key: String, _ path: String, _ program: OwnersProgram) -> Finding? {
    program.faultForRoot.map { fault in
      Finding(
        .warn, key, "\(path) \(fault)",
        remedy: program.isNoexec
          ? "without noexec where that is mounted (/etc/fstab)"
          : "sudo chown root: \(path) && sudo chmod 755 \(path)")
    }
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

extension OwnersProgram {
  /// Nil: nothing is there, as `errno` has it.
  init?(at path: String) {
    var (file, volume) = (stat(), statvfs())
    guard stat(path, &file) == 0 else { return nil }
    // ST_NOEXEC, which Glibc's module does not have.
    let isNoexec = statvfs(path, &volume) == 0 && volume.f_flag & 8 != 0
    self.init(
      isFile: file.st_mode & S_IFMT == S_IFREG, mode: file.st_mode & 0o7777, owner: file.st_uid,
      isNoexec: isNoexec)
  }
}
