import Model
import OwnTracks
import Testing
import Timebase

/// Transitions, waypoints and the will.
struct EventMessageTests {
  @Test func aWholeTransition() {
    let message = encoder().encode(transition())
    #expect(
      text(message.payload)
        == #"{"_type":"transition","acc":5,"desc":"Home","event":"enter","lat":48.0,"lon":11.0007,"rad":100,"#
        + #""rid":"e1f891","t":"c","tid":"D","tst":1700000060,"wtst":1700000100}"#)
    #expect(message.topic == "owntracks/u/d/event")
    #expect(message.isEvent && !message.isRetained && message.qos == 1)
  }

  // behaviour: Kinds and names
  @Test func nameBeforeTheFirstBar() throws {
    var region = home
    region.name = "Home|1|2"
    #expect(try payload(encoder().encode(transition(region)))["desc"] == "Home")
  }

  // behaviour: How regions come and go
  @Test func unsharedHasNoName() throws {
    var region = home
    region.isShared = false
    let json = try payload(encoder().encode(transition(region)))
    // The member is there all the same: not every reader does without.
    #expect(json["desc"] == .null)
    #expect(json["rid"] == "e1f891" && json["wtst"] == 1_700_000_100)
  }

  @Test func beaconTransitionHasNoRadius() throws {
    var region = home
    region.radius = -1
    region.beacon = BeaconIdentity(uuid: uuid)
    let json = try payload(encoder().encode(transition(region) { $0.crossing = .leave }))
    #expect(json["t"] == "b" && json["rad"] == nil && json["event"] == "leave")
  }

  @Test func lateTransitionHasItsCreationTime() throws {
    let json = try payload(
      encoder().encode(transition { $0.created = WallTime(seconds: start + 62) }))
    #expect(json["created_at"] == 1_700_000_062)
  }

  @Test func waypoint() {
    let message = encoder().encode(.waypoint(home))
    #expect(
      text(message.payload)
        == #"{"_type":"waypoint","desc":"Home","lat":48.0,"lon":11.0,"rad":100,"#
        + #""rid":"e1f891","tst":1700000100}"#
    )
    #expect(message.topic == "owntracks/u/d/waypoint")
    #expect(message.isEvent && !message.isRetained)
  }

  /// Home Assistant calls its zone by it.
  @Test func aBeaconsWaypointHasItsNumbersBesideItsName() throws {
    var region = home
    region.radius = -1
    region.beacon = BeaconIdentity(uuid: uuid, major: 1, minor: 51966)
    let json = try payload(encoder().encode(.waypoint(region)))
    #expect(json["desc"] == "Home")
    #expect(json["uuid"]?.text == uuid && json["major"] == 1 && json["minor"] == 51966 && json["rad"] == -1)
  }

  @Test func smallCirclesStayCircles() throws {
    var region = home
    region.radius = 0.3
    #expect(try payload(encoder().encode(.waypoint(region)))["rad"] == 1)
  }

  // behaviour: Topics and messages
  @Test func aWholeWill() {
    let message = encoder { $0.messages.qos = 2 }.will(at: WallTime(seconds: start))
    #expect(text(message.payload) == #"{"_type":"lwt","tst":1700000000}"#)
    #expect(message.topic == "owntracks/u/d" && message.qos == 2 && !message.isRetained)
  }

  @Test func willWithoutAClock() {
    #expect(text(encoder().will(at: nil).payload) == #"{"_type":"lwt","tst":0}"#)
  }
}

let uuid = "CA271EAE-5FA8-4E80-8F08-2A302A95A959"
