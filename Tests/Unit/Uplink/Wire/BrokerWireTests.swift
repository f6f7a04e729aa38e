import Model
import Testing
import Timebase

@testable import Uplink

/// What goes over the wire, byte for byte.
@Suite struct BrokerWireTests {
  private static let base = "owntracks/jane/pi"
  private static let will = #"{"_type":"lwt","tst":1700000000}"#

  private func text(_ text: String) -> [UInt8] {
    [UInt8(text.utf8.count / 256), UInt8(text.utf8.count % 256)] + Array(text.utf8)
  }

  private func joined(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) }

  /// A broker of that level that has greeted with these properties, and what we told it.
  private func greeted(
    level: Int, _ properties: [UInt8] = [], _ change: (BrokerScene) -> Void = { _ in }
  ) throws -> (BrokerScene, ScriptedPeer) {
    let scene = try BrokerScene()
    scene.configuration.broker.protocolLevel = level
    change(scene)
    let peer = try ScriptedPeer(scene.loop, port: scene.port, level: level)
    if !properties.isEmpty {
      let count = UInt8(properties.count)
      peer.greeting = joined([0x20, count + 3, 0, 0, count], properties)
    }
    scene.start()
    #expect(scene.runs { scene.isConnected })
    return (scene, peer)
  }

  private func published(_ peer: ScriptedPeer) -> [[UInt8]] { peer.packets.filter { $0[0] & 0xF0 == 0x30 } }

  // MARK: CONNECT

  @Test(arguments: [false, true]) func connectPacketCarriesIdentityAndWill(isClean: Bool) throws {
    let (_, peer) = try greeted(level: 4) {
      $0.configuration.broker.cleanSession = isClean
      $0.configuration.broker.keepalive = 1033
      $0.configuration.login.auth = true
      $0.configuration.login.password = "secret"
      $0.configuration.messages.qos = 2
    }
    // User, password, will with QoS 1, which every broker has, and not retained.
    let flags: UInt8 = isClean ? 0xCE : 0xCC
    let connect = joined(
      text("MQTT"), [4, flags, 4, 9], text("jane-pi"), text(Self.base), text(Self.will), text("jane"),
      text("secret"))
    #expect(peer.greeted == connect)
  }

  @Test func missingCredentialsAreOmitted() throws {
    for (user, flags): (String?, UInt8) in [(nil, 0x0C), ("jane", 0x8C)] {
      let (_, peer) = try greeted(level: 4) {
        $0.configuration.broker.keepalive = 0
        $0.configuration.login.auth = user != nil
        $0.configuration.login.usePassword = false
      }
      let name = user.map(text) ?? []
      let connect = joined(
        text("MQTT"), [4, flags, 0, 0], text("jane-pi"), text(Self.base), text(Self.will), name)
      #expect(peer.greeted == connect)
    }
  }

  @Test(arguments: [false, true]) func atLevel5TheSessionAndThePacketsHaveLimits(isClean: Bool) throws {
    let (_, peer) = try greeted(level: 5) { $0.configuration.broker.cleanSession = isClean }
    let expiry: [UInt8] = isClean ? [0x11, 0, 0, 0, 0] : [0x11, 0xFF, 0xFF, 0xFF, 0xFF]
    // 320 KiB.
    let properties = joined(expiry, [0x27, 0, 5, 0, 0])
    let flags: UInt8 = isClean ? 0x0E : 0x0C
    let connect = joined(text("MQTT"), [5, flags, 0, 60])
    let own = peer.greeted
    #expect(own.prefix(10) == connect[...])
    let count = Int(own[10])
    let said = own.dropFirst(11).prefix(count)
    #expect(Array(said.prefix(10)) == properties, "\(said)")
    let names = joined(text("jane-pi"), [0], text(Self.base), text(Self.will))
    #expect(Array(own.dropFirst(11 + count)) == names)
  }

  /// It says since when this program runs, and the clock may have become known meanwhile.
  @Test func aWillThatHasChangedGoesWithTheNextConnection() throws {
    let (scene, peer) = try greeted(level: 4)
    var settings = scene.settings
    settings.will.payload = Array("other".utf8)
    scene.broker.configure(settings)
    #expect(scene.isConnected && peer.connections == 1)
    scene.cut()
    #expect(scene.runs { peer.connections == 2 && scene.isConnected })
    #expect(peer.greeted.suffix(7) == text("other")[...])
  }

  // MARK: Messages

  @Test func aMessageGoesWithItsQoSAndItsFlag() throws {
    let (scene, peer) = try greeted(level: 4) { $0.configuration.broker.sub = false }
    var kept = scene.message(1)
    kept.isRetained = true
    scene.broker.send(kept)
    scene.broker.send(scene.message(2, qos: 0, suffix: "/event"))
    #expect(scene.acknowledged == [2] && scene.broker.status.inFlight == 1)
    #expect(scene.runs { scene.acknowledged == [2, 1] })
    let wanted: [[UInt8]] = [
      joined([0x33], text(Self.base), [0, 1], Array("m1".utf8)),
      joined([0x30], text(Self.base + "/event"), Array("m2".utf8)),
    ]
    #expect(published(peer) == wanted && scene.broker.status.inFlight == 0)
    #expect(scene.broker.status.counters.sent == 2 && scene.broker.status.counters.acknowledged == 2)
  }

  @Test func atLevel5TheTopicGoesOnceWithItsNumberAndThenTheNumberAlone() throws {
    // Receive Maximum 7, Topic Alias Maximum 1, Maximum QoS 1.
    let (scene, peer) = try greeted(level: 5, [0x21, 0, 7, 0x22, 0, 1, 0x24, 1]) {
      $0.configuration.broker.sub = false
    }
    scene.broker.send(scene.message(1, qos: 2))
    scene.broker.send(scene.message(2))
    // A broker that takes one number has none for events.
    scene.broker.send(scene.message(3, suffix: "/event"))
    #expect(scene.runs { scene.acknowledged == [1, 2, 3] })
    let wanted: [[UInt8]] = [
      joined([0x32], text(Self.base), [0, 1, 3, 0x23, 0, 1], Array("m1".utf8)),
      joined([0x32, 0, 0, 0, 2, 3, 0x23, 0, 1], Array("m2".utf8)),
      joined([0x32], text(Self.base + "/event"), [0, 3, 0], Array("m3".utf8)),
    ]
    #expect(published(peer) == wanted)
    #expect(scene.broker.status.mqtt.receiveMaximum == 7 && scene.broker.status.mqtt.protocolLevel == 5)
    // The next connection knows no numbers.
    scene.cut()
    #expect(scene.runs { peer.connections == 2 && scene.isConnected })
    scene.broker.send(scene.message(4))
    #expect(scene.runs { scene.acknowledged.last == 4 })
    let last = joined([0x32], text(Self.base), [0, 4, 3, 0x23, 0, 1], Array("m4".utf8))
    #expect(published(peer).last == last)
  }

  @Test func aBrokerMayTakeNothingButQoS0() throws {
    let (scene, peer) = try greeted(level: 5, [0x24, 0]) { $0.configuration.broker.sub = false }
    #expect(scene.broker.status.mqtt.receiveMaximum == nil)
    scene.broker.send(scene.message(1, qos: 2))
    #expect(scene.acknowledged == [1])
    let only = joined([0x30], text(Self.base), [0], Array("m1".utf8))
    #expect(scene.runs { published(peer) == [only] })
  }

  /// 64 bytes are kept free for what the packet needs besides.
  @Test func aLimitOfTheBrokerIsKeptToTheByte() throws {
    for (limit, isWhole) in [(1000, true), (1001, true), (999, false)] {
      let (scene, peer) = try greeted(level: 5, [0x27, 0, 0, UInt8(limit / 256), UInt8(limit % 256)]) {
        $0.configuration.broker.sub = false
      }
      let most = limit - 64 - Self.base.utf8.count
      scene.broker.send(scene.message(1, text: String(repeating: "x", count: most)))
      scene.broker.send(scene.message(2, text: String(repeating: "x", count: most + 1)))
      #expect(scene.runs { scene.acknowledged == [1] } && peer.published == 1)
      // Less than a location may need is the broker's fault, and not the message's.
      #expect(scene.refused == (isWhole ? [2] : []) && scene.postponed == (isWhole ? [] : [2]), "\(limit)")
      let counters = scene.broker.status.counters
      #expect([counters.refused, counters.postponed] == (isWhole ? [1, 0] : [0, 1]))
    }
  }

  @Test func aTopicThatIsNoneIsRefusedAndTheConnectionStands() throws {
    let (scene, peer) = try greeted(level: 4) { $0.configuration.broker.sub = false }
    scene.broker.send(scene.message(1, suffix: "/#"))
    scene.broker.send(scene.message(2, qos: 0, suffix: "/+"))
    #expect(scene.refused == [1, 2] && scene.broker.status.counters.sent == 0)
    scene.broker.send(scene.message(3))
    #expect(scene.runs { scene.acknowledged == [3] } && scene.isConnected && peer.published == 1)
  }

  // MARK: SUBSCRIBE

  @Test(arguments: [4, 5]) func eachFilterIsAskedForByItselfOursFirst(level: Int) throws {
    let (scene, peer) = try greeted(level: level) { $0.configuration.broker.subQos = 1 }
    let filters = scene.settings.subscriptions
    #expect(scene.runs { scene.broker.status.mqtt.subscribed.count == filters.count })
    let asked = peer.packets.filter { $0[0] == 0x82 }
    #expect(asked.count == filters.count && scene.broker.status.mqtt.subscribed.first == Self.base + "/cmd")
    for (index, filter) in scene.broker.status.mqtt.subscribed.enumerated() {
      let number: [UInt8] = [0x82, 0, UInt8(index + 1)]
      // At level 5: nothing of our own comes back, but for what is to show that commands do.
      let isOwn = filter == Self.base + "/cmd"
      let (properties, options): ([UInt8], UInt8) = level == 5 ? ([0], isOwn ? 1 : 5) : ([], 1)
      let wanted = joined(number, properties, text(filter), [options])
      #expect(asked[index] == wanted, "\(filter)")
    }
  }

  @Test func aFilterThatIsNoneIsNamedAndTheOthersHold() throws {
    let scene = try BrokerScene()
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    var settings = scene.settings
    settings.subscriptions = ["bad#", Self.base + "/cmd"]
    scene.broker.configure(settings)
    #expect(scene.runs { scene.broker.status.mqtt.subscribed == [Self.base + "/cmd"] })
    let missing = scene.broker.status.mqtt.notSubscribed
    #expect(missing.map(\.filter) == ["bad#"] && missing.map(\.word) == ["refused"] && peer.subscribed == 1)
    // A person may ask for it again: it is still none.
    scene.broker.askAnew()
    #expect(scene.broker.status.mqtt.notSubscribed.map(\.word) == ["refused"] && scene.isConnected)
  }

  /// What was refused is left out for half a minute; another connection that a person wants asks for it at once.
  @Test func reconnectionRequestsRefusedFilterAgain() throws {
    let scene = try BrokerScene()
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    let filters = [Self.base + "/cmd", Self.base + "/other"]
    peer.refusedFilter = filters[0]
    var settings = scene.settings
    settings.subscriptions = filters
    scene.broker.configure(settings)
    #expect(scene.runs { scene.broker.status.mqtt.notSubscribed.map(\.word) == ["refused"] })
    #expect(scene.runs { peer.granted == [filters[1]] })
    peer.refusedFilter = nil
    // A connection that has just been made is not replaced yet.
    let isReplaced = scene.runs {
      if peer.connections == 1 { scene.broker.reconnect() }
      return peer.connections == 2 && peer.granted.contains(filters[1])
    }
    #expect(isReplaced && peer.granted == filters)
  }
}
