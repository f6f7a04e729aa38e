import Model
import OwnTracks
import Testing
import Timebase

/// Acceptance scenarios 18 to 25: what stands in a location.
struct LocationMessageTests {
  // behaviour: What a location says
  @Test func aWholeLocation() throws {
    let message = encoder().encode(
      .location(
        location { report in
          report.fix = Fix(
            time: WallTime(seconds: start + 0.4),
            coordinate: Coordinate(latitude: 48.1234564, longitude: 11.7654326)!, accuracy: 7.6,
            altitude: 512.5,
            verticalAccuracy: 3.2, speed: 8.33, course: 271.4)
          report.time = report.fix.time
          report.created = WallTime(seconds: start + 0.4)
        }))
    #expect(
      text(message.payload)
        == #"{"_type":"location","acc":8,"alt":513,"cog":271,"inregions":[],"inrids":[],"lat":48.123456,"#
        + #""lon":11.765433,"m":1,"tid":"D","tst":1700000000,"vac":3,"vel":30}"#)
    #expect(message.topic == "owntracks/u/d")
    #expect(message.time == 1_700_000_000)
  }

  // behaviour: What a location says
  @Test func withoutExtendedData() throws {
    let json = try payload(encoder { $0.reports.extendedData = false }) { report in
      report.fix.verticalAccuracy = 3
      report.fix.speed = 5
      report.fix.course = 90
      report.network = .wifi(ssid: "n1", bssid: "02:00:00:00:00:01")
      report.pressure = 101.3
    }
    #expect(keys(json) == ["_type", "acc", "inregions", "inrids", "lat", "lon", "tid", "tst"])
  }

  @Test func createdAtWhenLate() throws {
    let json = try payload { report in
      report.time = WallTime(seconds: start + 58)
      report.created = WallTime(seconds: start + 61)
      report.trigger = .user
    }
    #expect(json["created_at"] == 1_700_000_061)
    #expect(json["tst"] == 1_700_000_058)
    #expect(json["t"] == "u")
  }

  // behaviour: Times of a location
  @Test func noCreatedAtWithinASecond() throws {
    let json = try payload { report in
      report.time = WallTime(seconds: start + 58)
      report.created = WallTime(seconds: start + 59)
    }
    #expect(json["created_at"] == nil)
  }

  @Test func tstIsTheNearestSecond() throws {
    #expect(try payload { $0.time = WallTime(seconds: start + 10.6) }["tst"] == 1_700_000_011)
  }

  @Test(arguments: [(Battery.State.unplugged, 1), (.charging, 2), (.full, 3)])
  func levelAndStateOfTheBattery(_ state: Battery.State, _ number: Int) throws {
    let json = try payload { $0.battery = Battery(level: 57, state: state) }
    #expect(json["batt"] == 57)
    #expect(json["bs"]?.int == number)
  }

  @Test func batteryStateUnknownIsLeftOut() throws {
    let json = try payload { $0.battery = Battery(level: 57, state: .unknown) }
    #expect(json["batt"] == 57)
    #expect(json["bs"] == nil)
  }

  @Test func withoutABattery() throws {
    let json = try payload()
    #expect(json["batt"] == nil && json["bs"] == nil)
  }

  // behaviour: What a location says
  @Test func standingStillIsSent() throws {
    let json = try payload { $0.fix.course = 0 }
    #expect(json["vel"] == 0)
    #expect(json["cog"] == nil)
  }

  @Test func dueNorthIsSent() throws {
    let json = try payload { report in
      report.fix.speed = 5
      report.fix.course = 0
    }
    #expect(json["cog"] == 0)
    #expect(json["vel"] == 18)
  }

  @Test func withoutASpeed() throws {
    let json = try payload { $0.fix.speed = nil }
    #expect(json["vel"] == nil)
  }

  @Test func courseRoundsUpToNorth() throws {
    let json = try payload { report in
      report.fix.speed = 5
      report.fix.course = 359.6
    }
    #expect(json["cog"] == 0)
  }

