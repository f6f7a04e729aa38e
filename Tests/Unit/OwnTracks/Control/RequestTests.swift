import Model
import OwnTracks
import Testing

// behaviour: The control socket
struct RequestTests {
  private func parse(_ line: String) throws -> ControlRequest {
    try tracked(line.split(separator: " ").map(String.init))
  }

  private func refusal(_ line: String) -> String? {
    do {
      _ = try Request(words: line.split(separator: " ").map(String.init))
      return nil
    } catch {
      return error.description
    }
  }

  @Test(arguments: [
    ("publish", ControlRequest.publish(poi: nil)), ("publish --poi cafe", .publish(poi: "cafe")),
    ("--json publish --poi=cafe", .publish(poi: "cafe")), ("mode move", .mode(.move)),
    ("mode -1", .mode(.quiet)),
    ("publish --poi a --image QUJD", .publish(poi: "a", image: .init(data: "QUJD", name: "image"))),
    ("card --name Van", .card(FriendCard(name: "Van"))),
    ("card --name Van --no-face", .card(FriendCard(name: "Van"), keepsFace: false)),
    ("card --name Van --face QUJD", .card(FriendCard(name: "Van", face: "QUJD"))),
    ("history delete 7", .historyDelete(HistoryPart(numbers: 7...7))),
    ("history delete --from 1000 --to 2000.5", .historyDelete(HistoryPart(times: 1000...2000.5))),
    ("history delete --to 1000", .historyDelete(HistoryPart(times: -.infinity...1000))),
    ("history clear", .historyClear), ("settings clear", .settingsClear),
    ("tag Spain", .tag("Spain")), ("tag --clear", .tag(nil)), ("status --json", .status), ("queue", .queue),
    ("queue clear", .queueClear), ("withdraw", .withdraw), ("park", .park),
    ("sos", .sos(isAcknowledged: false)),
    ("sos --acknowledge --json", .sos(isAcknowledged: true)),
    ("region list", .regionList),
    ("region rm -Keys", .regionRemove(region: "-Keys")),
    ("region rm -- -Keys", .regionRemove(region: "-Keys")),
    ("region rm -- --Keys", .regionRemove(region: "--Keys")),
  ])
  func understands(_ line: String, _ request: ControlRequest) throws {
    #expect(try parse(line) == request)
  }

  @Test(arguments: [
    ("queue resend", Request.store(.refused)),
    ("history --from 1970-01-02 --after 7", .store(.history(Self.sinceTheSecondDay))),
    ("history --newest --limit 51", .store(.history(Self.theLast))),
    ("friend show o/b/p", .friends(.show(topic: "o/b/p"))), ("settings show --json", .daemon(.settings)),
    ("why", .daemon(.why(WhyRequest()))), ("reload", .daemon(.reload)), ("record", .daemon(.recordings)),
    ("wipe", .daemon(.wipe(isWhole: false))), ("wipe --json --settings", .daemon(.wipe(isWhole: true))),
    ("beacons", .daemon(.beacons(ofStrangers: false))),
    ("--json beacons strangers", .daemon(.beacons(ofStrangers: true))),
    ("--json connect", .daemon(.link(.connect))), ("disconnect", .daemon(.link(.disconnect))),
    ("reconnect", .daemon(.link(.reconnect))), ("protocol=1 status", .tracker(.status)),
    ("--json protocol=1 queue resend", .store(.refused)),
  ])
  func commandsAreParsedToTheirHandler(_ line: String, _ request: Request) throws {
    #expect(try Request(words: line.split(separator: " ").map(String.init)) == request)
  }

