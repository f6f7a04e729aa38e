import Model
import Storage
import Testing

@testable import homewardd

/// What others send, sorted.
struct InboundMessagesTests {
  private func scene(_ change: (inout Configuration) -> Void = { _ in }) throws -> (
    DaemonScene, InboundMessages
  ) {
    let scene = try DaemonScene(change)
    let inbound = InboundMessages(
      settings: scene.settings, host: scene.host, friends: scene.friends, extensions: scene.extensions,
      log: scene.log
    )
    return (scene, inbound)
  }

  private func take(_ text: String, from topic: String, _ inbound: InboundMessages) {
    inbound.take(Array(text.utf8), from: topic, isRetained: false, isEncrypted: false)
  }

  private let order = #"{"_type":"cmd","action":"reportLocation"}"#

  // behaviour: Friends
  @Test func friendLocationsAreCountedUntilViewed() throws {
    let (scene, inbound) = try scene { $0.friends.isOn = true }
    let place = #"{"_type":"location","tst":1700000000,"lat":1,"lon":2,"tid":"JP"}"#
    for topic in ["owntracks/jane/phone", "owntracks/bo/phone", scene.settings.encoder.topics.base] {
      take(place, from: topic, inbound)
    }
    take(#"{"_type":"card","name":"Jane"}"#, from: "owntracks/jane/phone/info", inbound)
    #expect(inbound.traffic.friendUpdates == 2)
    #expect(inbound.lookedAtFriends() == 2 && inbound.lookedAtFriends() == 0)
  }

  @Test func aCommandGoesToTheTracker() throws {
    let (scene, inbound) = try scene { $0.commands.isOn = true }
    take(order, from: "owntracks/u/board/cmd", inbound)
    #expect(scene.host.waiting == ["commanded reportLocation"] && inbound.traffic.received == 1)
  }

  @Test func disallowedCommandIsPostedAsBarred() throws {
    let (scene, inbound) = try scene { $0.commands.isOn = false }
    take(order, from: "owntracks/u/board/cmd", inbound)
    #expect(scene.host.waiting == ["barred reportLocation commandsOff"])
  }

  @Test func unreadableCommandsAreCountedAndLoggedOnce() throws {
    let (scene, inbound) = try scene { $0.commands.isOn = true }
    for _ in 0..<5 { take("{", from: "owntracks/u/board/cmd", inbound) }
    #expect(scene.host.waiting.count == 5 && inbound.traffic.malformed == 5)
    #expect(scene.host.waiting.allSatisfy { $0.hasPrefix("malformed ?: line 1, ") })
    #expect(scene.lines().count == 1)
  }

  @Test func malformedCommandsArePostedWithTheirFault() throws {
    let (scene, inbound) = try scene { $0.commands.isOn = true }
    take(#"{"_type":"cmd","action":"fly","id":1}"#, from: "owntracks/u/board/cmd", inbound)
    take(#"{"_type":"dmc","id":1}"#, from: "owntracks/u/board/cmd", inbound)
    take(#"{"_type":"cmd","action":"fly"}"#, from: "owntracks/u/board/cmd", inbound)
    take(#"{"_type":"location","id":1}"#, from: "owntracks/an/phone", inbound)
    #expect(
      scene.host.waiting == [
        #"malformed fly: unknown action "fly""#, "malformed ?: _type is dmc, expected cmd",
        #"malformed fly: unknown action "fly""#,
      ])
    #expect(inbound.traffic.malformed == 3)
  }

  @Test func friendLocationIsKept() throws {
    let scene = try DaemonScene { $0.friends.isOn = true }
    let friends = scene.friends
    let inbound = InboundMessages(
      settings: scene.settings, host: scene.host, friends: friends, extensions: scene.extensions,
      log: scene.log)
    take(
      #"{"_type":"location","lat":48,"lon":11,"tst":1800000000,"tid":"an"}"#, from: "owntracks/an/phone",
      inbound)
    var topics: [String]?
    friends.friends(after: "") { topics = $0.map(\.topic) }
    scene.loop.turn { topics != nil }
    #expect(topics == ["owntracks/an/phone"] && scene.host.waiting == [])
    friends.close()
    scene.worker.finish()
  }
}
