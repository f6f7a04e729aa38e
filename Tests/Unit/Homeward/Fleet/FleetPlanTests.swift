import OwnTracks
import Testing

@testable import homeward

/// The boards of a template and a table.
struct FleetPlanTests {
  private static func complaints(_ table: String, template: String = FleetScene.template) -> [String] {
    FleetScene.plan(table, template: template).complaints
  }

  @Test func cellsOverrideTheTemplateAndEmptyOnesLeaveIt() {
    let template = #"{"_type":"configuration","host":"b.example","locatorInterval":300}"#
    let table = "user,device,locatorInterval,tls,monitoring\njane,van,60,no,move\nbob,bus,,,\n"
    let boards = FleetScene.boards(table, template: template)
    #expect(boards.map(\.settings["locatorInterval"]?.int) == [60, 300])
    #expect(boards.map(\.configuration.tls.isOn) == [false, true])
    #expect(boards.map(\.settings["monitoring"]) == [2, nil])
    #expect(boards.map(\.topics.base) == ["owntracks/jane/van", "owntracks/bob/bus"])
  }

  @Test func columnsMayHaveTheKeysNames() {
    #expect(FleetScene.boards("username,deviceId,tid\njane,van,JV\n").map(\.topics.trackerID) == ["JV"])
  }

  @Test func encryptedBoardsGetCertificatesUnlessTheTemplateHasOthers() {
    let board = FleetScene.boards("user,device\njane,van\n")[0]
    #expect(board.hasAuthority && board.hasCertificate && !board.logsInByPassword)
    #expect(board.settings["tlsClientKey"] == "/etc/homeward/board.key")
    let open = FleetScene.boards("user,device,tls,auth\njane,van,no,yes\n")[0]
    #expect(!open.hasAuthority && !open.hasCertificate && open.logsInByPassword)
    #expect(open.settings["tlsClientKey"] == nil)
    let template = #"{"_type":"configuration","host":"b.example","tlsCaFile":""}"#
    let system = FleetScene.boards("user,device\njane,van\n", template: template)[0]
    #expect(!system.hasAuthority && system.hasCertificate && system.configuration.tls.caFile.isEmpty)
  }

  @Test func mistakesOfARowNameItsLineAndKey() {
    let table = "user,device,port,tid\njane,van,8883,JV\nbob,,99999,x-y-z\n"
    let expected = [
      "b.csv: line 3: deviceId is empty, expected a name",
      "b.csv: line 3: port is \"99999\", expected a whole number from 0 to 65535",
      "b.csv: line 3: tid is \"x-y-z\", expected at most two letters or digits",
    ]
    #expect(Self.complaints(table) == expected)
  }

  @Test func mistakesOfAllRowsAreNamedInTheirOrder() {
    let found = Self.complaints("user,device,port\njane,van\nbob,bus,99999\neve,car,1,2\n")
    #expect(
      found == [
        "b.csv: line 2: 2 cells, expected 3 as in the first line",
        "b.csv: line 3: port is \"99999\", expected a whole number from 0 to 65535",
        "b.csv: line 4: 4 cells, expected 3 as in the first line",
      ])
  }

  @Test func aSecretInTheTableIsHidden() {
    let found = Self.complaints(
      "user,device,encryptionKey\njane,van,\(String(repeating: "secret", count: 9))\n")
    #expect(found.count == 1 && found[0].hasPrefix("b.csv: line 2: encryptionKey is (hidden), expected"))
  }

  @Test func mistakesOfTheTemplateAreNamedOnceWithTheirLine() {
    let template = "{\"_type\":\"configuration\",\n\"port\":70000}"
    let found = Self.complaints("user,device\njane,van\nbob,bus\n", template: template)
    #expect(found.count == 2)
    #expect(found.first?.hasPrefix("t.otrc: line 2: port is 70000, expected") == true)
    #expect(found.last?.hasPrefix("t.otrc: not in the file: host is empty, expected") == true)
    #expect(Self.complaints("user,device\n", template: "{").first?.hasPrefix("t.otrc: line 1") == true)
  }

  @Test func valuesThatContradictEachOtherBelongToTheRowThatSaysOne() {
    let found = Self.complaints("user,device,reconnectMin\njane,van,3000\n")
    #expect(found.count == 1 && found[0].hasPrefix("b.csv: line 2: reconnectMin is 3000, expected at most"))
  }

  @Test func columnsThatAreNoKeysAreNamed() {
    let expected = [
      "b.csv: line 1: column prot, expected the key of a setting: did you mean port?",
      "b.csv: line 1: two columns for tid, expected one", "b.csv: line 1: no column device, expected one",
    ]
    #expect(Self.complaints("user,prot,tid,tid\njane,1,a,b\n") == expected)
    #expect(
      Self.complaints("user;device\njane;van\n")
        == ["b.csv: line 1: semicolons between the columns, expected commas"])
    #expect(Self.complaints("user,device\n") == ["b.csv: line 1: no board, expected a line for each"])
  }

  @Test func aNameThatNoCertificateCanHoldIsNamed() {
    let name = String(repeating: "ä", count: 65)
    #expect(
      Self.complaints("user,device\n\(name),van\n")
        == ["b.csv: line 2: username has 65 letters, expected at most 64"])
    #expect(Self.complaints("user,device,tls,auth\n\(name),van,no,yes\n") == [])
  }

  @Test func folderNamesAreSafeAndApart() {
    func name(_ user: String, _ device: String, _ taken: Set<String> = []) -> String {
      FleetBoard.folderName(user: user, device: device, taken: taken)
    }
    #expect(name("jane", "van") == "jane-van")
    let odd = [
      name("a b", "c"), name("a_b", "c"), name("..", "c"), name("-x", "c"), name("ä", "ö"), name("ö", "ä"),
    ]
    #expect(Set(odd).count == odd.count)
    for name in odd {
      #expect(name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) })
      #expect(name.first != "." && name.first != "-")
    }
    #expect(name("Jane", "van", ["jane-van"]).hasPrefix("Jane-van-"))
    #expect(name("a-b", "c") == "a-b-c" && name("a", "b-c", ["a-b-c"]) != "a-b-c")
    let long = name(String(repeating: "x", count: 200), String(repeating: "y", count: 64))
    #expect(long.utf8.count < 128)
  }
}