  /// Each needs no more than its own words, or says what it lacks; none is taken for another.
  @Test func everyListedCommandIsKnown() {
    let listed =
      refusal("")?.split(separator: " ").map { $0.filter { $0 != "," } }.drop { $0 != "publish" } ?? []
    #expect(listed.count == 22 && Set(listed).count == 22)
    #expect(refusal("nonsense")?.hasPrefix("unknown command") == true)
    for command in listed { #expect(refusal(String(command))?.hasPrefix("unknown command") != true) }
  }

  @Test(arguments: [
    ("protocol=2 status", "the question is in protocol 2; this daemon speaks 1"),
    ("protocol=0 status", "\"protocol=0\" is no protocol; expected protocol=1"),
    ("protocol=new", "\"protocol=new\" is no protocol; expected protocol=1"),
  ])
  func anotherProtocolIsNotGuessedAt(_ line: String, _ error: String) { #expect(refusal(line) == error) }

  private static var theLast: HistoryQuery {
    var query = HistoryQuery()
    (query.isFromEnd, query.limit) = (true, 51)
    return query
  }

  private static var sinceTheSecondDay: HistoryQuery {
    var query = HistoryQuery()
    (query.from, query.after) = (86_400, 7)
    return query
  }

  @Test(arguments: [
    "card", "card --name Van --face !", "publish --image QUJD", "history --from yesterday",
    "history --limit 0",
  ])
  func incompleteOrInvalidRequestIsRefused(_ line: String) { #expect(refusal(line) != nil) }

  @Test func refusesAPictureThatIsTooLarge() {
    let words = ["publish", "--poi", "a", "--image", String(repeating: "A", count: 90_000)]
    #expect(throws: ControlError.self) { try Request(words: words) }
  }

  @Test(arguments: [
    (["tag"], "the tag", 200), (["publish", "--poi"], "--poi", 1024), (["card", "--name"], "--name", 256),
    (["publish", "--poi", "a", "--image", "QUJD", "--imagename"], "--imagename", 256),
  ])
  func textsHaveALimitInBytes(_ words: [String], _ what: String, _ limit: Int) throws {
    // One letter for the eye, and as many bytes as one likes.
    func letter(ofBytes count: Int) -> String {
      String(repeating: "e", count: 2 - count % 2) + String(repeating: "\u{301}", count: (count - 1) / 2)
    }
    let text = letter(ofBytes: limit + 1)
    #expect(text.utf8.count == limit + 1)
    _ = try Request(words: words + [letter(ofBytes: limit)])
    do {
      _ = try Request(words: words + [text])
      Issue.record("taken")
    } catch {
      #expect(error.description == "\(what) has \(limit + 1) bytes; at most \(limit) are taken")
    }
  }

  @Test func controlCharactersInRefusalsAreEscaped() {
    #expect(refusal("fly\n\u{1B}[2J")?.hasPrefix(#"unknown command "fly\n\u{1b}[2J"; expected"#) == true)
  }

  @Test func aLineOfTheSocketIsAnArrayOfWords() throws {
    #expect(try Request.words(bytes(#"["region","rm","A b"]"#)) == ["region", "rm", "A b"])
    #expect(throws: ControlError.self) { try Request.words(bytes(#"["mode",2]"#)) }
    #expect(throws: ControlError.self) { try Request.words(bytes(#"{"mode":"2"}"#)) }
  }

  @Test(arguments: [
    "", "fly", "publish now", "publish --poi", "publish --image x", "mode", "mode fast", "mode 1 2", "tag",
    "tag a b",
    "tag --clear x", "status now", "queue drop", "reload now", "wipe all", "wipe --all",
    "wipe --settings=yes",
    "connect now", "disconnect now", "reconnect now", "record now", "beacons all", "beacons strangers all",
    "queue clear all", "queue resend x",
    "card --name V --face QUJD --no-face", "region", "region paint", "region rm",
    "region add A --lat 1", "region add A --lat 91 --lon 0", "region add A --at 1",
    "region add A --at 1,2 --here", "region add A --radius x", "region add A --radius -5",
    "region add A --uuid x",
    "region add A --major 5", "region add A --share perhaps", "region add A --colour red",
    "region set A", "region set A --radius 1e9", "region move A", "region move A --here --at 1,2",
    "region add A --at 1,2 --lat 1 --lon 2", "region import {", "region import [1]",
    "region add A:CA271EAE-5FA8-4E80-8F08-2A302A95A959:99999",
  ])
  func refuses(_ line: String) {
    #expect(refusal(line)?.isEmpty == false)
  }

  @Test func refusalsNameTheExpectedInput() {
    #expect(refusal("mode fast")?.contains("quiet|manual|significant|move") == true)
    #expect(refusal("fly")?.contains("publish, sos, card, mode") == true)
    #expect(
      refusal("publish now")
        == "unexpected \"now\"; expected: publish [--poi TEXT [--image DATA --imagename NAME]]")
  }

  @Test func addWithEverything() throws {
    let request = try parse(
      "region add Home|1|2 --lat -33.8 --lon 151.2 --radius 100 --uuid \(uuid) --major 1 --minor CAFE"
        + " --share no --rid r1 --tst 1700000100")
    let entry = WaypointEntry(
      rid: "r1", name: "Home|1|2", coordinate: Coordinate(latitude: -33.8, longitude: 151.2), radius: 100,
      beacon: BeaconIdentity(uuid: uuid, major: 1, minor: 51966), created: 1_700_000_100, isShared: false)
    #expect(request == .regionAdd(entry, isHere: false))
  }

  @Test func addDefaultsToHere() throws {
    let entry = WaypointEntry(name: "-Keys", coordinate: nil, beacon: BeaconIdentity(uuid: uuid))
    #expect(try parse("region add -Keys:\(uuid)") == .regionAdd(entry, isHere: true))
    #expect(try parse("region add -Keys:\(uuid) --here") == .regionAdd(entry, isHere: true))
  }

  @Test func addAtAPair() throws {
    guard case .regionAdd(let entry, let isHere) = try parse("region add A --at=48.1,-11.5 --rad 5") else {
      Issue.record("no regionAdd")
      return
    }
    #expect(entry.coordinate == Coordinate(latitude: 48.1, longitude: -11.5))
    #expect(entry.radius == 5 && !isHere && entry.isShared && entry.created == nil)
  }

  @Test func setChangesOnlyNamedFields() throws {
    var edit = ControlRequest.RegionEdit()
    edit.radius = 150
    #expect(try parse("region set Home --radius 150") == .regionSet(region: "Home", edit))
    edit = .init()
    edit.name = "New"
    edit.beacon = BeaconIdentity(uuid: uuid, major: 7)
    edit.isShared = true
    #expect(
      try parse("region set a1b2c3 --name New:\(uuid):7 --share yes") == .regionSet(region: "a1b2c3", edit))
  }

  @Test func moveHereOrThere() throws {
    var edit = ControlRequest.RegionEdit()
    edit.isHere = true
    #expect(try parse("region move Home --here") == .regionSet(region: "Home", edit))
    edit = .init()
    edit.coordinate = Coordinate(latitude: 1, longitude: -2)
    #expect(try parse("region move Home --at 1,-2") == .regionSet(region: "Home", edit))
  }

  @Test func importTakesTheGoodEntries() throws {
    let request = try tracked([
      "region", "import", #"[{"_type":"waypoint","desc":"a","tst":1},{"_type":"waypoint"}]"#,
    ])
    let entry = WaypointEntry(name: "a", coordinate: Coordinate(latitude: 0, longitude: 0), created: 1)
    #expect(request == .regionImport([entry]))
  }

  @Test func aNewNamesBeaconIsReadInTheBaseThatIsSet() throws {
    let text = "Y:CA271EAE-5FA8-4E80-8F08-2A302A95A959:0010"
    var configuration = Configuration()
    configuration.beacons.numberBase = .hex
    let request = try Request(words: ["region", "set", "Home", "--name", text], over: configuration)
    guard case .tracker(.regionSet(_, let edit)) = request else { throw ControlError("another request") }
    #expect(edit.beacon?.major == 16)
  }
}
