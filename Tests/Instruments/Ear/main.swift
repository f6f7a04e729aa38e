// A scanner without a tracker: says what it hears and what becomes of the radio. For experiments and for
// tests in a machine with a Bluetooth of its own; see `usage`.
import Glibc
import Loop
import Model
import Radio
import Timebase

let usage =
  "usage: beacon-ear [--duty N] [--method M] [--adapter A] [--seconds S] [--quiet] UUID[:MAJOR[:MINOR]]..."

var settings = BeaconScanner.Settings()
var duty = 100
var seconds = 10.0
var isQuiet = false
var wanted: [BeaconIdentity] = []
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
  switch word {
  case "--duty": duty = Int(words.popFirst() ?? "") ?? 100
  case "--method": settings.method = words.popFirst().flatMap { .init(rawValue: $0) } ?? .auto
  case "--adapter": settings.adapter = words.popFirst() ?? ""
  case "--seconds": seconds = Double(words.popFirst() ?? "") ?? 10
  case "--quiet": isQuiet = true
  default:
    let parts = word.split(separator: ":")
    guard
      let identity = BeaconIdentity(
        uuid: String(parts[0]), major: parts.count > 1 ? UInt16(parts[1]) : nil,
        minor: parts.count > 2 ? UInt16(parts[2]) : nil)
    else {
      print(usage)
      exit(64)
    }
    wanted.append(identity)
  }
}

let loop = try EventLoop()
let begin = loop.now.instant
var heard: [BeaconNumber: Int] = [:]
var wakeUps = 0

/// At once: a reader must not wait for a full buffer.
@MainActor func put(_ text: String) {
  let bytes = Array((text + "\n").utf8)
  _ = write(1, bytes, bytes.count)
}

@MainActor func line(_ text: String) {
  let tenths = Int((loop.now.instant - begin).seconds * 100)
  put("\(tenths / 100).\(tenths % 100 < 10 ? "0" : "")\(tenths % 100) \(text)")
}

let access = BluetoothAccess(settings: settings)
let scanner = BeaconScanner(loop: loop, worker: nil, access: access, settings: settings) { event in
  MainActor.assumeIsolated {
    switch event {
    case .sighted(let sighting):
      heard[sighting.beacon, default: 0] += 1
      let beacon = sighting.beacon
      if !isQuiet {
        line("sighted \(beacon.uuid.text) \(beacon.major) \(beacon.minor) \(sighting.rssi ?? 0)")
      }
    case .stateChanged(let state): line("hearing \(state.isHearing) antenna \(state.sharesAntenna)")
    case .info(let text): line("info \(text)")
    case .warning(let text): line("warning \(text)")
    }
  }
}
let end = loop.makeTimer { loop.stop() }
end.set(at: begin + .seconds(seconds))
loop.afterHandlers = { MainActor.assumeIsolated { wakeUps += 1 } }
scanner.setScan(ScanPlan(wanted: wanted, duty: duty))
loop.run()
scanner.close()
for (beacon, count) in heard { put("= \(beacon.major) \(beacon.minor): \(count)") }
put("= wake-ups \(wakeUps), counters \(scanner.counters)")
