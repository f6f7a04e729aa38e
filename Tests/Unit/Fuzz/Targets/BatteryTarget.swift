import Model
import OwnTracks

/// What a script writes of a battery; and the same bytes as the keys that say where it is.
enum BatteryTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    do {
      let battery = try BatteryText.parse(Array(input))
      claim((0...100).contains(battery.level), "a level of \(battery.level)")
    } catch {
      Claim.isPlain(error.description, "battery")
    }
    let text = String(decoding: input, as: UTF8.self)
    switch BatterySource(text) {
    case .max17040(let place), .ina219(let place, _):
      claim((0...255).contains(place.bus) && (8...0x77).contains(place.address), "\(place) is no place")
    case .file(let path): claim(path.first == "/" && !path.contains("\0"), "\(path) is no path")
    case .command(let words): claim(words.first?.first == "/", "\(words) is no program")
    case .auto, nil: break
    }
    guard let table = VoltageTable(text) else { return }
    for volts in [-1.0, 0, 3.3, 12.6, 1e9] {
      claim((0...100).contains(table.percent(at: volts)), "\(table.percent(at: volts)) % of \(volts) V")
    }
  }
}
