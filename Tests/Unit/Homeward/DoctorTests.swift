import Glibc
import Model
import OwnTracks
import Testing

@testable import homeward

/// What the doctor says of what it is told and finds.
struct DoctorTests {
  private final class Scratch {
    let path: String

    init() {
      var template = Array("/tmp/homeward-doctor-XXXXXX".utf8CString)
      path = String(cString: mkdtemp(&template))
    }

    deinit {
      for name in Folder.names(in: path) { unlink("\(path)/\(name)") }
      rmdir(path)
    }

    func file(_ text: String) throws -> String {
      let file = path + "/homeward.otrc"
      try AtomicFile.write(Array(text.utf8), to: file)
      return file
    }
  }

  private let scratch = Scratch()

  private func line(_ finding: Finding) -> String {
    "\(finding.verdict) \(finding.subject): \(finding.text) -> \(finding.remedy ?? "")"
  }

  // behaviour: status and doctor
  @Test func aBrokenFileLeadsToNoInvention() throws {
    let file = try scratch.file("{\"host\":\"a\",")
    let examination = Examination(configurationPath: file, socketPath: scratch.path + "/none")
    let findings = examination.findings()
    #expect(findings.map(\.subject) == ["configuration", "daemon", "clock"])
    let remedy = try #require(findings.first?.remedy)
    #expect(remedy.hasPrefix("sudoedit \(file); look whether it is right now: homeward config check \(file)"))
  }

  @Test func aWrongKeyIsSetByItsName() throws {
    let file = try scratch.file(#"{"_type":"configuration","locatorInterval":"often"}"#)
    let findings = ConfigurationFindings(path: file, isDaemonThere: true)
    #expect(findings.settings == nil)
    #expect(
      findings.findings().first?.remedy
        == "sudo homeward config set locatorInterval VALUE --file \(file); then: homeward reload")
  }

  @Test func aCertificateThatIsNotThereIsAFault() throws {
    let ca = scratch.path + "/ca.pem"
    let file = try scratch.file(#"{"host":"h","username":"u","tlsCaFile":"\#(ca)"}"#)
    let findings = ConfigurationFindings(path: file, isDaemonThere: true)
    let found = try #require(findings.findings().first)
    #expect(
      found.verdict == .fail
        && found.text == "\(file): line 1: tlsCaFile is \"\(ca)\", expected a file that is there")
    #expect(found.remedy?.contains("homeward config set tlsCaFile VALUE --file \(file)") == true)
    // The tracker takes the file.
    #expect(findings.settings != nil)
    try AtomicFile.write([1], to: ca)
    #expect(!findings.findings().contains { $0.verdict == .fail })
  }

  @Test func aKeyOfTheStartIsFollowedByARestart() throws {
    let file = try scratch.file(#"{"host":"h","stateDir":"state"}"#)
    let remedy = ConfigurationFindings(path: file, isDaemonThere: true).findings().first?.remedy
    #expect(remedy?.hasSuffix("then: sudo systemctl restart homeward") == true)
  }

  @Test func aFileThatIsNotThereIsNotOneWithoutPermission() {
    let absent = ConfigurationFindings(path: scratch.path + "/none", isDaemonThere: false).findings()
    #expect(absent.first?.text.hasSuffix("there is no such file") == true)
  }

  // behaviour: status and doctor
  @Test func connectionFindingShowsSecurityAndConfirmation() {
    let connection: StatusRecord.Connection = [
      "colour": "green", "state": "connected", "host": "b", "port": 8883, "tls": true, "encrypted": false,
    ]
    let findings = BrokerFindings(connection: connection, queue: ["lastConfirmed": 12]).findings()
    #expect(
      findings.map(line) == ["ok broker: b:8883 connected, TLS, confirmed the last message 12 s ago -> "])
    func security(_ connection: StatusRecord.Connection) -> String? { connection.security }
    #expect(security(["tls": false, "encrypted": true]) == "no TLS, payloads encrypted")
    #expect(security(["tls": true, "insecure": true])?.contains("not checked") == true)
    #expect(security([:]) == nil)
  }

