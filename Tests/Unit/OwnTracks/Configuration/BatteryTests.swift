import Model
import OwnTracks
import Testing

struct BatteryTests {
  @Test(arguments: [
    ("auto", BatterySource.auto), ("max17040", .max17040(.init(bus: 1, address: 0x36))),
    ("max17040:3", .max17040(.init(bus: 3, address: 0x36))),
    ("max17040:0:0x37", .max17040(.init(bus: 0, address: 0x37))),
    ("ina219", .ina219(.init(bus: 1, address: 0x40), isReversed: false)),
    ("ina219:reversed", .ina219(.init(bus: 1, address: 0x40), isReversed: true)),
    ("ina219:1:41:reversed", .ina219(.init(bus: 1, address: 0x41), isReversed: true)),
    ("file:/run/a:b", .file("/run/a:b")), ("command:/bin/ups -l  2", .command(["/bin/ups", "-l", "2"])),
  ])
  func aSourceIsUnderstood(_ text: String, _ source: BatterySource) {
    #expect(BatterySource(text) == source)
  }

  @Test(arguments: [
    "", "Auto", "auto:1", "max17040:", "max17040:1:0x36:1", "max17040:256", "max17040:1:0x78",
    "max17040:1:7", "max17040:reversed", "ina219:x", "file:", "file:run", "file", "command:ups", "i2c",
  ])
  func invalidBatterySourceIsRejected(_ text: String) {
    #expect(BatterySource(text) == nil)
  }

  @Test func betweenTwoVoltagesTheLevelIsOnTheLine() throws {
    let table = try #require(VoltageTable("3.0:0 3.5:50 4.5:100"))
    #expect([2.0, 3.0, 3.25, 3.5, 4.0, 4.5, 9.0].map(table.percent) == [0, 0, 25, 50, 75, 100, 100])
  }

  @Test(arguments: [
    "", "3:0", "3:0 3:50", "3:50 4:40", "3 4", "3:0 4:101", "a:0 4:5", "3:0,4:5", "3:0 4:-1", "nan:0 4:1",
  ])
  func aTableThatDoesNotGrowIsRefused(_ text: String) {
    #expect(VoltageTable(text) == nil)
  }

  private func parse(_ text: String) throws -> Battery { try BatteryText.parse(Array(text.utf8)) }

  @Test(arguments: [
    ("57 Discharging\n", Battery(level: 57, state: .unplugged)), ("57%", Battery(level: 57, state: .unknown)),
    ("  99.6 FULL", Battery(level: 100, state: .full)),
    ("0\tnot charging", Battery(level: 0, state: .unplugged)),
    (#"{"level":57,"status":"Charging"}"#, Battery(level: 57, state: .charging)),
    ("\n{\"level\":\"12.4\"}", Battery(level: 12, state: .unknown)),
  ])
  func aBatteryIsUnderstood(_ text: String, _ battery: Battery) throws {
    #expect(try parse(text) == battery)
  }

  @Test(arguments: [
    "", "\n", "Charging", "-1", "101 Full", "57 Melting", "nan", "5 7", "{}", #"{"level":true}"#, "{",
    #"{"level":5,"status":"x"}"#, String(repeating: " ", count: 4097),
  ])
  func invalidBatteryIsRefusedWithOneLine(_ text: String) {
    #expect { try parse(text) } throws: { !"\($0)".isEmpty && !"\($0)".contains("\n") }
  }
}
