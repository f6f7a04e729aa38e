import CBlueZ
import Glibc
import Loop
import TestSupport
import Testing
import Timebase

@testable import Radio

/// What a crowd of foreign iBeacons costs the scanner and the fixes that come in between.
@Suite(.serialized) struct BeaconCrowdCostTests {
  /// A second of 20,000 of them, each with an address of its own.
  @Test(.enabled(if: getenv("HOMEWARD_SANITIZED") == nil, "a sanitizer costs more than what is measured"))
  func aCrowdTakesNoMemoryAndDelaysNoFix() throws {
    let desk = try BeaconDesk()
    desk.scanner.setScan(BeaconKernel.plan)
    desk.turn(for: .seconds(2)) { desk.scanner.status.isHearing }
    let fixes = Ends(datagram: true)
    // In work of this thread: waiting for a processor that others have is no delay of the scanner's.
    var latencies: [Double] = []
    let watch = desk.loop.watch(fixes.near, for: .read) { _ in
      var sent = 0.0
      _ = withUnsafeMutableBytes(of: &sent) { cbluez_receive(fixes.near, $0.baseAddress, $0.count) }
      latencies.append(secondsOfWork() - sent)
    }
    defer { watch.cancel() }
    let before = residentBytes()
    var packet = BeaconPackets.monitored(BeaconPackets.frame(major: 9))
    packet[8 + 20] ^= 0xFF
    for round in 0..<20_000 {
      for byte in 0..<4 { packet[8 + byte] = UInt8(truncatingIfNeeded: round >> (4 * byte)) }
      packet[40] = UInt8(truncatingIfNeeded: round)
      desk.send(packet)
      if round % 1000 == 0 {
        let now = secondsOfWork()
        _ = withUnsafeBytes(of: now) { cbluez_send(fixes.far, $0.baseAddress, $0.count) }
      }
      // The socket takes only so many unread; the radio's too, and what is too much is lost there.
      if round % 200 == 199 { desk.loop.runOnce(within: .zero) }
    }
    desk.turn(for: .milliseconds(100))
    let grown = residentBytes() - before
    print("beacons: a crowd of 20,000: memory grew by \(grown / 1024) kB, fixes waited \(latencies)")
    #expect(latencies.count == 20)
    #expect(latencies.sorted()[18] < 0.05)
    #expect(!isAlone || grown < 256 << 10)
    #expect(desk.scanner.status.counters.reports > 5000)
  }
}