  @Test(arguments: [("amber", "warn"), ("red", "fail")]) func aCauseComesWithItsOwnRemedy(
    colour: String, verdict: String
  ) {
    let connection: StatusRecord.Connection = [
      "colour": .string(colour), "state": "error", "host": "b", "port": 1, "cause": "refused",
      "remedy": "do this",
    ]
    #expect(
      BrokerFindings(connection: connection).findings().map(line) == [
        "\(verdict) broker: b:1 error: refused -> do this"
      ])
  }

  @Test func topicsThatAreHeldAreAFindingOfTheirOwn() {
    let connection: StatusRecord.Connection = [
      "colour": "green", "state": "connected", "host": "b", "port": 1,
    ]
    let findings = BrokerFindings(connection: connection, queue: ["held": ["a/b/event"]]).findings()
    #expect(findings.map(\.subject) == ["broker", "held"])
  }

  /// A user that was named wrongly once: nobody is to give the wrong name rights.
  @Test func heldTopicsOfEarlierNameHaveTheirRemedy() {
    let connection: StatusRecord.Connection = [
      "colour": "green", "state": "connected", "host": "b", "port": 1,
    ]
    let queue: StatusRecord.Queue = ["held": ["a/vna", "a/van/event", "a/vanity", "a/van"]]
    let findings = BrokerFindings(connection: connection, queue: queue, topic: "a/van").findings()
    #expect(findings.map(\.subject) == ["broker", "held", "held"])
    #expect(findings[1].text.hasPrefix("a/van/event, a/van: nothing is taken there"))
    #expect(findings[2].text.hasPrefix("a/vna, a/vanity: made under an earlier name (now a/van)"))
    #expect(findings[2].remedy?.hasSuffix("homeward queue clear") == true)
  }

  @Test func remedyWhileConnectingIsToAskAgain() {
    let connection: StatusRecord.Connection = [
      "colour": "amber", "state": "waiting", "host": "b", "port": 1, "cause": "connecting",
    ]
    #expect(
      BrokerFindings(connection: connection).findings().first?.remedy?.contains("half a minute") == true)
  }

  @Test func whyATopicIsHeldIsInTheBrokersOwnCodeAndSoIsTheRemedy() {
    let connection: StatusRecord.Connection = [
      "colour": "green", "state": "connected", "host": "b", "port": 1,
      "untaken": [["topic": "a/b/event", "why": "full (reason code 0x83)", "remedy": "empty the queue"]],
    ]
    let findings = BrokerFindings(connection: connection, queue: ["held": ["a/b/event"]]).findings()
    #expect(findings.last?.text.hasSuffix("; a/b/event: full (reason code 0x83)") == true)
    #expect(findings.last?.remedy == "empty the queue")
  }

  /// A broker that takes the rest looks well, and one message never arrives.
  @Test func aMessageThatIsPassedByIsAFindingOfItsOwn() {
    let connection: StatusRecord.Connection = [
      "colour": "green", "state": "connected", "host": "b", "port": 1,
    ]
    let findings = BrokerFindings(connection: connection, queue: ["passedBy": ["a/b"]]).findings()
    #expect(findings.map(\.subject) == ["broker", "passed by"] && findings.last?.verdict == .warn)
  }

  @Test func aSilentReceiverIsNotOneWithoutSky() {
    let silent: StatusRecord = [
      "gps": [
        "reached": true, "silent": 34, "cause": "the receiver sends nothing, for 34 s", "device": "/dev/a",
      ],
      "fix": ["age": 34],
    ]
    let findings = GPSDFindings(nil, silent).findings()
    #expect(findings.map(\.verdict) == [.fail] && findings.map(\.subject) == ["receiver"])
    #expect(findings.first?.remedy?.contains("gpsctl /dev/a; cgps -s") == true)
    let remedies = [false, true].map { GPSDFindings.silent("silent", "/dev/a", sleeps: $0).remedy ?? "" }
    #expect(
      remedies.map { $0.contains("asleep (receiverSleep): sudo systemctl restart gpsd") } == [false, true])
    #expect(remedies.allSatisfy { $0.contains("gpsctl /dev/a") })
    let blind = GPSDFindings(nil, ["gps": ["reached": true, "mode": 1]]).findings()
    #expect(blind.map(\.subject) == ["fix"] && blind.first?.remedy?.contains("view of the sky") == true)
    let text = StatusText(silent, isColoured: false).text
    #expect(text.contains("Receiver:  the receiver sends nothing, for 34 s"))
  }

  // behaviour: Jamming and spoofing
  @Test func doctorHasOneLineAboutJamming() {
    func line(_ gps: JSON) -> (verdict: Finding.Verdict?, words: String) {
      let status: StatusRecord = ["gps": gps]
      let found = GPSDFindings.interference(status, isWatched: true)
      #expect(found.count == 1 && found.first?.subject == "jamming")
      return (found.first?.verdict, "\(found.first?.text ?? "") \(found.first?.remedy ?? "")")
    }
    let fine = line(["jamming": "none", "spoofing": "unknown", "driver": "u-blox"])
    #expect(fine.verdict == .ok && fine.words == "the receiver says: jamming none, spoofing unknown ")
    let disturbed: [JSON] = [
      ["jamming": "warning", "spoofing": "none"], ["jamming": "none", "spoofing": "critical"],
    ]
    for gps in disturbed { #expect(line(gps).verdict == .warn && line(gps).words.contains("antenna")) }
    let off = line(["jamming": "unknown", "spoofing": "none"])
    #expect(off.verdict == .warn && off.words.contains("ubxtool"))
    let silent = line(["monitorSilent": true, "jamming": "unknown", "spoofing": "none"])
    #expect(silent.verdict == .warn && silent.words.contains("no -b in GPSD_OPTIONS"))
    let other = line(["driver": "NMEA0183"])
    #expect(other.verdict == .warn && other.words.contains("takes this one for NMEA0183"))
    #expect(line(["driver": "u-blox"]).verdict == .ok, "it was not asked yet")
    let unwatched: StatusRecord = ["gps": ["jamming": "critical", "spoofing": "none"]]
    #expect(GPSDFindings.interference(unwatched, isWatched: false).isEmpty)
  }

  // behaviour: A receiver that sleeps
  @Test func doctorNamesAReceiverThatCannotBePutToSleep() {
    func words(_ driver: String?, isWanted: Bool = true) -> [String] {
      let status: StatusRecord = ["gps": driver.map { ["driver": .string($0)] } ?? [:]]
      return GPSDFindings.sleepless(status, isWanted: isWanted).map(\.text)
    }
    #expect(
      words("NMEA0183") == ["receiverSleep needs a receiver of u-blox, and gpsd takes this one for NMEA0183"])
    #expect(words("u-blox").isEmpty && words(nil).isEmpty && words("SiRF", isWanted: false).isEmpty)
  }

  @Test func interferenceIsInTheStatus() {
    let status: StatusRecord = [
      "gps": ["reached": true, "mode": 1], "jamming": ["state": "critical"], "spoofing": ["state": "warning"],
    ]
    let text = StatusText(status, isColoured: false).text
    #expect(text.contains("jammed: it has no fix") && text.contains("spoofed: its positions may be false"))
    let disturbed: StatusRecord = ["gps": ["reached": true, "mode": 3], "jamming": ["state": "warning"]]
    #expect(StatusText(disturbed, isColoured: false).text.contains("jammed, and it still has a fix"))
  }

  @Test func anUnpluggedReceiverIsNamedInTheStatus() {
    let status: StatusRecord = ["gps": ["reached": true, "mode": 0, "cause": "gpsd has no receiver"]]
    #expect(StatusText(status, isColoured: false).text.contains("Receiver:  gpsd has no receiver"))
  }

  // behaviour: status and doctor
  @Test func failingStoreIsShownInStatusAndDoctor() {
    let status: StatusRecord = ["store": ["path": "/"], "queue": ["count": 0, "storeFailing": true]]
    #expect(StatusText(status, isColoured: false).text.contains("Store:     writing fails"))
    let findings = StoreFindings(nil, status).findings()
    #expect(findings.first?.verdict == .fail && findings.first?.remedy?.isEmpty == false)
    #expect(StoreFindings(nil, nil).findings().isEmpty)
  }

  @Test func damagedStoreFoldersAreReported() throws {
    let status: StatusRecord = ["store": ["path": .string(scratch.path)]]
    func words() -> [String] { StoreFindings(nil, status).findings().map(\.text) }
    #expect(!words().contains { $0.contains("damaged") })
    let first = scratch.path + "/store.damaged-1"
    #expect(mkdir(first, 0o700) == 0)
    #expect(words().last == "was damaged once, and begun anew with what could be read of it: \(first)")
    #expect(mkdir(scratch.path + "/store.damaged-2", 0o700) == 0)
    #expect(words().last?.hasSuffix("\(scratch.path)/store.damaged-1 to 2") == true)
    rmdir(scratch.path + "/store.damaged-2")
    #expect(words().last?.hasSuffix(first) == true)
    rmdir(first)
    #expect(!words().contains { $0.contains("damaged") })
  }

  /// In a vehicle no network sets the clock, and positions are published all the same.
  @Test func theClockIsTheDaemons() {
    let (trusted, not): (StatusRecord, StatusRecord) = (
      ["clock": ["trusted": true]], ["clock": ["trusted": false]]
    )
    #expect(Examination.clock(isSynchronised: false, trusted).verdict == .ok)
    #expect(Examination.clock(isSynchronised: true, not).verdict == .ok)
    #expect(Examination.clock(isSynchronised: false, not).verdict == .warn)
    #expect(Examination.clock(isSynchronised: false, nil).verdict == .warn)
  }

  @Test func lastErrorIsShown() {
    let status: StatusRecord = [
      "connection": ["state": "connected", "lastError": ["text": "connection reset", "age": 300]]
    ]
    #expect(StatusText(status, isColoured: false).text.contains("Last error:  connection reset, 5 min ago"))
  }

  // behaviour: status and doctor
  @Test func programsThatAreNotThereAreNamed() {
    var settings = Configuration()
    settings.programs.onEvent = scratch.path + "/none"
    settings.programs.extraKeys = "/etc/passwd"
    let findings = ProgramFindings.findings(settings)
    #expect(
      findings.map(\.subject) == ["onEvent", "extraKeys"] && findings.allSatisfy { $0.verdict == .warn })
    settings.programs.onEvent = "/etc/passwd"
    #expect(ProgramFindings.findings(settings).first?.text == "/etc/passwd may not be run")
    #expect(ProgramFindings.findings(Configuration()).isEmpty)
    settings = Configuration()
    settings.programs.onOutage = 900
    // There is none on a machine that builds.
    #expect(ProgramFindings.findings(settings).map(\.subject) == ["onOutage"])
    #expect(ProgramFindings.outage("/bin/sh") == nil)
    #expect(ProgramFindings.outage("/etc/passwd")?.text == "/etc/passwd may not be run")
  }

  @Test func aProgramThatRootDoesNotRunIsNamedWithItsRemedy() {
    var program = OwnersProgram(isFile: true, mode: 0o755, owner: 0, isNoexec: false)
    func line() -> String? { ProgramFindings.unfit("power", "/x", program)?.line }
    #expect(line() == nil && program.fault == nil)
    program.isNoexec = true
    #expect(
      line()
        == "warn power: /x lies on a file system from which nothing is run (noexec) -> without noexec where that is "
        + "mounted (/etc/fstab)")
    program.isNoexec = false
    let others =
      "warn power: /x is not root's, or others may write it -> sudo chown root: /x && sudo chmod 755 /x"
    for mode: UInt32 in [0o775, 0o757] {
      program.mode = mode
      #expect(line() == others && program.fault == nil)
    }
    (program.mode, program.owner) = (0o755, 1000)
    #expect(line() == others && program.fault == nil)
    program.mode = 0o644
    #expect(program.fault == "may not be run" && line()?.contains("/x may not be run -> ") == true)
    program.isFile = false
    #expect(program.fault == "is no program")
  }

  @Test func aReadOnlyMountIsFoundByItsOwnCommand() {
    let finding = StoreFolder(path: "/proc/self").finding()
    #expect(finding.verdict != .ok && finding.remedy?.contains("remount,rw /\"") != true)
  }

  // behaviour: status and doctor
  @Test func invalidModeSwitchNamesAreReported() throws {
    let waypoint = { (name: String) in
      #"{"_type":"waypoint","desc":"\#(name)","lat":1,"lon":2,"rad":50,"tst":\#(name.count)}"#
    }
    let names = ["A|5|2", "BB| 1 |2", "CCC|1", "Home|1|2", "Office||2"]
    let file = try scratch.file(
      #"{"_type":"configuration","host":"b","waypoints":[\#(names.map(waypoint).joined(separator: ","))]}"#)
    let notes = try ConfigurationText(file).nameNotes
    #expect(
      notes.count == 3 && notes[0].contains(#""5" switches to no mode"#) && notes[1].contains(#"" 1 ""#))
    #expect(notes[2].hasPrefix("CCC|1 switches no mode: expected NAME|IN|OUT"))
  }
}
