import CBlueZ
import Glibc
import Loop
import Model
import TestSupport
import Testing
import Timebase

@testable import Radio

/// A scanner whose kernel is the test: the other end of its management socket.
final class BeaconDesk {
  let loop: EventLoop
  let ends = Ends(datagram: true)
  let scanner: BeaconScanner
  private(set) var events: [BeaconScanner.Event] = []
  private var asked: Watch?

  init() throws {
    loop = try EventLoop()
    var hear: (BeaconScanner.Event) -> Void = { _ in }
    scanner = BeaconScanner(loop: loop, management: dup(ends.near)) { hear($0) }
    hear = { [unowned self] in events.append($0) }
    asked = loop.watch(ends.far, for: .read) { [unowned self] _ in answer() }
  }

  deinit {
    scanner.close()
    asked?.cancel()
  }

  var sightings: [Sighting] {
    events.compactMap { if case .sighted(let sighting) = $0 { sighting } else { nil } }
  }

  func send(_ packet: [UInt8]) { _ = cbluez_send(ends.far, packet, packet.count) }

  /// A second of a crowd of strangers, each with an address of its own, and a fix with every thousandth: the seconds of
  /// this thread's work that each fix waited.
  func fixesInACrowd(of count: Int) throws -> [Double] {
    scanner.setScan(BeaconKernel.plan)
    loop.turn { scanner.status.isHearing }
    let fixes = Ends(datagram: true)
    var waits: [Double] = []
    let watch = loop.watch(fixes.near, for: .read) { _ in
      var sent = 0.0
      _ = withUnsafeMutableBytes(of: &sent) { cbluez_receive(fixes.near, $0.baseAddress, $0.count) }
      waits.append(secondsOfWork() - sent)
    }
    defer { watch.cancel() }
    var packet = BeaconPackets.monitored(BeaconPackets.frame(major: 9))
    packet[8 + 20] ^= 0xFF
    for round in 0..<count {
      for byte in 0..<4 { packet[8 + byte] = UInt8(truncatingIfNeeded: round >> (4 * byte)) }
      packet[40] = UInt8(truncatingIfNeeded: round)
      send(packet)
      if round % 1000 == 0 {
        let now = secondsOfWork()
        _ = withUnsafeBytes(of: now) { cbluez_send(fixes.far, $0.baseAddress, $0.count) }
      }
      // The socket takes only so many unread; the radio's too, and what is too much is lost there.
      if round % 200 == 199 { loop.runOnce(within: .zero) }
    }
    loop.turn { waits.count >= count / 1000 }
    return waits
  }

  private func answer() {
    var buffer = [UInt8](repeating: 0, count: 512)
    while true {
      let count = cbluez_receive(ends.far, &buffer, buffer.count)
      guard count >= 6 else { return }
      let command = UInt16(buffer[0]) | UInt16(buffer[1]) << 8
      let index = UInt16(buffer[2]) | UInt16(buffer[3]) << 8
      send(BeaconPackets.management(1, [buffer[0], buffer[1], 0] + reply(command), index: index))
    }
  }

  private func reply(_ command: UInt16) -> [UInt8] {
    switch command {
    case 0x02: [1, 0, 0, 0, 0x52, 0]
    case 0x3C: [1, 0, 0, 0, 0, 1]
    case 0x04: [6, 5, 4, 3, 2, 1, 12, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0]
    default: [1, 0]
    }
  }
}

@Suite(.serialized) struct BeaconCrowdTests {
  @Test func monitoredAdvertisementIsPosted() throws {
    let desk = try BeaconDesk()
    desk.scanner.setScan(BeaconKernel.plan)
    desk.loop.turn { desk.scanner.status.isHearing }
    desk.send(BeaconPackets.monitored(BeaconPackets.beacon))
    desk.loop.turn { !desk.sightings.isEmpty }
    #expect(desk.sightings == [BeaconReportsTests.expected])
    #expect(desk.scanner.status.method == "advertisement monitor")
  }

  @Test func aCrowdKeepsNoFixFromComing() throws {
    let desk = try BeaconDesk()
    #expect(try desk.fixesInACrowd(of: 5000).count == 5)
    #expect(desk.scanner.status.counters.reports > 1000 && desk.sightings.isEmpty)
  }

  @Test func emptyScanPlanPostsNoSightings() throws {
    let desk = try BeaconDesk()
    desk.scanner.setScan(ScanPlan(wanted: [], duty: 0))
    desk.send(BeaconPackets.monitored(BeaconPackets.beacon))
    desk.loop.turn(for: .milliseconds(50))
    #expect(desk.sightings == [])
    #expect(desk.scanner.status.counters.reports == 0)
  }

  @Test func unregisteredBeaconsAreKeptOnlyWhileWatched() throws {
    let desk = try BeaconDesk()
    var foreign = BeaconPackets.beacon
    foreign[12] ^= 1
    desk.scanner.setScan(BeaconKernel.plan)
    desk.loop.turn { desk.scanner.status.isHearing }
    desk.send(BeaconPackets.monitored(foreign))
    desk.loop.turn { desk.scanner.status.counters.reports > 0 }
    #expect(desk.scanner.unregistered(watchFor: .seconds(60)).all == [])
    desk.send(BeaconPackets.monitored(foreign))
    desk.loop.turn { desk.scanner.status.counters.reports > 1 }
    #expect(desk.scanner.unregistered(watchFor: .milliseconds(1)).all.count == 1)
    desk.loop.turn(for: .milliseconds(100))
    #expect(desk.scanner.unregistered(watchFor: .milliseconds(1)).all == [])
  }
}
