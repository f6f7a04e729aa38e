import Glibc
import Model

/// An alarm that switches the board on again: that of a clock that runs on while the board is off, or one of a board beside
/// it, which a program of the owner's sets.
public struct WakeAlarm {
  private let clocks: String
  private let program: String

  /// Other places are for tests.
  public init(clocks: String = "/sys/class/rtc", program: String = OwnersProgram.wake) {
    self.clocks = clocks
    self.program = program
  }

  /// Whether anything can be set at all: by root's side (`homeward-halt`).
  public var isThere: Bool { isOwners || !alarms.isEmpty }

  /// Why the owner's program is not run, in words; nil: it is, or there is none.
  public var fault: String? { OwnersProgram(at: program)?.faultForRoot }

  private var isOwners: Bool { OwnersProgram(at: program).map { $0.faultForRoot == nil } ?? false }

  /// An alarm is set, and its time has not come: it is not what has switched the board on. The owner's program says
  /// nothing of that.
  public var isPending: Bool {
    guard !isOwners else { return false }
    return alarms.contains { clock in
      guard let alarm = Sysfs.number(clock + "/wakealarm"), let now = Sysfs.number(clock + "/since_epoch")
      else {
        return false
      }
      return alarm > now
    }
  }

  private var alarms: [String] {
    Sysfs.names(in: clocks).map { clocks + "/" + $0 }.filter { Sysfs.exists($0 + "/wakealarm") }
  }
}

extension OwnersProgram {
  /// Nil: nothing is there, or nobody may look.
  fileprivate init?(at path: String) {
    var (file, volume) = (stat(), statvfs())
    guard stat(path, &file) == 0 else { return nil }
    // ST_NOEXEC, which Glibc's module does not have.
    let isNoexec = statvfs(path, &volume) == 0 && volume.f_flag & 8 != 0
    self.init(
      isFile: file.st_mode & S_IFMT == S_IFREG, mode: file.st_mode & 0o7777, owner: file.st_uid,
      isNoexec: isNoexec)
  }
}