  // behaviour: What a location says
  @Test(arguments: [(0.0, 1), (0.2, 1), (5.0, 5), (5.01, 6), (1e30, 1_000_000_000)])
  func accuracyIsRoundedUpAndNeverZero(_ metres: Double, _ sent: Int) throws {
    #expect(try payload { $0.fix.accuracy = metres }["acc"]?.int == sent)
  }

  @Test func aTagIsOnEveryTrigger() throws {
    for trigger in [Trigger.automatic, .ping, .circular] {
      let json = try payload { report in
        report.tag = "Spain"
        report.trigger = trigger
      }
      #expect(json["tag"] == "Spain")
    }
  }

  @Test func aRemarkIsSent() throws {
    #expect(try payload { $0.poi = "cafe" }["poi"] == "cafe")
    #expect(try payload()["poi"] == nil)
    #expect(try payload { $0.poi = "" }["poi"] == nil)
  }

  @Test func emptyTagIsNone() throws {
    #expect(try payload { $0.tag = "" }["tag"] == nil)
  }

  @Test func wifiHasSSIDAndBSSID() throws {
    let json = try payload { $0.network = .wifi(ssid: "n1", bssid: "02:00:00:00:00:01") }
    #expect(json["conn"] == "w")
    #expect(json["SSID"] == "n1")
    #expect(json["BSSID"] == "02:00:00:00:00:01")
  }

  // behaviour: What a location says
  @Test(arguments: [(Network.wired, String?.none), (.unknown, nil), (.none, "o"), (.mobile, "m")])
  func otherNetworksAreALetterOrNothing(_ network: Network, _ letter: String?) throws {
    let json = try payload { $0.network = network }
    #expect(json["conn"]?.text == letter)
    #expect(json["SSID"] == nil && json["BSSID"] == nil)
  }

  @Test func pressureHasThreeDecimals() throws {
    let message = encoder().encode(.location(location { $0.pressure = 101.32549 }))
    #expect(text(message.payload).contains(#""p":101.325,"#))
  }

  @Test func unsharedNamesStayOutTheirRidsStayIn() throws {
    let json = try payload { report in
      report.inside = [.init(name: "Home|1|2", rid: "e1f891"), .init(name: nil, rid: "c05d90")]
    }
    #expect(json["inregions"] == ["Home|1|2"])
    #expect(json["inrids"] == ["e1f891", "c05d90"])
  }

  @Test func wholeNumbersWhereNoneCanBeMade() throws {
    let json = try payload { report in
      report.fix.altitude = .nan
      report.fix.speed = .infinity
      report.fix.verticalAccuracy = -1
      report.pressure = .nan
    }
    #expect(json["alt"] == nil && json["vel"] == nil && json["vac"] == nil && json["p"] == nil)
  }

  @Test func verticalErrorNeverRoundsToNone() throws {
    #expect(try payload { $0.fix.verticalAccuracy = 0.2 }["vac"] == 1)
    #expect(try payload { $0.fix.verticalAccuracy = 0 }["vac"] == 0)
  }

  @Test func altitudeMayBeBelowTheSea() throws {
    #expect(try payload { $0.fix.altitude = -3.4 }["alt"] == -3)
  }

  @Test func southAndWest() throws {
    let json = try payload { report in
      report.fix.coordinate = Coordinate(latitude: -33.8688001, longitude: -0.0000004)!
    }
    #expect(json["lat"] == -33.8688)
    #expect(json["lon"] == 0.0)
  }

  @Test func keysAreSorted() throws {
    let json = try payload { report in
      report.network = .wifi(ssid: "n", bssid: "b")
      report.battery = Battery(level: 1, state: .full)
      report.created = WallTime(seconds: start + 9)
      report.fix.course = 1
      report.fix.speed = 9
      report.fix.verticalAccuracy = 2
      report.pressure = 100
      report.poi = "x"
      report.tag = "y"
      report.trigger = .user
      report.vehicle = VehicleWords(
        ignition: true, volts: 12.4, isMoving: false, engineSeconds: 7200, batteryStep: .receiver)
    }
    #expect(keys(json) == keys(json).sorted())
    #expect(keys(json).count == 28)
  }

