import Model
import OwnTracks

/// Lines of a timeline that a Bluetooth radio answers for.
extension TimelineReader {
  func sighting(_ value: JSON) throws(ReplayError) -> Sighting {
    let keys = ["uuid", "major", "minor", "power", "rssi", "address"]
    if let unknown = value.members?.first(where: { !keys.contains($0.key) }) {
      throw refusal("advert.\(unknown.key): not known, expected \(keys.joined(separator: ", "))")
    }
    guard let uuid = value["uuid"]?.text.flatMap({ BeaconUUID($0) }) else {
      throw refusal("advert.uuid: \(shown(value["uuid"])), expected 8-4-4-4-12 hexadecimal digits")
    }
    let beacon = BeaconNumber(
      uuid: uuid, major: UInt16(try number("major", value, 0...65_535, standard: 0)),
      minor: UInt16(try number("minor", value, 0...65_535, standard: 0)))
    // 0 and 127 are what a radio reports that did not measure.
    let rssi = try number("rssi", value, -128...127, standard: 127)
    return Sighting(
      beacon: beacon, power: Int8(try number("power", value, -128...127, standard: -59)),
      rssi: rssi == 0 || rssi == 127 ? nil : Int8(rssi), address: try address(value["address"]))
  }

  /// `up` or `down`; `sharesAntenna` says that WiFi uses the same one.
  func scanner(_ value: JSON, _ line: JSON) throws(ReplayError) -> ScannerState {
    guard let word = value.text, ["up", "down"].contains(word) else {
      throw refusal("scanner: \(shown(value)), expected \"up\" or \"down\"")
    }
    guard let flag = (line["sharesAntenna"] ?? false).flag else {
      throw refusal("sharesAntenna: \(shown(line["sharesAntenna"])), expected true or false")
    }
    return ScannerState(isHearing: word == "up", sharesAntenna: flag)
  }

  private func number(
    _ key: String, _ value: JSON, _ range: ClosedRange<Int>, standard: Int
  ) throws(ReplayError) -> Int {
    guard let member = value[key] else { return standard }
    guard let number = member.int, range.contains(number) else {
      throw refusal(
        "advert.\(key): \(shown(member)), expected a whole number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return number
  }

  private func address(_ value: JSON?) throws(ReplayError) -> UInt64 {
    guard let value else { return 0 }
    let pairs = value.text?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    let bytes = pairs.compactMap { $0.utf8.count == 2 ? UInt8($0, radix: 16) : nil }
    guard pairs.count == 6, bytes.count == 6 else {
      throw refusal("advert.address: \(shown(value)), expected six hexadecimal pairs with colons")
    }
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
