import OwnTracks
import Testing

/// The records of the control protocol read what they write.
struct AnswerRecordTests {
  /// A value for each key of each kind, made by reading: what is written back has to be the same.
  private func readsBack<Record: AnswerRecord>(_ kind: Record.Type, _ keys: [String: JSON]) {
    let all = JSON.object(keys.map { JSON.Member($0.key, $0.value) })
    let record = Record(answer: all)
    #expect(record?.answer.description == all.description, "\(kind)")
    for (key, value) in keys {
      // Another kind reads as nothing, and costs no other key.
      var wrong = all
      wrong.set(key, value.members == nil ? [:] : 7)
      var rest = all
      rest.set(key, nil)
      #expect(Record(answer: wrong)?.answer.description == rest.description, "\(kind).\(key)")
    }
    #expect(Record(answer: ["fromTomorrow": 1])?.answer == [:] && Record(answer: []) == nil)
  }

  @Test func everyKeyOfAStatusIsReadAsItIsWritten() {
    readsBack(
      StatusRecord.Connection.self,
      [
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
      ])
    readsBack(
      StatusRecord.Queue.self,
      [
        "count": 1, "bytes": 2, "inFlight": 3, "window": 4, "oldest": 5, "dropped": 6, "resent": 7,
        "refused": 8, "lastConfirmed": 9, "storeFailing": true, "waitsForWifi": 10, "notSent": 11,
        "held": ["a"], "passedBy": ["b", "b"],
      ])
    readsBack(
      StatusRecord.Scanner.self,
      [
        "state": "hearing", "hearing": true, "duty": 10, "way": "w", "reason": "r", "cause": "c",
        "adapter": "hci0", "address": "00:00", "reports": 1, "sightings": 2, "steps": 3, "yield": 90,
        "lastHeard": 1.5, "hints": ["h"],
      ])
    readsBack(
      StatusRecord.Receiver.self,
      [
        "reached": true, "version": "3.25", "device": "/dev/x", "driver": "d", "mode": 3, "satellites": 9,
        "cause": "c", "silent": 12, "lastReport": 1.5, "malformed": 0,
      ])
    readsBack(
      StatusRecord.Board.self,
      [
        "troubles": ["hot"], "temperature": 82.5, "underVoltage": true, "underVoltageSeen": true,
        "throttled": false, "throttledSeen": true, "storageWear": 30, "fileSystemErrors": 1,
        "readOnly": false,
      ])
  }

  @Test func aWholeStatusIsReadAsItIsWritten() {
    readsBack(
      StatusRecord.self,
      [
        "mode": "move", "label": "Move", "modeCause": "c", "clock": ["trusted": true],
        "identity": ["valid": true, "topic": "t", "tid": "ab", "clientId": "c", "clientIdForm": "f"],
        "fix": [
          "lat": 48.5, "lon": -11.5, "acc": 5.5, "tst": 1, "age": 2.5, "vel": 3, "cog": 4, "alt": 5,
        ],
        "queue": ["count": 0], "regions": 2, "inside": ["Home"], "network": "wifi", "history": 7,
        "battery": ["level": 50, "state": "charging"], "batteryCause": "c", "batteryHung": 1,
        "odometer": 12.5, "trip": ["id": "i", "since": 1, "distance": 2, "duration": 3], "guarded": true,
        "anchor": ["lat": 1.5, "lon": 2.5, "since": 3, "alarm": 4, "dragging": false],
        "speeding": ["limit": 50],
        "vehicle": ["ignition": true, "volts": 12.5, "low": false, "halting": true],
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
      ])
  }

  @Test func anElementOfAnotherKindCostsNoOther() {
    let record = StatusRecord(answer: ["inside": ["Home", 7, "Work"]])
    #expect(record?.inside == ["Home", "Work"])
  }
}
