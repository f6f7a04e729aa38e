import OwnTracks
import Testing

/// The records of the control protocol read what they write.
struct AnswerRecordTests {
  /// What a record of that kind does not read as it writes it. `keys`: a value for each key that it has; `free`: keys
  /// that may hold any kind.
  private func faults<Record: AnswerRecord>(
    _ kind: Record.Type, _ keys: [String: JSON], free: Set<String> = []
  ) -> [String] {
    let all = JSON.object(keys.map { JSON.Member($0.key, $0.value) })
    var faults = Record(answer: all)?.answer.description == all.description ? [] : ["\(kind)"]
    for (key, value) in keys where !free.contains(key) {
      // Another kind of value reads as nothing, and costs no other key.
      var (wrong, rest) = (all, all)
      wrong.set(key, value.members == nil ? [:] : 7)
      rest.set(key, nil)
      if Record(answer: wrong)?.answer.description != rest.description { faults.append("\(kind).\(key)") }
    }
    return faults
  }

  @Test func unknownKeyIsIgnored() {
    #expect(StatusRecord(answer: ["fromTomorrow": 1])?.answer == [:] && StatusRecord(answer: []) == nil)
  }

  @Test func everyKeyOfAStatusIsReadAsItIsWritten() {
    let connection: [String: JSON] = [
      "colour": "green", "state": "connected", "cause": "c", "word": "w", "remedy": "r", "attempts": 1,
      "since": 2.5, "nextAttempt": 3.5, "host": "h", "port": 8883, "endpoint": "e", "tls": true,
      "insecure": false, "encrypted": true, "acknowledged": 4, "sent": 5, "mqtt": "5",
      "subscription": ["a", "b"], "notSubscribed": [["filter": "f", "word": "refused", "why": "y"]],
      "lastError": ["text": "t", "age": 6.5], "statusWill": ["placed": false, "cause": "c"],
      "switchedOff": true,
      "delivery": [
        "by": "roundTrip", "unheard": ["a"], "proven": ["b"], "provenAges": [1.5], "missing": ["c"],
        "unreadable": ["d"],
      ],
      "commands": ["topic": "t", "state": "heard", "age": 1.5, "why": "y"],
      "untaken": [["topic": "t", "why": "y", "remedy": "r"]],
    ]
    #expect(faults(StatusRecord.Connection.self, connection) == [])
    let queue: [String: JSON] = [
      "count": 1, "bytes": 2, "inFlight": 3, "window": 4, "oldest": 5, "dropped": 6, "resent": 7,
      "refused": 8, "lastConfirmed": 9, "storeFailing": true, "waitsForBatch": 4, "waitsForWifi": 10,
      "notSent": 11, "held": ["a"], "passedBy": ["b", "b"],
    ]
    #expect(faults(StatusRecord.Queue.self, queue) == [])
    let scanner: [String: JSON] = [
      "state": "hearing", "hearing": true, "duty": 10, "way": "w", "reason": "r", "cause": "c",
      "adapter": "hci0", "address": "00:00", "reports": 1, "sightings": 2, "steps": 3, "yield": 90,
      "lastHeard": 1.5, "hints": ["h"],
    ]
    #expect(faults(StatusRecord.Scanner.self, scanner) == [])
    let receiver: [String: JSON] = [
      "reached": true, "version": "3.25", "device": "/dev/x", "driver": "d", "mode": 3, "satellites": 9,
      "cause": "c", "silent": 12, "lastReport": 1.5, "malformed": 0,
    ]
    #expect(faults(StatusRecord.Receiver.self, receiver) == [])
    let board: [String: JSON] = [
      "troubles": ["hot"], "temperature": 82.5, "underVoltage": true, "underVoltageSeen": true,
      "throttled": false, "throttledSeen": true, "storageWear": 30, "fileSystemErrors": 1,
      "readOnly": false,
    ]
    #expect(faults(StatusRecord.Board.self, board) == [])
  }

  @Test func aWholeStatusIsReadAsItIsWritten() {
    let status: [String: JSON] = [
      "mode": "move", "label": "Move", "modeCause": "c", "clock": ["trusted": true],
      "identity": ["valid": true, "topic": "t", "tid": "ab", "clientId": "c", "clientIdForm": "f"],
      "fix": [
        "lat": 48.5, "lon": -11.5, "acc": 5.5, "tst": 1, "age": 2.5, "vel": 3, "cog": 4, "alt": 5,
      ],
      "queue": ["count": 0], "regions": 2, "inside": ["Home"], "network": "wifi", "history": 7,
      "data": ["today": 8, "month": 9, "budget": 10, "spacing": 60],
      "battery": ["level": 50, "state": "charging"], "batteryCause": "c", "batteryHung": 1,
      "odometer": 12.5, "trip": ["id": "i", "since": 1, "distance": 2, "duration": 3], "guarded": true,
      "anchor": ["lat": 1.5, "lon": 2.5, "since": 3, "alarm": 4, "dragging": false],
      "speeding": ["limit": 50],
      "vehicle": ["ignition": true, "volts": 12.5, "low": false, "halting": true, "checkingIn": true],
      "leftDescriptions": 1, "remote": ["settings": ["host": "a"], "trial": false],
      "connection": ["colour": "green"], "gps": ["reached": true], "scanner": ["state": "idle"],
      "messages": [
        "received": 1, "malformed": 2, "lastMalformed": "m", "unopened": 3, "lastUnopened": "u",
        "friendUpdates": 4,
      ],
      "store": [
        "path": "/p", "cause": "c", "nextAttempt": 1.5, "bytesWritten": 2, "size": 3, "quarantined": 4,
      ],
      "page": ["template": "t", "copyright": "c", "tacho": "linear"], "board": ["readOnly": true],
      "onEvent": ["run": 1, "failed": 2, "killed": 3, "dropped": 4], "version": "0.1.0", "uptime": 8,
    ]
    #expect(faults(StatusRecord.self, status) == [])
  }

