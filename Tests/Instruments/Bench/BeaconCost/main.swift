// What one advertisement costs, from the bytes as the kernel delivers them to the decision whether anybody
// wants it. swift run --package-path Tests/Instruments -c release -Xswiftc -enable-testing beacon-cost
import Glibc
import Model
import Timebase

@testable import Radio

func packet(_ data: [UInt8]) -> [UInt8] {
  let found: [UInt8] = [0, 0, 6, 5, 4, 3, 2, 0xC1, 2, 0xC4, 0, 0, 0, 0, UInt8(data.count), 0] + data
  return [0x2F, 0, 0, 0, UInt8(found.count), 0] + found
}

let uuid: [UInt8] = [
  0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10, 0x96, 0xE0,
]
let own: [UInt8] = [2, 1, 6, 0x1A, 0xFF, 0x4C, 0, 2, 0x15] + uuid + [0, 1, 0, 7, 0xC5]
let foreign: [UInt8] = [2, 1, 6, 0x1A, 0xFF, 0x4C, 0, 2, 0x15] + uuid.reversed() + [0, 1, 0, 7, 0xC5]
let phone: [UInt8] = [2, 1, 0x1A, 2, 10, 12, 0x0B, 0xFF, 0x4C, 0, 0x10, 6, 1, 2, 3, 4, 5, 6]

// A thousand regions, each with its own beacon, and the one that is heard.
let wanted =
  (0..<1000).compactMap {
    BeaconIdentity(uuid: "F7826DA6-4FA2-4E98-8024-BC5B71E0\($0 + 1000)", major: 1, minor: 1)
  } + [BeaconIdentity(uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")].compactMap { $0 }
let match = BeaconMatch(wanted)
let rounds = 1_000_000
var radio = BeaconRadio()

for (name, data) in [("a phone", phone), ("a foreign iBeacon", foreign), ("one of ours", own)] {
  let bytes = packet(data)
  var hits = 0
  let begin = SystemClock.read().instant
  bytes.withUnsafeBytes { buffer in
    for round in 0..<rounds {
      guard let advertisement = BluetoothManagement.advertisement(buffer) else { continue }
      radio.heard(
        isReadable: BeaconFrame.isReadable(advertisement.data), at: Instant(nanoseconds: Int64(round)))
      guard let sighting = advertisement.sighting, match.contains(sighting.beacon) else { continue }
      hits += 1
    }
  }
  let span = SystemClock.read().instant - begin
  print("\(name): \(span.nanoseconds / Int64(rounds)) ns (\(hits) wanted)")
}
