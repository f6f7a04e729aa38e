/// An alarm that switches the board on again: that of a clock that runs on while the board is off, or one of a board beside
/// it, which a program of the owner's sets.
public struct WakeAlarm {
  /// Set by root's side (`homeward-halt`).
  public static let ownerProgram = "/etc/homeward/wake"

  private let clocks: String
  private let program: String

  /// Other places are for tests.
  public init(clocks: String = "/sys/class/rtc", program: String = WakeAlarm.ownerProgram) {
    self.clocks = clocks
    self.program = program
  }

  /// Whether anything can be set at all.
  public var isThere: Bool { Sysfs.exists(program) || !alarms.isEmpty }

  /// An alarm is set, and its time has not come: it is not what has switched the board on. The owner's program says
  /// nothing of that.
  public var isPending: Bool {
    guard !Sysfs.exists(program) else { return false }
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