  private static let place: [String: JSON] = [
    "lat": 48.5, "lon": -11.5, "tst": 1_700_000_000, "acc": 7.5, "alt": 500.5, "vel": 33, "cog": 271,
    "batt": 57, "t": "p", "tid": "JA",
  ]

  @Test func placesAndFriendsAreReadBackAsWritten() {
    #expect(faults(PlaceRecord.self, Self.place) == [])
    let name: [String: JSON] = ["topic": "o/b", "name": "Jane", "hasFace": true, "face": "QUJD"]
    #expect(faults(FriendRecord.self, name.merging(Self.place) { $1 }) == [])
    let page: [String: JSON] = ["friends": [["topic": "o/b"]], "self": "us", "updates": 3, "next": "o/b"]
    #expect(faults(FriendPage.self, page, free: ["self"]) == [])
    let reply: [String: JSON] = ["friend": "Jane", "places": [["lat": 1.5]]]
    #expect(faults(FriendReply.self, reply, free: ["friend"]) == [])
  }

  @Test func aTrackIsReadAsItIsWritten() {
    let point: [String: JSON] = ["number": 9_000_000_000, "poi": "here", "tag": "Spain"]
    #expect(faults(PointRecord.self, point.merging(Self.place) { $1 }) == [])
    #expect(faults(HistoryPage.self, ["history": [["number": 1]], "next": 9_000_000_000]) == [])
  }

  @Test func regionsAndBeaconsAreReadAsTheyAreWritten() {
    let region: [String: JSON] = [
      "_type": "waypoint", "desc": "Home", "lat": 48.5, "lon": 11.5, "rad": 100, "rid": "abcdef",
      "tst": 1_700_000_000, "uuid": "U", "major": 1, "minor": 2, "share": false, "speedLimit": 50,
      "polygon": "corners", "private": true, "dwell": 60, "inside": true,
    ]
    #expect(faults(RegionRecord.self, region, free: ["polygon"]) == [])
    #expect(faults(RegionList.self, ["regions": [["rid": "abcdef"]]]) == [])
    let beacon: [String: JSON] = [
      "region": "Home", "rid": "abcdef", "uuid": "U", "major": 1, "minor": 2, "rssi": -70, "distance": 1.5,
      "age": 2.5, "inside": true, "lossTimeout": 30.5, "hints": ["near"], "count": 3,
    ]
    #expect(faults(BeaconRecord.self, beacon) == [])
    let list: [String: JSON] = [
      "beacons": [["rid": "abcdef"]], "strangers": [["uuid": "U"]], "scanner": ["state": "idle"],
    ]
    #expect(faults(BeaconList.self, list) == [])
  }

  @Test func reasonsSettingsAndOutcomesAreReadAsTheyAreWritten() {
    let reason: [String: JSON] = [
      "number": 9_000_000_000, "published": true, "word": "moved", "text": "t", "count": 2,
      "detail": ["region": "Home"], "time": 1.5, "last": 2.5,
    ]
    #expect(faults(ReasonRecord.self, reason, free: ["detail"]) == [])
    #expect(ReasonRecord(answer: ["detail": ["region": "Home"]])?.region == "Home")
    #expect(faults(ReasonList.self, ["newest": 9_000_000_000, "reasons": [["number": 1]]]) == [])
    let setting: [String: JSON] = ["from": "file", "name": "host", "value": "h", "isSet": true]
    #expect(faults(SettingRecord.self, setting, free: ["value"]) == [])
    #expect(faults(SettingList.self, ["locked": false, "settings": [["name": "host"]], "trial": true]) == [])
    let description: [String: JSON] = [
      "group": "page", "default": "d", "secret": false, "settable": true, "type": "choice",
      "choices": [["value": 1]], "min": 1, "max": 2.5, "words": ["off"], "expert": true, "unit": "s",
      "text": "t",
    ]
    #expect(faults(SettingDescription.self, description, free: ["default", "min", "max"]) == [])
    let outcome: [String: JSON] = [
      "ok": true, "text": "t", "folder": "/f", "error": "e", "version": "0.1.0", "protocol": 1,
    ]
    #expect(faults(OutcomeRecord.self, outcome) == [])
    #expect(faults(StatusReply.self, ["status": "s"], free: ["status"]) == [])
  }

  /// A reader of another version passes on what it does not know.
  @Test func forwardedRecordsKeepUnknownKeys() {
    let page: JSON = ["friends": [["topic": "o/b", "fromTomorrow": 1]]]
    #expect(FriendPage(answer: page)?.answer == page)
    #expect(RegionRecord.forFiles(["rid": "a", "inside": true, "new": 1]) == ["rid": "a", "new": 1])
  }

  @Test func doneAnswerBeginsWithOK() {
    var page = HistoryPage()
    page.points = []
    #expect(page.done == ["ok": true, "history": []])
  }

  @Test func anElementOfAnotherKindCostsNoOther() {
    let record = StatusRecord(answer: ["inside": ["Home", 7, "Work"]])
    #expect(record?.inside == ["Home", "Work"])
  }
}
