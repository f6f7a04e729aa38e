import Model
import OwnTracks
import Testing

/// What only several keys together can say, and what the service manager hands over.
struct ConfigurationChecksTests {
  private func decode(
    _ members: String, credentials: [(String, String)] = [], overrides: [(String, String)] = [],
    purpose: ConfigurationFile.Purpose = .daemon
  ) -> ConfigurationFile.Decoded {
    let host = members.contains("\"host\"") ? "" : ",\"host\":\"h\""
    return ConfigurationFile.decode(
      bytes("{\"_type\":\"configuration\",\"username\":\"u\"\(host)\(members)}"),
      overrides: overrides, credentials: credentials, purpose: purpose)
  }

  private func problems(_ members: String) -> [String] { decode(members).problems.map(\.description) }

  // MARK: Credentials

  @Test func credentialAppliesOnlyWhereKeyIsUnset() {
    for members in ["", #","password":"""#, #","password":null"#] {
      let decoded = decode(members, credentials: [("password", "sesame"), ("nobody", "x")])
      #expect(decoded.configuration.login.password == "sesame" && decoded.problems.isEmpty)
    }
    let written = decode(#","password":"own""#, credentials: [("password", "sesame")])
    #expect(written.configuration.login.password == "own" && written.problems.isEmpty)
    // The command line is nearer still.
    let typed = decode("", credentials: [("password", "sesame")], overrides: [("password", "typed")])
    #expect(typed.configuration.login.password == "typed")
  }

  @Test func aCredentialThatIsNoneIsNamedAndNotRepeated() {
    let decoded = decode("", credentials: [("password", "se\0same"), ("port", "many")])
    #expect(
      decoded.problems.map(\.description) == [
        "credential: password is (hidden), expected a text",
        #"credential: port is "many", expected a whole number from 0 to 65535"#,
      ])
  }

  // MARK: Keys that belong together

  @Test func aBoardSwitchesItselfOffBelowTheWarning() {
    #expect(problems(#","vehicleBatteryLow":11.9,"vehicleBatteryOff":11.8"#).isEmpty)
    #expect(
      problems(#","vehicleBatteryLow":11.9,"vehicleBatteryOff":11.9"#)
        == ["line 1: vehicleBatteryOff is 11.9, expected 0, or below vehicleBatteryLow (11.9)"])
    #expect(problems(#","vehicleBatteryLow":0,"vehicleBatteryOff":0"#).isEmpty)
  }

  @Test func parkedShutdownRequiresIgnitionInput() {
    #expect(
      problems(#","parkedShutdown":1"#)
        == ["line 1: parkedShutdown is 1, expected 0, or an ignitionInput that says when it is parked"])
    #expect(problems(#","parkedShutdown":1,"ignitionInput":"supply:AC""#).isEmpty)
    #expect(problems(#","parkedShutdown":0"#).isEmpty)
  }

