import Model
import OwnTracks
import Testing
import Timebase

@testable import Answers
@testable import Core

/// What the daemon and a replay say to people, key by key.
struct AnswerTests {
  private let topics: Topics
  private var status: TrackerStatus

  init() {
    var configuration = Configuration()
    (configuration.identity.username, configuration.identity.deviceId, configuration.identity.tid) = (
      "u", "d", "ab"
    )
    topics = Topics(configuration, hostName: "h")
    let tracker = Tracker(
      configuration: configuration, snapshot: Snapshot(), encoder: Encoder(configuration, hostName: "h"),
      earliest: 0)
    status = tracker.status(at: Moment(instant: .zero + .seconds(1000), wall: nil))
  }

  private var json: JSON { StatusRecord(status, topics).answer }

  @Test func unknownValuesAreOmitted() {
    #expect(json["queue"]?.members?.contains { $0.value.isNull } == false)
    for key in ["fix", "battery", "vehicle", "remote", "modeCause"] { #expect(json[key] == nil, "\(key)") }
    #expect(json["queue"]?["oldest"] == nil && json["queue"]?["held"] == nil)
    #expect(json["queue"]?["passedBy"] == nil)
    #expect(json["network"] == "unknown" && json["history"] == 0)
  }

  @Test func theIdentityIsTheOneOfTheTopics() {
    #expect(
      json["identity"] == [
        "valid": true, "topic": "owntracks/u/d", "tid": "ab", "clientId": .string(topics.clientId),
        "clientIdForm": .string(topics.clientIdForm),
      ])
  }

  @Test mutating func queueShowsOldestHeldAndPassedBy() {
    status.queue.oldest = 1_700_000_000
    status.queue.held = ["owntracks/u/d/event"]
    status.queue.passedBy = ["owntracks/u/d"]
    #expect(json["queue"]?["oldest"] == 1_700_000_000)
    #expect(json["queue"]?["held"] == ["owntracks/u/d/event"])
    #expect(json["queue"]?["passedBy"] == ["owntracks/u/d"])
  }

  // behaviour: status and doctor
  @Test mutating func aFixSaysHowFastWhereToAndHowHigh() {
    var fix = Fix(
      time: WallTime(seconds: 1_700_000_000), coordinate: Coordinate(latitude: 48, longitude: 11)!,
      accuracy: 5)
    status.position = fix
    #expect(json["fix"]?["vel"] == nil && json["fix"]?["cog"] == nil && json["fix"]?["alt"] == nil)
    (fix.speed, fix.course, fix.altitude) = (25, 359.7, 519.6)
    status.position = fix
    #expect(json["fix"]?["vel"] == 90 && json["fix"]?["cog"] == 0 && json["fix"]?["alt"] == 520)
    fix.speed = 0.2
    status.position = fix
    // A course of something that stands is noise.
    #expect(json["fix"]?["vel"] == 1 && json["fix"]?["cog"] == nil)
  }

  @Test mutating func wiredVehicleIsShown() {
    status.vehicle.volts = 12.3456
    #expect(json["vehicle"] == ["low": false, "halting": false, "volts": 12.35])
    status.vehicle.ignition = true
    #expect(json["vehicle"]?["ignition"] == true)
  }

  @Test mutating func secretsOfRemoteSettingsAreHidden() {
    status.remote = RemoteSettings([
      .init(name: "password", value: .text("hunter2"), over: .text("")),
      .init(name: "locatorInterval", value: .number(60), over: .number(180)),
    ])
    status.isOnTrial = true
    let remote = json["remote"]
    #expect(remote?["trial"] == true && remote?["settings"]?["locatorInterval"] == 60)
    #expect(remote?["settings"]?["password"] == "***")
  }

