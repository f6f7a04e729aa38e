import Testing

@testable import Uplink

/// What a greeting says that the library refuses without a word.
@Suite struct RejectedGreetingTests {
  private static let id: [UInt8] = [0x12, 0, 1, 0x63]

  /// CONNACK with these properties.
  private func greeting(_ properties: [UInt8], length: [UInt8]? = nil, rest: [UInt8]? = nil) -> [UInt8] {
    let rest: [UInt8] = rest ?? [UInt8(properties.count + 3)]
    let length: [UInt8] = length ?? [UInt8(properties.count)]
    let parts: [[UInt8]] = [[0x20], rest, [0, 0], length, properties]
    return Array(parts.joined())
  }

  /// MQTT 5, 3.2.2.3, all that a greeting may have, with values that are the id's own number.
  private static let properties: [[UInt8]] = [
    [0x24, 0x12], [0x25, 0x12], [0x28, 0x12], [0x29, 0x12], [0x2A, 0x12], [0x13, 0x12, 0x12],
    [0x21, 0x12, 0x12], [0x22, 0x12, 0x12], [0x11, 0x12, 0x12, 0x12, 0x12], [0x27, 0x12, 0x12, 0x12, 0x12],
    [0x15, 0, 1, 0x12], [0x16, 0, 2, 0x12, 0x12], [0x1A, 0, 0], [0x1C, 0, 1, 0x12], [0x1F, 0, 1, 0x12],
    [0x26, 0, 1, 0x12, 0, 2, 0x12, 0x12], [0x26, 0, 0, 0, 0], longReason,
  ]
  private static let longReason: [UInt8] = [0x1F, 1, 2] + [UInt8](repeating: 0x12, count: 258)

  @Test(arguments: properties)
  func eachPropertyIsPassedOver(_ property: [UInt8]) {
    let isLong = property.count > 100
    func whole(_ properties: [UInt8]) -> [UInt8] {
      // Two bytes of length each where one is not enough.
      let count = properties.count
      guard isLong else { return greeting(properties) }
      func inTwo(_ count: Int) -> [UInt8] { [UInt8(count % 128) | 128, UInt8(count / 128)] }
      return greeting(properties, length: inTwo(count), rest: inTwo(count + 4))
    }
    #expect(RejectedGreeting.namesClientID(whole(property + Self.id)))
    #expect(RejectedGreeting.namesClientID(whole(property + property + Self.id)))
    #expect(!RejectedGreeting.namesClientID(whole(property)))
  }

  @Test func truncatedGreetingNamesNoClientID() {
    let properties: [UInt8] = [0x21, 0, 10, 0x26, 0, 1, 0x61, 0, 1, 0x62]
    let whole = greeting(properties + Self.id)
    #expect(RejectedGreeting.namesClientID(whole))
    // The number of the property is enough, and the first byte that counts is behind all others.
    let place = whole.count - Self.id.count
    #expect(RejectedGreeting.namesClientID(Array(whole.prefix(place + 1))))
    for count in 0...place {
      #expect(!RejectedGreeting.namesClientID(Array(whole.prefix(count))), "\(count)")
    }
    // A value that would reach further than there are bytes.
    for short: [UInt8] in [
      [0x21, 0], [0x24], [0x1F, 0], [0x1F], [0x1F, 0, 2, 0x12], [0x26, 0, 1, 0x61, 0], [0x26, 0, 9, 0x12],
    ] {
      #expect(!RejectedGreeting.namesClientID(greeting(short)), "\(short)")
    }
  }

  @Test func bytesBehindGreetingAreIgnored() {
    #expect(!RejectedGreeting.namesClientID(greeting([0x24, 1]) + Self.id))
    #expect(!RejectedGreeting.namesClientID(greeting([]) + Self.id))
    // Not even where a property that it has claims to be longer.
    #expect(!RejectedGreeting.namesClientID(greeting([0x21, 0, 1, 0x24, 1], length: [2]) + Self.id))
  }

  @Test func onlyAGreetingIsRead() {
    let whole = greeting(Self.id)
    #expect(
      RejectedGreeting.namesClientID(whole) && !RejectedGreeting.namesClientID([0x30] + whole.dropFirst()))
    #expect(!RejectedGreeting.namesClientID([]))
    // A property that no greeting has.
    #expect(!RejectedGreeting.namesClientID(greeting([0x01, 1] + Self.id)))
    // Lengths of four bytes are the longest there are.
    #expect(RejectedGreeting.namesClientID(greeting(Self.id, length: [0x84, 0x80, 0x80, 0])))
    #expect(!RejectedGreeting.namesClientID(greeting(Self.id, length: [0x84, 0x80, 0x80, 0x80, 0])))
    #expect(!RejectedGreeting.namesClientID(greeting(Self.id, rest: [0x80, 0x80, 0x80, 0x80, 0])))
  }
}