  @Test func checkInsTakeABoardThatSwitchesItselfOff() {
    func warnings(_ members: String) -> [String] {
      decode(members).warnings.filter { $0.hasPrefix("parkedWake") }
    }
    #expect(
      warnings(#","parkedWake":6"#) == [
        "parkedWake: only the command park switches the board off, without parkedShutdown or vehicleBatteryOff"
      ])
    #expect(warnings(#","parkedWake":6,"vehicleBatteryOff":11.5"#).isEmpty)
    #expect(warnings(#","parkedWake":6,"parkedShutdown":60,"ignitionInput":"supply:AC""#).isEmpty)
    #expect(warnings(#","parkedWake":0"#).isEmpty)
  }

  // behaviour: Battery steps
  @Test func limitsOfBatteryStepsFallFromStepToStep() {
    func steps(_ list: String) -> [String] { problems(#","batterySteps":[\#(list)]"#) }
    #expect(steps(#""off|11.5V","beacons|25%","receiver|40%","checkins|12V","off|10%""#).isEmpty)
    #expect(
      steps(#""beacons|40%","receiver|40%""#)
        == [#"line 1: batterySteps is "beacons|40%", expected a limit below 40%, that of receiver"#])
    #expect(
      steps(#""checkins|11.5V","off|11.6V""#)
        == [#"line 1: batterySteps is "off|11.6V", expected a limit below 11.5V, that of checkins"#])
    #expect(
      steps(#""off|20%","off|10%""#)
        == [#"line 1: batterySteps is "off|10%", expected off only once"#])
    #expect(
      steps(#""off|20""#) == [
        #"line 1: batterySteps is "off|20", expected a list of at most 20, each STEP|LIMIT, receiver, beacons, checkins or "#
          + "off and 1% to 100% or 1V to 60V, such as beacons|30% or off|11.6V"
      ])
  }

  @Test func stepsInVoltsTakeAMeter() {
    func warnings(_ members: String) -> [String] {
      decode(members).warnings.filter { $0.hasPrefix("battery") }
    }
    #expect(
      warnings(#","batterySteps":["off|11.5V"]"#) == [
        "batterySteps in volts are of no account: nothing measures them, expected vehicleBattery"
      ])
    #expect(warnings(#","batterySteps":["off|11.5V"],"vehicleBattery":"ina219""#).isEmpty)
    #expect(warnings(#","batterySteps":["off|15%"]"#).isEmpty)
    #expect(decode(#","batterySteps":["checkins|15%"],"parkedWake":6"#).warnings.isEmpty)
  }

  @Test func theWaitsBetweenAttemptsAreInOrder() {
    #expect(problems(#","reconnectMin":60,"reconnectMax":60"#).isEmpty)
    #expect(
      problems(#","reconnectMin":61,"reconnectMax":60"#)
        == ["line 1: reconnectMin is 61, expected at most reconnectMax (60)"])
    // One complaint of a key is enough.
    #expect(problems(#","reconnectMin":0,"reconnectMax":1"#).count == 1)
  }

  @Test func aBeaconIsLeftWellBelowWhereItIsEntered() {
    let words = "expected 0, or at least 6 below beaconEnterRssi"
    #expect(
      problems(#","beaconEnterRssi":-80,"beaconLeaveRssi":-85"#)
        == ["line 1: beaconLeaveRssi is -85, \(words) (-80)"])
    #expect(problems(#","beaconLeaveRssi":-90"#) == ["line 1: beaconLeaveRssi is -90, \(words) (0)"])
    #expect(problems(#","beaconEnterRssi":-80,"beaconLeaveRssi":0"#).isEmpty)
  }

  @Test func aCertificateHasAKey() {
    let words = "expected a path: tlsClientCert and tlsClientKey come together"
    #expect(
      problems(#","tlsClientCert":"/c.pem""#) == ["not in the file: tlsClientKey is empty, \(words)"])
    #expect(
      problems(#","tlsClientKey":"/k.pem""#) == ["not in the file: tlsClientCert is empty, \(words)"])
    #expect(problems(#","tlsClientCert":"/c.pem","tlsClientKey":"/k.pem""#).isEmpty)
  }

  @Test func holdUnheardSaysWhereItHoldsNothing() {
    let retained =
      "holdUnheard does not hold locations while pubRetain is true: what is retained counts as delivered"
    let old = "holdUnheard holds nothing with mqttProtocolLevel 4: only MQTT 5 says who has subscribed"
    for (more, expected) in [
      ("", [retained]), (#","pubRetain":false"#, []), (#","pubRetain":false,"mqttProtocolLevel":5"#, []),
      (#","mqttProtocolLevel":4"#, [old]),
      (#","pubQos":2"#, ["holdUnheard holds nothing with pubQos 2: it needs 1"]),
      (#","mode":3,"url":"https://h/""#, []),
    ] {
      let warnings = decode(#","holdUnheard":true"# + more).warnings.filter { $0.hasPrefix("holdUnheard") }
      #expect(warnings == expected, "\(more)")
    }
  }

  @Test func batchSecondsSaysWhereItCollectsNothing() {
    for (more, expected) in [
      ("", []), (#","pubQos":2"#, []),
      (#","pubQos":0"#, ["batchSeconds collects nothing with pubQos 0: a batch has to be acknowledged"]),
      (
        #","encryptionKey":"k""#,
        ["batchSeconds collects nothing with an encryptionKey: nobody could take a batch apart"]
      ),
      (
        #","mode":3,"url":"https://h/""#,
        ["batchSeconds collects nothing over HTTP: a batch is for MQTT"]
      ),
    ] {
      let warnings = decode(#","batchSeconds":60"# + more).warnings.filter { $0.hasPrefix("batchSeconds") }
      #expect(warnings == expected, "\(more)")
    }
    #expect(!decode(#","pubQos":0"#).warnings.contains { $0.hasPrefix("batchSeconds") })
  }

  @Test func connectionRequiresAServerAddress() {
    let address = "expected the address to post to (mode 3), such as https://host/path"
    #expect(problems(#","mode":3"#) == ["not in the file: url is empty, \(address)"])
    #expect(problems(#","mode":3,"url":"x""#) == ["line 1: url is (hidden), \(address)"])
    // Over HTTP nobody asks for a broker.
    #expect(problems(#","mode":3,"url":"https://h/","host":"mqtt://x""#).isEmpty)
    #expect(
      problems(#","port":1,"host":"""#) == [
        "line 1: host is empty, expected the broker's name or address (or port 0 to stay offline)"
      ])
    #expect(problems(#","port":0,"host":"""#).isEmpty)
    #expect(
      problems(#","host":"u:p@h""#)
        == [#"line 1: host is (hidden), expected the bare name "h""#])
  }

  // MARK: Overrides

  @Test func overrideSuppressesProblemsOfItsKeyOnly() {
    let decoded = decode(
      #","ping":"often","port":"many","pubExtendedData":7"#,
      overrides: [("ping", "20"), ("extendedData", "0"), ("pubExtendedData", "1")])
    #expect(decoded.problems.map(\.key) == ["port"])
    #expect(decoded.configuration.reports.ping == 20 && decoded.configuration.reports.extendedData)
    let old = decode(#","extendedData":7"#, overrides: [("pubExtendedData", "0")])
    #expect(old.problems.isEmpty && !old.configuration.reports.extendedData)
    #expect(
      decode("", overrides: [("pnig", "1")]).problems.map(\.description) == [
        "override: pnig, expected a known key; there is none of this name; did you mean ping?"
      ])
  }

  // MARK: Regions

  @Test func regionsAreAList() {
    #expect(
      problems(",\n\"waypoints\":{\"a\":1}")
        == [#"line 2: waypoints is {"a":1}, expected an array of waypoint objects"#])
  }

  @Test func namesakesAreCountedByName() {
    func region(_ name: String, _ more: String = "") -> String {
      #"{"_type":"waypoint","desc":"\#(name)","rad":9,"tst":1\#(more)}"#
    }
    let gone = #","lat":-1000000,"lon":-1000000"#
    let list = [
      region("B"), region("A"), region("B"), region("A"), region("A"), region("C"), region("D"),
      region("D", gone), region("E", gone), region("E", gone),
    ]
    #expect(
      decode(#","waypoints":["# + list.joined(separator: ",") + "]").remarks == [
        #"3 regions are called "A": each of them reports its own crossings"#,
        #"2 regions are called "B": each of them reports its own crossings"#,
      ])
  }

  // MARK: Warnings

  @Test func aFileThatSaysEverythingHasNoRemark() {
    #expect(decode("").remarks.isEmpty)
  }

  @Test func brokerAndRecorderLimitsAreRemarked() {
    let id = String(repeating: "x", count: 23)
    #expect(decode(#","mqttProtocolLevel":3,"clientId":"\#(id)""#).remarks.isEmpty)
    #expect(
      decode(#","mqttProtocolLevel":3,"clientId":"\#(id)y""#).remarks
        == ["clientId \(id)y has more than the 23 bytes that MQTT 3.1 allows"])
    #expect(decode(#","mqttProtocolLevel":4,"clientId":"\#(id)y""#).remarks.isEmpty)
    #expect(decode(#","pubTopicBase":"a/b/c""#).remarks.isEmpty)
    #expect(
      decode(#","pubTopicBase":"a/b""#).remarks
        == ["pubTopicBase has fewer than three levels: the OwnTracks Recorder ignores it"])
  }

  @Test func unsupportedOrInsecureKeysAreRemarked() {
    #expect(
      decode(#","ws":true,"port":8883"#).remarks == [
        "ws is true, and websockets are not supported: the broker is called over TLS on port 8883"
      ])
    #expect(decode(#","ws":true,"mode":3,"url":"https://h/""#).remarks.isEmpty)
    let words =
      "is ignored: a client certificate of the apps is not supported; convert it to PEM files and name them "
      + "in tlsClientCert and tlsClientKey"
    #expect(
      decode(#","clientpkcs":"a","tlsClientCrt":"b""#).remarks
        == ["clientpkcs \(words)", "tlsClientCrt \(words)"])
    #expect(
      decode(#","allowinvalidcerts":true"#).remarks
        == ["allowinvalidcerts is true: anybody can pose as the broker and read everything"])
  }

  @Test func aReplayNeedsNoNamesAndIsNotWarned() {
    let decoded = ConfigurationFile.decode(
      bytes(#"{"_type":"configuration","allowinvalidcerts":true}"#), purpose: .replay)
    #expect(decoded.problems.isEmpty && decoded.remarks.isEmpty)
    let nameless = ConfigurationFile.decode(bytes(#"{"_type":"configuration","host":"h"}"#))
    #expect(nameless.remarks == ["username is empty: nothing is published until it is set"])
  }
}
