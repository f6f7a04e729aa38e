import Model
import Timebase

/// iBeacons that belong to no region, for people who want to make a region of one. Kept only while somebody
/// looks.
public struct BeaconStrangers: Hashable, Sendable {
  /// A crowd of forged ones must not take memory: of the faintest, the one heard longest ago makes room.
  public static let most = 32

  public struct Stranger: Hashable, Sendable {
    public var beacon: BeaconNumber
    public var power: Int8
    /// dBm, the strongest of the last few; nil: the radio does not say.
    public var rssi: Int8?
    public var last: Instant
    public var count = 1
  }

  public private(set) var all: [Stranger] = []

  mutating func heard(_ sighting: Sighting, at now: Instant) {
    if let index = all.firstIndex(where: { $0.beacon == sighting.beacon }) {
      all[index].rssi = sighting.rssi ?? all[index].rssi
      all[index].last = now
      all[index].count &+= 1
      return
    }
    let stranger = Stranger(beacon: sighting.beacon, power: sighting.power, rssi: sighting.rssi, last: now)
    guard all.count >= Self.most else { return all.append(stranger) }
    guard let victim = all.indices.min(by: { Self.yields(all[$0], to: all[$1]) }),
      Self.yields(all[victim], to: stranger)
    else { return }
    all[victim] = stranger
  }

  private static func yields(_ left: Stranger, to right: Stranger) -> Bool {
    let (near, far) = (left.rssi ?? -128, right.rssi ?? -128)
    return near == far ? left.last < right.last : near < far
  }

  mutating func forget() { all = [] }
}
