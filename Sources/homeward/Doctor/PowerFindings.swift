import Model
import OwnTracks

/// The doctor's findings about what drains a battery without need. None of them stops the tracker, so none is a
/// failure; and there are none where the board runs on no battery, or is no board but a PC.
struct PowerFindings {
  private let settings: Configuration?
  private let status: StatusRecord?
  private let board: BoardTree

  init(_ settings: Configuration?, _ status: StatusRecord?, board: BoardTree = BoardTree()) {
    self.settings = settings
    self.status = status
    self.board = board
  }

  func findings() -> [Finding] {
    guard !board.compatible.isEmpty, runsOnBattery else { return [] }
    let found =
      HaltFindings(
        board: board, isSwitchedOff: isSwitchedOff, isWoken: (settings?.power.longestSleep ?? 0) > 0
      )
      .findings()
      + DrainFindings(board: board, isRadioIdle: status?.scanner?.state == "idle").findings()
    if found.contains(where: { $0.verdict == .warn }) { return found }
    let rest = "this board runs on a battery; nothing that can be seen is on without need"
    return [Finding(.ok, "power", rest)] + found
  }

  /// A meter, a gauge or a cell of its own, or an end that is meant to save the vehicle's.
  private var runsOnBattery: Bool {
    let power = settings?.power
    return isSwitchedOff || power?.vehicleBattery.value != nil || status?.battery != nil
      || (power.map { $0.batterySource.value != .auto } ?? false) || hasKernelBattery
  }

  private var hasKernelBattery: Bool {
    let supplies = "/sys/class/power_supply"
    return board.names(supplies).contains { name in
      // A mouse has one, too: the kernel says so in its scope.
      board.text("\(supplies)/\(name)/type") == "Battery"
        && board.text("\(supplies)/\(name)/scope") != "Device"
    }
  }

  /// The tracker ends the board: what it draws and who wakes it then counts for most of the day.
  private var isSwitchedOff: Bool {
    guard let power = settings?.power else { return false }
    return power.parkedShutdown > 0 || power.vehicleBatteryOff > 0
      || power.batterySteps.value?.name(.checkins) == true || power.batterySteps.value?.name(.off) == true
  }
}
