import OwnTracks
import Testing

@testable import homeward

/// The days that a battery lasts, worked out by hand beside each.
// behaviour: How long a battery lasts
struct EnergyModelTests {
  private func model(_ words: String...) throws -> EnergyModel { try EnergyCommand.parse(words).model() }

  private func text(_ words: String...) throws -> [String] {
    EnergyText(model: try EnergyCommand.parse(words).model()).text.split(separator: "\n").map(String.init)
  }

  /// 24 check-ins of 150 s are one hour. 1 h × 360 mA = 360 mAh; 23 h × 10 mA = 230 mAh; together 590 mAh.
  @Test func aDayIsTheSumOfItsParts() throws {
    let model = try model("--on", "360", "--off", "10", "--check-ins", "24", "--seconds", "150")
    #expect(model.parts.map(\.name) == [.checkIns, .off])
    #expect(model.parts.map(\.hours) == [1, 23])
    #expect(model.parts.map(\.charge) == [360, 230])
    #expect(model.charge == 590)
    // 150 s × 360 mA / 3600 = 15 mAh.
    #expect(model.checkInCharge == 15)
    #expect(model.batteryCharge == nil && model.days == nil)
  }

  /// 12 check-ins of 300 s are one hour, of which 12 × 60 s = 0.2 h start. 2 h × 500 = 1000; 0.2 h × 900 = 180;
  /// 0.8 h × 500 = 400; 21 h × 2 = 42; together 1622 mAh.
  @Test func startAndDrivingAreParts() throws {
    let model = try model(
      "--on", "500", "--off", "2", "--starting", "900", "--start-seconds", "60", "--check-ins", "12",
      "--seconds",
      "300", "--driving", "2")
    #expect(model.parts.map(\.name) == [.driving, .starting, .checkIns, .off])
    #expect(model.parts.map { ($0.charge * 1000).rounded() / 1000 } == [1000, 180, 400, 42])
    #expect((model.charge * 1000).rounded() / 1000 == 1622)
    // (60 × 900 + 240 × 500) / 3600 = 174000 / 3600.
    #expect((model.checkInCharge * 100).rounded() / 100 == 48.33)
  }

  /// 590 mAh at 5 V are 2950 mWh; at 10 V by 50 % they are 2950 / 10 / 0.5 = 590 mAh. 5900 mAh, of which 50 % may be
  /// used, are 2950: 5 days.
  @Test func batteryHasItsOwnVoltage() throws {
    let model = try model(
      "--on", "360", "--off", "10", "--check-ins", "24", "--seconds", "150", "--battery", "5900", "--volts",
      "10",
      "--usable", "50", "--efficiency", "50")
    #expect(model.batteryCharge == 590)
    #expect(model.days == 5)
  }

  @Test func theStartIsAsLongAsTheRestWhereNothingIsSaid() throws {
    let plain = try model("--on", "100", "--off", "0", "--seconds", "36", "--check-ins", "100")
    #expect(plain.parts.map(\.name) == [.checkIns, .off] && plain.charge == 100)
  }

  @Test func measuredTimeWinsOverTheAssumedOneAndTheGivenOneOverBoth() throws {
    let command = try EnergyCommand.parse(["--on", "100", "--off", "1"])
    #expect(try command.model().day.onTime == .init(seconds: 120, origin: .assumed))
    let measured = EnergyModel.OnTime(seconds: 75, origin: .measured)
    #expect(try command.model(measured: measured).day.onTime == measured)
    let given = try EnergyCommand.parse(["--on", "100", "--off", "1", "--seconds", "90"])
    #expect(try given.model(measured: measured).day.onTime == .init(seconds: 90, origin: .given))
  }

  @Test func theTableNamesItsAssumptions() throws {
    #expect(
      try text("--on", "360", "--off", "10", "--check-ins", "24", "--battery", "7000") == [
        "part       hours a day  mA   mAh a day",
        "check-ins  0.8          360  288",
        "off        23.2         10   232",
        "the day    24                520",
        "A check-in of 120 s, assumed and not measured: 12 mAh.",
        "At the battery of 12 V, by a converter that passes 85 %: 254.9 mAh a day.",
        "80 % of its 7000 mAh last 21 days.",
      ])
    let given = try text("--on", "360", "--off", "10", "--seconds", "120")
    #expect(given.last == "A check-in of 120 s: 12 mAh.")
  }

  @Test func daysAreRoundedDown() {
    #expect(EnergyText.days(21.97) == "21 days")
    #expect(EnergyText.days(9.99) == "9.9 days")
    #expect(EnergyText.days(1.48) == "1.4 days")
    // Of a board that is off, and woken next to never.
    #expect(EnergyText.days(1e300).hasSuffix(" days"))
    #expect(EnergyText.days(nil) == "no end: nothing is drawn")
  }

  @Test func aDayOfCheckInsAloneIsADay() throws {
    let model = try model("--on", "100", "--off", "9", "--check-ins", "720")
    #expect(model.parts.map(\.name) == [.checkIns] && model.charge == 2400)
  }

  @Test(arguments: [
    (["--on", "0", "--off", "1"], "--on: 0, expected 0.1 to 20000 mA"),
    (["--on", "nan", "--off", "1"], "--on: ?, expected 0.1 to 20000 mA"),
    (["--on", "5", "--off", "inf"], "--off: ?, expected 0 to 20000 mA"),
    (["--on", "5", "--off", "1", "--starting", "20001"], "--starting: 20001, expected 0.1 to 20000 mA"),
    (["--on", "5", "--off", "1", "--check-ins", "90000"], "--check-ins: 90000, expected 0 to 86400"),
    (["--on", "5", "--off", "1", "--seconds", "0.5"], "--seconds: 0.5, expected 1 to 86400 s"),
    (["--on", "5", "--off", "1", "--driving", "25"], "--driving: 25, expected 0 to 24 h"),
    (["--on", "5", "--off", "1", "--battery", "0"], "--battery: 0, expected 1 to 10000000 mAh"),
    (["--on", "5", "--off", "1", "--volts", "0"], "--volts: 0, expected 1 to 100 V"),
    (["--on", "5", "--off", "1", "--usable", "101"], "--usable: 101, expected 1 to 100 %"),
    (["--on", "5", "--off", "1", "--efficiency", "0"], "--efficiency: 0, expected 1 to 100 %"),
    (
      ["--on", "5", "--off", "1", "--starting", "9", "--start-seconds", "121"],
      "--start-seconds: 121, expected 0 to 120 s"
    ),
    (
      ["--on", "5", "--off", "1", "--check-ins", "721"],
      "--check-ins: 721 of 120 s and 0 h of driving are 24.03 h, expected a day at most"
    ),
  ])
  func figuresOutOfRangeAreNamed(_ words: [String], _ line: String) throws {
    do {
      _ = try EnergyCommand.parse(words).model()
      Issue.record("\(words) are taken")
    } catch let failure as Failure {
      #expect(failure.text == line && failure.status == .usage)
    }
  }

  @Test func programsGetTheNumbersAsTheyAre() throws {
    let json = EnergyText(
      model: try model("--on", "360", "--off", "10", "--check-ins", "24", "--seconds", "150")
    ).json
    #expect(json["mAh"] == .real(590) && json["days"] == .null && json["batteryMAh"] == .null)
    #expect(json["checkIn"]?["from"] == .string("given") && json["checkIn"]?["mAh"] == .real(15))
  }
}
