import Glibc
import Model
import TestSupport
import Testing
import Timebase

@testable import Host

// behaviour: The board's own health
/// How the board does, from files as a Raspberry Pi's kernel has them.
@Suite final class BoardHealthTests {
  let scratch = Scratch()
  var lines: [String] = []
  var now = Instant.zero
  lazy var watch = BoardHealthWatch(directory: scratch.path, root: scratch.path) {
    [unowned self] line, isWrong in
    lines.append((isWrong ? "! " : "  ") + line)
  }

  static let throttled = "sys/devices/platform/soc/soc:firmware/get_throttled"

  private func look(after span: Span = BoardHealthWatch.span) -> BoardHealth {
    now = now + span
    return watch.look(at: now)
  }

  @Test func boardWithoutSensorsHasNoTroubles() {
    #expect(look() == BoardHealth())
    #expect(look().troubles().isEmpty && lines.isEmpty)
  }

  @Test func onsetAndEndOfUnderVoltageAreReported() {
    scratch.put("0\n", at: Self.throttled)
    #expect(look().isUnderVoltage == false)
    scratch.put("50005\n", at: Self.throttled)
    #expect(look().troubles() == [.underVoltage, .throttled])
    #expect(look().troubles() == [.underVoltage, .throttled])
    scratch.put("0\n", at: Self.throttled)
    let after = look()
    #expect(after.troubles().isEmpty && after.hadUnderVoltage && after.hadThrottling)
    #expect(
      lines == [
        "! the supply gives too little voltage", "! the processor is slowed down",
        "  no longer: the supply gives too little voltage", "  no longer: the processor is slowed down",
      ])
  }

  /// What was between two looks: the firmware remembers it until it is read.
  @Test func aShortDropOfTheVoltageIsNotMissed() {
    scratch.put("10000\n", at: Self.throttled)
    #expect(look().troubles() == [.underVoltage])
  }

  @Test func hwmonAlarmReportsUnderVoltage() {
    scratch.put("cpu_thermal\n", at: "sys/class/hwmon/hwmon0/name")
    scratch.put("rpi_volt\n", at: "sys/class/hwmon/hwmon1/name")
    scratch.put("1\n", at: "sys/class/hwmon/hwmon1/in0_lcrit_alarm")
    #expect(look().isUnderVoltage == true)
  }

  @Test func overheatingIsReportedOnceWithHysteresis() {
    for degrees in [61_200, 80_000, 79_000, 81_000, 76_000, 74_900, 79_900] {
      scratch.put("\(degrees)\n", at: "sys/class/thermal/thermal_zone0/temp")
      _ = look()
    }
    #expect(watch.health.temperature == 79.9)
    #expect(lines == ["! the processor is hot: 80 °C", "  no longer: the processor is hot"])
  }

  @Test func aSensorsNonsenseIsNoTemperature() {
    scratch.put("-273000\n", at: "sys/class/thermal/thermal_zone0/temp")
    #expect(look().temperature == nil)
    scratch.put("55000\n", at: "sys/class/thermal/thermal_zone1/temp")
    #expect(look().temperature == 55)
  }

  @Test func storageWearIsReadAndReported() {
    scratch.put("0x02 0x04\n", at: "sys/block/mmcblk0/device/life_time")
    scratch.put("0x01\n", at: "sys/block/mmcblk0/device/pre_eol_info")
    #expect(look().storageWear == 40)
    #expect(lines.isEmpty)
    scratch.put("0x02 0x09\n", at: "sys/block/mmcblk0/device/life_time")
    #expect(look().troubles() == [.storageWorn])
    #expect(lines == ["! the storage is nearly worn out: 90 % of its writes are used"])
    scratch.put("0x00 0x00\n", at: "sys/block/mmcblk0/device/life_time")
    scratch.put("0x02\n", at: "sys/block/mmcblk0/device/pre_eol_info")
    #expect(look().storageWear == nil)
    #expect(watch.health.troubles() == [.storageWorn])
  }

  @Test func errorsOfTheFileSystemsAreCounted() {
    scratch.put("0\n", at: "sys/fs/ext4/mmcblk0p1/errors_count")
    scratch.put("3\n", at: "sys/fs/ext4/mmcblk0p2/errors_count")
    scratch.put("x\n", at: "sys/fs/ext4/features/encryption")
    #expect(look().fileSystemErrors == 3)
    #expect(lines == ["! the file system has errors: 3 since it was last checked"])
  }

  @Test(.enabled(if: geteuid() == 0, "mounting is not permitted here"))
  func readOnlyFileSystemIsReported() throws {
    #expect(!look().isReadOnly && lines.isEmpty)
    try #require(mount("tmpfs", scratch.path, "tmpfs", UInt(MS_RDONLY), nil) == 0)
    defer { umount2(scratch.path, Int32(MNT_DETACH)) }
    #expect(look().isReadOnly)
    #expect(lines == ["! the file system of the store is read-only"])
  }

  /// Nobody has it read the firmware's answer at each call.
  @Test func itIsLookedAtTwiceAMinuteAtMost() {
    scratch.put("0\n", at: Self.throttled)
    _ = look()
    scratch.put("1\n", at: Self.throttled)
    #expect(look(after: .seconds(29)).isUnderVoltage == false)
    #expect(look(after: .seconds(1)).isUnderVoltage == true)
  }
}
