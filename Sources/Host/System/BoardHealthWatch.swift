import Glibc
import Model
import Timebase

/// Reads the board's health from the kernel's files, which needs no privileges. It has no timer: it looks when the loop
/// wakes up for another reason or when it is asked, at most twice a minute.
public final class BoardHealthWatch {
  /// Supply and temperature change within minutes; the firmware remembers events between two looks.
  static let span = Span.seconds(30)

  /// Throttling as reported by a Raspberry Pi's firmware: the kernel's own file, and the sensor of newer kernels.
  private static let throttled = "/sys/devices/platform/soc/soc:firmware/get_throttled"
  private static let sensors = "/sys/class/hwmon"
  private static let zones = "/sys/class/thermal"
  private static let disks = "/sys/block"
  private static let fileSystems = "/sys/fs/ext4"
  /// Temperatures possible for the processor of a running board; others are a sensor's nonsense.
  private static let possible = -60.0...150.0

  private let root: String
  private let directory: String
  private let post: (String, Bool) -> Void
  private var nextLook = Instant.zero
  private var troubles: Set<BoardHealth.Trouble> = []
  /// The last look.
  public private(set) var health = BoardHealth()

  /// `directory` is the store's; `root` is prefixed to all other paths. `post` gets a line for the journal when
  /// something has gone wrong (true) or is well again.
  public init(directory: String, root: String = "", post: @escaping (String, Bool) -> Void) {
    self.directory = directory
    self.root = root
    self.post = post
  }

  /// Looks, if the last look is old enough.
  @discardableResult
  public func look(at now: Instant) -> BoardHealth {
    guard now >= nextLook else { return health }
    nextLook = now + Self.span
    var found = BoardHealth()
    readSupply(into: &found)
    found.temperature = temperature()
    readStorage(into: &found)
    found.hadUnderVoltage = health.hadUnderVoltage || found.isUnderVoltage == true
    found.hadThrottling = health.hadThrottling || found.isThrottled == true
    health = found
    reportTroubles()
    return health
  }

  private func reportTroubles() {
    let found = health.troubles(after: troubles)
    for trouble in BoardHealth.Trouble.allCases where found.contains(trouble) != troubles.contains(trouble) {
      let isWrong = found.contains(trouble)
      post(isWrong ? "\(trouble.words)\(figure(trouble))" : "no longer: \(trouble.words)", isWrong)
    }
    troubles = found
  }

  private func figure(_ trouble: BoardHealth.Trouble) -> String {
    switch trouble {
    case .hot: health.temperature.map { ": \(Int($0.rounded())) °C" } ?? ""
    case .storageWorn: health.storageWear.map { ": \($0) % of its writes are used" } ?? ""
    case .fileSystemErrors: health.fileSystemErrors.map { ": \($0) since it was last checked" } ?? ""
    case .underVoltage, .throttled, .readOnly: ""
    }
  }

  /// Bits 0 and 2 are current, 16 and 18 cover the time since they were last read: reading clears them.
  private func readSupply(into found: inout BoardHealth) {
    if let text = Sysfs.text(root + Self.throttled), let bits = Self.hexadecimal(text) {
      found.isUnderVoltage = bits & 0x1_0001 != 0
      found.isThrottled = bits & 0x4_0004 != 0
    }
    for name in Sysfs.names(in: root + Self.sensors) {
      let sensor = "\(root)\(Self.sensors)/\(name)"
      guard Sysfs.text(sensor + "/name") == "rpi_volt", let alarm = Sysfs.number(sensor + "/in0_lcrit_alarm")
      else { continue }
      found.isUnderVoltage = found.isUnderVoltage == true || alarm != 0
    }
  }

  private func temperature() -> Double? {
    let zones = Sysfs.names(in: root + Self.zones).filter { $0.hasPrefix("thermal_zone") }
    let degrees = zones.compactMap { Sysfs.number("\(root)\(Self.zones)/\($0)/temp").map { $0 / 1000 } }
    return degrees.filter(Self.possible.contains).max()
  }

  private func readStorage(into found: inout BoardHealth) {
    for name in Sysfs.names(in: root + Self.disks) where name.hasPrefix("mmcblk") {
      let device = "\(root)\(Self.disks)/\(name)/device"
      // Two kinds of memory in one chip; 0: not reported, 11: lifetime exceeded.
      let lives = (Sysfs.text(device + "/life_time") ?? "").split(separator: " ")
      let wear = lives.compactMap { Self.hexadecimal(String($0)) }.filter { (1...11).contains($0) }.max()
      if let wear { found.storageWear = max(found.storageWear ?? 0, wear * 10) }
      // 1 normal, 2: 80 % of the spare blocks are used, 3: 90 %.
      let spare = Sysfs.text(device + "/pre_eol_info").flatMap(Self.hexadecimal) ?? 0
      if spare == 2 || spare == 3 { found.isStorageWorn = true }
    }
    for name in Sysfs.names(in: root + Self.fileSystems) {
      guard let errors = Sysfs.number("\(root)\(Self.fileSystems)/\(name)/errors_count"), errors >= 0 else {
        continue
      }
      found.fileSystemErrors = (found.fileSystemErrors ?? 0) + Int(min(errors, 1e9))
    }
    var facts = statvfs()
    found.isReadOnly = statvfs(directory, &facts) == 0 && facts.f_flag & UInt(ST_RDONLY) != 0
  }

  private static func hexadecimal(_ text: String) -> Int? {
    Int(text.hasPrefix("0x") ? text.dropFirst(2) : text[...], radix: 16)
  }
}
