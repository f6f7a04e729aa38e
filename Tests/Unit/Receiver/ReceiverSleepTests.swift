import Testing
import Timebase

@testable import Receiver

@Suite struct ReceiverSleepTests {
  private func receivers(_ drivers: String...) -> GPSDReceivers {
    var receivers = GPSDReceivers(wanted: "")
    for (number, driver) in drivers.enumerated() {
      let index = receivers.number(of: "/dev/ttyACM\(number)")
      _ = receivers.noteDevice(index ?? 0, driver: driver, isActive: true)
    }
    return receivers
  }

  // behaviour: A receiver that sleeps
  @Test func theOrderIsTheManufacturersToTheByte() {
    #expect(
      ReceiverSleep.command(.asleep(for: .seconds(600)), to: receivers("u-blox"))
        == #"?DEVICE={"path":"/dev/ttyACM0","hexdata":"b5620241100000000000c027090002000000080000004d52"};"#
        + "\n")
    #expect(
      ReceiverSleep.command(.awake, to: receivers("u-blox"))
        == #"?DEVICE={"path":"/dev/ttyACM0","hexdata":"b5620a0400000e34"};"# + "\n")
  }

  /// Without an end the time is 0, and beyond what it can say the longest.
  @Test(arguments: [
    (nil, [0, 0, 0, 0]), (Span.seconds(1e9), [255, 255, 255, 255]), (.seconds(1), [0xE8, 3, 0, 0]),
  ])
  func aRestIsSaidInMilliseconds(_ span: Span?, _ bytes: [UInt8]) {
    #expect(Array(ReceiverSleep.Order.asleep(for: span).frame[10..<14]) == bytes)
  }

  @Test func onlyTheReceiverThatIsUsedIsAsked() {
    var both = receivers("NMEA0183", "u-blox")
    #expect(ReceiverSleep.command(.awake, to: both).isEmpty, "no fix yet: the first one is shown as used")
    _ = both.heard(1, hasFix: true, at: .zero)
    #expect(ReceiverSleep.command(.awake, to: both).contains(#""/dev/ttyACM1""#))
  }

  @Test(arguments: ["", "NMEA0183", "SiRF"])
  func aReceiverOfAnotherMakerIsLeftAlone(_ driver: String) {
    #expect(ReceiverSleep.command(.asleep(for: nil), to: receivers(driver)).isEmpty)
    #expect(ReceiverSleep.command(.awake, to: receivers()).isEmpty)
  }
}