  @Test func aReasonWithoutATimeHasNone() {
    let entry = Journal.Entry(
      number: 7, reason: .moved(metres: 60, needed: 50), isPublished: true, time: nil, last: nil, count: 2)
    let answer = Answer.json(.reasons([entry]), topics)
    #expect(
      answer["reasons"]?.elements == [
        [
          "number": 7, "published": true, "word": .string(entry.reason.word),
          "text": .string(entry.reason.sentence),
          "count": 2, "detail": ["metres": .real(60), "needed": .real(50)],
        ]
      ])
  }

  @Test func aRegionSaysWhetherTheBoardIsInsideWhereThatIsKnown() {
    let region = Region(
      rid: "abcdef", name: "Home", coordinate: Coordinate(latitude: 48, longitude: 11)!, radius: 100,
      beacon: nil, created: 1, isShared: true, speedLimit: nil)
    func inside(_ presence: Presence) -> JSON? {
      Answer.json(.regions([.init(region: region, presence: presence)]), topics)["regions"]?.elements?[0][
        "inside"]
    }
    #expect(inside(.inside) == true && inside(.outside) == false && inside(.unknown) == nil)
  }

  @Test func doneAndNotDone() {
    #expect(Answer.json(.done("sent"), topics) == ["ok": true, "text": "sent"])
    #expect(Answer.json(.failed("locked"), topics) == ["ok": false, "error": "locked"])
  }

  // MARK: The order of keys, which a replay prints

  private func text(_ json: JSON) -> String {
    String(decoding: json.serialised(sortingKeys: false), as: UTF8.self)
  }

  @Test func aRegionsKeysStandAsInAFile() {
    var region = Region(
      rid: "abcdef", name: "Home", coordinate: Coordinate(latitude: 48, longitude: 11.5)!, radius: 100,
      beacon: BeaconIdentity(uuid: "CA271EAE-5FA8-4E80-8F08-2A302A95A959", major: 1, minor: 2), created: 5,
      isShared: false, speedLimit: 50)
    (region.isPrivate, region.dwell) = (true, 60)
    let answer = """
      {"ok":true,"regions":[{"_type":"waypoint","desc":"Home:CA271EAE-5FA8-4E80-8F08-2A302A95A959:1:2",\
      "lat":48.0,"lon":11.5,"rad":100,"rid":"abcdef","tst":5,\
      "uuid":"CA271EAE-5FA8-4E80-8F08-2A302A95A959","major":1,"minor":2,"share":false,"speedLimit":50,\
      "private":true,"dwell":60,"inside":false}]}
      """
    #expect(text(Answer.json(.regions([.init(region: region, presence: .outside)]), topics)) == answer)
  }

  @Test func notUnderstoodAnswerNamesVersion() {
    let answer = Answer.notUnderstood(ControlError("what?"), by: "1.2.3")
    #expect(text(answer) == #"{"ok":false,"error":"what?","version":"1.2.3","protocol":1}"#)
  }

  @Test func aFriendsPlaceStandsBeforeTheName() {
    var jane = Friend(topic: "o/b")
    jane.card = FriendCard(name: "Jane", face: "QUJD")
    jane.location = FriendLocation(
      time: WallTime(seconds: 100), coordinate: Coordinate(latitude: 1, longitude: 2.5)!)
    let page = FriendRequest.answer([jane], own: "o/a", now: nil, days: 0, isLast: false, updates: 3)
    let answer = """
      {"ok":true,"friends":[{"lat":1.0,"lon":2.5,"tst":100,"topic":"o/b","name":"Jane","hasFace":true}],\
      "updates":3,"next":"o/b"}
      """
    #expect(text(page) == answer)
  }

  @Test func beaconAnswerBeginsWithItsRegion() throws {
    let identity = try #require(
      BeaconIdentity(uuid: "CA271EAE-5FA8-4E80-8F08-2A302A95A959", major: 1, minor: nil))
    let line = BeaconStatus(
      region: "Home", rid: "abcdef", identity: identity, beacon: nil, rssi: -70, distance: 3.5,
      age: .seconds(7), isInside: true, lossTimeout: .seconds(60), hints: [])
    let answer = """
      {"region":"Home","rid":"abcdef","uuid":"CA271EAE-5FA8-4E80-8F08-2A302A95A959","major":1,"rssi":-70,\
      "distance":3.5,"age":7.0,"inside":true,"lossTimeout":60.0,"hints":[]}
      """
    #expect(text(Answer.beacon(line)) == answer)
  }
}
