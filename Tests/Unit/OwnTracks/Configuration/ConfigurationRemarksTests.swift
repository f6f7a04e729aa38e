import Model
import OwnTracks
import Testing

/// What a file says that is taken, and not as its owner meant it.
struct ConfigurationRemarksTests {
  private func decode(_ members: String, written: Int? = nil) -> ConfigurationFile.Decoded {
    ConfigurationFile.decode(
      bytes("{\"host\":\"h\",\"_type\":\"configuration\",\"username\":\"u\",\n\(members)}"), written: written)
  }

  private func regions(_ fields: String, written: Int? = 1_700_000_000) -> ConfigurationFile.Decoded {
    decode("\"waypoints\":[{\"_type\":\"waypoint\",\(fields)}]", written: written)
  }

  // behaviour: The configuration file
  @Test(arguments: [
    ("locatorInterv", "locatorInterval"), ("LocatorInterval", "locatorInterval"), ("userName", "username"),
    ("montoring", "monitoring"), ("tsl", "tls"), ("prot", "port"), ("pubTopicBas", "pubTopicBase"),
    ("colour", nil),
    (String(repeating: "x", count: 4000), nil),
  ])
  func anUnknownKeyIsNamedWithTheOneThatWasMeant(_ written: String, _ meant: String?) {
    let decoded = decode("\"\(written)\":1")
    #expect(decoded.unknown.map(\.name) == [written] && decoded.unknown.first?.suggestion == meant)
    let shown = written.count > 60 ? String(repeating: "x", count: 60) + "…" : written
    #expect(
      decoded.remarks == [
        "line 2: unknown key \(shown), ignored" + (meant.map { " (did you mean \($0)?)" } ?? "")
      ])
    #expect(decoded.problems.isEmpty)
  }

  @Test(arguments: [
    "https://{s}.example.org/{z}/{x}/{y}.png", "https://example.org/map", "ftp://example.org/{z}/{x}/{y}",
  ])
  func noBoardStopsOverTheMapOfAPhonesExport(_ template: String) throws {
    let decoded = decode("\"osmTemplate\":\"\(template)\"")
    #expect(decoded.problems.isEmpty && decoded.configuration.page.template.isEmpty)
    let remark = try #require(decoded.remarks.first)
    #expect(remark.contains("line 2") && remark.contains("osmTemplate"))
    #expect(remark.contains("{z}") && remark.hasSuffix("the page loads no map"))
    let good = decode("\"osmTemplate\":\"https://example.org/{z}/{x}/{y}.png\"")
    #expect(good.remarks.isEmpty && good.configuration.page.template.hasSuffix("{y}.png"))
  }

  // behaviour: The configuration file
  @Test func keysOfThePhonesAreNoTypingErrors() {
    let names = [
      "_build", "_id", "allowConfigurationByURIAndConfigFile", "autostartOnBoot", "debugLog",
      "enableMapRotation", "experimentalFeatures", "fusedRegionDetection", "info", "isSetupCompleted",
      "intentAuthKey", "locatorPriority", "mapLayerStyle", "maxHistory", "moveModeLocatorInterval",
      "notificationEvents", "opencageApiKey", "osmTileScaleFactor", "passphrase",
      "pegLocatorFastestIntervalToInterval", "reverseGeocodeProvider", "theme",
      "tlsCaCrt", "userDeclinedEnableLocationServices", "willTopic", "ws",
    ]
    let decoded = decode(names.map { "\"\($0)\":null" }.joined(separator: ","))
    #expect(decoded.ignored == names && decoded.unknown.isEmpty && decoded.remarks.isEmpty)
  }

  @Test func aThousandOfThemAreTwentyLines() {
    let decoded = decode((0..<1000).map { "\"zzzzzzzz\($0)\":1" }.joined(separator: ","))
    #expect(decoded.remarks.count == 21 && decoded.remarks.last == "and 980 more of this kind")
  }

  @Test func aTypedKeyIsCorrectedToo() {
    #expect(throws: ConfigurationFile.Problem.self) {
      try ConfigurationFile.setting("locatorIntervall", to: "60", in: [])
    }
    do {
      _ = try ConfigurationFile.setting("locatorIntervall", to: "60", in: [])
    } catch {
      #expect("\(error)".hasSuffix("there is none of this name; did you mean locatorInterval?"))
    }
  }

  @Test func keysOnlyPhonesSupportAreRemarked() {
    let decoded = decode(#""ws":true,"tls":false,"port":9001,"clientpkcs":"me.otrp","tlsClientCrt":"""#)
    #expect(decoded.remarks.count == 2)
    #expect(
      decoded.remarks.first
        == "ws is true, and websockets are not supported: the broker is called over TCP on port 9001")
    #expect(decoded.remarks.last?.contains("clientpkcs is ignored") == true)
    #expect(decode(#""ws":false,"clientpkcs":"""#).remarks.isEmpty)
  }

  @Test func aRegionWithoutADateHasThatOfTheFile() {
    let decoded = regions(#""desc":"Home","lat":48,"lon":11,"rad":100"#)
    #expect(decoded.remarks.isEmpty && decoded.waypoints.map(\.written) == [1_700_000_000])
    #expect(decoded.waypoints.map(\.created) == [nil])
    let dated = regions(#""desc":"Home","lat":48,"lon":11,"rad":100,"tst":5"#)
    #expect(dated.waypoints.map(\.created) == [5] && dated.waypoints.map(\.written) == [nil])
    #expect(regions(#""desc":"Home","lat":48,"lon":11"#, written: nil).skipped.count == 1)
    // A clock that nobody had set.
    #expect(regions(#""desc":"Home","lat":48,"lon":11"#, written: -5).waypoints.map(\.written) == [0])
  }

  // behaviour: The configuration file
  @Test(arguments: [
    (#""lat":98,"lon":11,"rad":100"#, "lat is 98, expected -90 to 90 (-1000000 deletes the region)"),
    (#""lat":48,"lon":-181,"rad":100"#, "lon is -181, expected -180 to 180 (-1000000 deletes the region)"),
    (#""lat":48,"lon":11,"rad":-5"#, "rad is below 0, which only a region with a beacon's uuid may have"),
    (#""lat":"48,1","lon":11,"rad":100"#, "lat is not a number"),
  ])
  func anImpossibleRegionOfAFileIsNamedWithItsLine(_ fields: String, _ reason: String) {
    let decoded = regions(#""desc":"Home",\#(fields)"#)
    #expect(decoded.waypoints.isEmpty)
    #expect(
      decoded.remarks == [#"skipped: line 2: waypoints[0] is "Home", expected a waypoint: \#(reason)"#])
  }

  @Test func deletionMarksInAFileDeleteRegions() throws {
    for mark in [#""lat":-1000000,"lon":-1000000"#, #""lat":0,"lon":-1000000"#] {
      #expect(regions(#""desc":"Home",\#(mark)"#).waypoints.map(\.coordinate) == [nil])
    }
    // Of phones and commands any such place deletes.
    let json = try JSON.parse(Array(#"{"_type":"waypoint","desc":"Home","lat":98}"#.utf8))
    #expect(Waypoints.decode(json).entries.map(\.coordinate) == [nil])
  }

  @Test func twoRegionsOfOneNameAreNamed() {
    let home = #"{"_type":"waypoint","desc":"Home","lat":48,"lon":11,"rad":100}"#
    let decoded = decode("\"waypoints\":[\(home),\(home)]", written: 1)
    #expect(
      decoded.remarks == [#"2 regions are called "Home": each of them reports its own crossings"#])
  }

  @Test(
    arguments: [
      (
        #""desc":"Home","lat":48,"lon":11,"radius":120"#,
        [
          #"line 2: waypoints[0] "Home": unknown key radius, ignored (did you mean rad?)"#,
          #"line 2: waypoints[0] "Home" has no radius (rad): it is a pin, which is never entered"#,
        ]
      ),
      (
        #""desc":"Home","lat":48,"lon":11,"rad":120,"shar":false,"zzz":1"#,
        [
          #"line 2: waypoints[0] "Home": unknown key shar, ignored (did you mean share?)"#,
          #"line 2: waypoints[0] "Home": unknown key zzz, ignored"#,
        ]
      ),
      (#""desc":"Home","lat":48,"lon":11,"rad":120,"topic":"t","tid":"x","_id":"1","tst":5"#, []),
      (#""desc":"Bag:CA271EAE-5FA8-4E80-8F08-2A302A95A959","lat":48,"lon":11"#, []),
      (#""desc":"Home","lat":-1000000,"lon":0"#, []),
    ] as [(String, [String])])
  func ignoredRegionFieldsAreRemarked(_ fields: String, _ remarks: [String]) {
    #expect(regions(fields).remarks == remarks)
  }

  @Test func aUserThatIsRefusedIsNotCalledEmptyAsWell() {
    let decoded = ConfigurationFile.decode(
      bytes(#"{"host":"h","_type":"configuration","username":"van/home"}"#))
    #expect(decoded.problems.map(\.key) == ["username"] && decoded.remarks.isEmpty)
  }

  @Test(arguments: [
    ("localhost:2947", #"the bare name "localhost", with 2947 as gpsdPort"#),
    ("tcp://gps.example:2950", #"the bare name "gps.example", with 2950 as gpsdPort"#),
    ("\u{201C}gps\u{201D}", #"the bare name "gps", without quotes of its own"#),
  ])
  func whereGPSDIsIsABareNameToo(_ host: String, _ expected: String) {
    let decoded = decode("\"gpsdHost\":\"\(host)\"")
    #expect(decoded.problems.map(\.description) == ["line 2: gpsdHost is \"\(host)\", expected \(expected)"])
    #expect(
      decode(#""gpsdHost":"::1""#).problems.isEmpty && decode(#""gpsdHost":"gps.local""#).problems.isEmpty)
  }

  @Test(arguments: ["\u{201C}192.168.1.10\u{201D}", "'192.168.1.10'", "\u{AB}192.168.1.10\u{BB}"])
  func quotesThatWerePastedWithTheBrokersNameAreNamed(_ host: String) {
    let decoded = ConfigurationFile.decode(bytes("{\"host\":\"\(host)\",\"username\":\"u\"}"))
    let expected = #"the bare name "192.168.1.10", without quotes of its own"#
    #expect(decoded.problems.map(\.description) == ["line 1: host is \"\(host)\", expected \(expected)"])
  }

  // behaviour: The configuration file
  @Test func aFileOfAWindowsEditorIsRead() {
    let decoded = ConfigurationFile.decode(
      [0xEF, 0xBB, 0xBF] + bytes("{\"_type\":\"configuration\",\r\n\"host\":\"h\",\r\n\"port\":70000}"))
    #expect(decoded.problems.map(\.place) == ["line 3"] && decoded.problems.map(\.key) == ["port"])
  }
}
