import TestSupport
import Testing

@testable import Uplink

// behaviour: Several brokers
/// Which address of a name is tried next.
@Suite struct BrokerAddressesTests {
  private let found = ["192.0.2.1", "2001:db8::2", "192.0.2.3"]

  /// The address that is tried first after this choice.
  private func open(
    _ addresses: inout BrokerAddresses, _ choice: BrokerAddresses.Choice, _ found: [String]? = nil
  )
    -> String?
  {
    addresses.choose(choice, of: "broker.example")
    let found = found ?? self.found
    guard let address = addresses.candidates(found, isIPv4Forced: false).first else { return nil }
    addresses.trying(address, of: found)
    return address
  }

  @Test func eachIsTriedOnceInARound() {
    var addresses = BrokerAddresses()
    #expect(open(&addresses, .first) == found[0] && addresses.hasOthers)
    // The name server gives them in another order each time.
    #expect(open(&addresses, .next, found.reversed()) == found[2] && addresses.hasOthers)
    #expect(open(&addresses, .next) == found[1] && !addresses.hasOthers)
    #expect(open(&addresses, .first) == found[0] && addresses.hasOthers)
  }

  @Test func theSameOneIsTriedAgain() {
    var addresses = BrokerAddresses()
    #expect(open(&addresses, .first) == found[0])
    #expect(open(&addresses, .next) == found[1])
    #expect(open(&addresses, .again, found.reversed()) == found[1] && addresses.hasOthers)
    #expect(open(&addresses, .next) == found[2])
  }

  @Test func theOneOfTheLastConnectionComesFirst() {
    var addresses = BrokerAddresses()
    _ = open(&addresses, .first)
    #expect(open(&addresses, .next) == found[1])
    addresses.proved()
    #expect(open(&addresses, .first) == found[1])
    #expect(open(&addresses, .next) == found[0])
    #expect(open(&addresses, .next) == found[2] && !addresses.hasOthers)
    // It has gone.
    #expect(open(&addresses, .first, [found[0], found[2]]) == found[0])
  }

  @Test func anotherNameHasOtherAddresses() {
    var addresses = BrokerAddresses()
    _ = open(&addresses, .first)
    addresses.proved()
    addresses.choose(.next, of: "other.example")
    #expect(addresses.present == nil)
    #expect(addresses.candidates(found.reversed(), isIPv4Forced: false) == found.reversed())
  }

  @Test func anotherConnectionsAddressIsPreferred() {
    var addresses = BrokerAddresses()
    addresses.prefer("192.0.2.3", of: "broker.example")
    #expect(open(&addresses, .first) == "192.0.2.3")
  }

  @Test func whereIPv4IsForcedOnlyItsAddressesAreTried() {
    var addresses = BrokerAddresses()
    addresses.choose(.first, of: "broker.example")
    #expect(addresses.candidates(found, isIPv4Forced: true) == [found[0], found[2]])
    #expect(addresses.candidates(["::1"], isIPv4Forced: true).isEmpty)
  }

  @Test func newAddressesBeginAnotherRound() {
    var addresses = BrokerAddresses()
    #expect(open(&addresses, .first, ["192.0.2.1"]) == "192.0.2.1" && !addresses.hasOthers)
    #expect(open(&addresses, .next, ["192.0.2.1"]) == "192.0.2.1")
  }

  @Test func anAddressIsItsOwn() {
    for address in ["192.0.2.7", "2001:db8::7", "fe80::1%eth0"] {
      let answer = BrokerAddresses.look(address)
      #expect(answer.found == [address] && answer.code == 0)
    }
    #expect(BrokerAddresses.look("localhost").found.contains("127.0.0.1"))
    #expect(BrokerAddresses.look("no!such!host").code != 0)
  }
}