  @Test func requestedAndOneTimeLocationsAreEvents() {
    let events: [Trigger] = [
      .user, .remote, .tow, .overspeed, .ignition(isOn: true), .ignition(isOn: false), .power(isOn: true),
      .power(isOn: false), .harsh(.braking), .lowBattery, .batteryWell, .sos,
    ]
    for trigger in [Trigger.automatic, .timer, .ping, .circular, .follow, .beacon] + events {
      let message = encoder().encode(.location(location { $0.trigger = trigger }))
      #expect(message.isEvent == events.contains(trigger))
    }
  }

  // behaviour: Battery steps
  @Test func theStepInForceAndTheEndOfOneAreInTheLocation() throws {
    #expect(try payload { $0.vehicle = VehicleWords(batteryStep: .beacons) }["batteryStep"] == "beacons")
    #expect(try payload { $0.trigger = .batteryWell }["batteryStep"] == "none")
    #expect(try payload { $0.trigger = .lowBattery }["batteryStep"] == nil)
    let up = try payload { ($0.trigger, $0.vehicle.batteryStep) = (.batteryWell, .receiver) }
    #expect(up["batteryStep"] == "receiver")
  }

  // behaviour: Words for vehicles
  @Test func vehiclesAreTheWordsOfTheFamily() throws {
    let letters: [(Trigger, String?)] = [
      (.tow, "!"), (.overspeed, "s"), (.ignition(isOn: true), "i"), (.ignition(isOn: false), "I"),
      (.power(isOn: false), "e"), (.power(isOn: true), "E"),
      (.lowBattery, "9"), (.batteryWell, nil), (.sos, "GTSOS"),
    ]
    for (trigger, letter) in letters { #expect(try payload { $0.trigger = trigger }["t"]?.text == letter) }
    for (kind, type) in [(HarshManoeuvre.Kind.braking, 0), (.acceleration, 1), (.cornering, 2)] {
      let json = try payload { $0.trigger = .harsh(kind) }
      #expect(json["t"] == "h" && json["rty"]?.int == type)
      #expect(keys(json) == keys(json).sorted())
    }
    #expect(try payload { $0.trigger = .tow }["rty"] == nil)
    let json = try payload {
      $0.vehicle = VehicleWords(ignition: false, volts: 12.456, isMoving: true, engineSeconds: 7199.6)
    }
    #expect(json["hmc"]?.int == 7200)
    #expect(json["ign"] == false && json["uext"] == 12.46 && json["motion"] == true)
    let plain = try payload(encoder { $0.reports.extendedData = false }) {
      $0.vehicle = VehicleWords(ignition: true, volts: 12, isMoving: true, engineSeconds: 60)
    }
    #expect(plain["ign"] == nil && plain["uext"] == nil && plain["motion"] == nil && plain["hmc"] == nil)
  }

  // behaviour: Words for vehicles
  @Test func theOwnersKeyOfTheVehicleCounts() throws {
    let encoder = encoder()
    encoder.additions.extras = [("uext", 24)]
    let message = encoder.encode(.location(location { $0.vehicle = VehicleWords(ignition: true, volts: 12) }))
    let json = try JSON.parse(message.payload)
    #expect(keys(json).filter { $0 == "uext" }.count == 1)
    #expect(json["uext"] == 24 && json["ign"] == true)
  }

  // behaviour: Topics and messages
  @Test func retainAndQualityFollowTheConfiguration() {
    let message = encoder { $0.messages.qos = 2 }.encode(.location(location()))
    #expect(message.qos == 2 && message.isRetained)
    #expect(!encoder { $0.messages.retain = false }.encode(.location(location())).isRetained)
  }

  @Test func textIsEscaped() throws {
    let tag = "a\"b\\c\nd\te\r\u{1}\u{1F}ä🚗\u{0}/"
    #expect(try payload { $0.tag = tag }["tag"]?.text == tag)
  }
}
