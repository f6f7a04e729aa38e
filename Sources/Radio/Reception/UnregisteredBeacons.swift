import Model
import Timebase

/// iBeacons that belong to no region, for people who want to make a region of one. Kept only while a person
/// looks.
public struct UnregisteredBeacons: Hashable, Sendable {
  /// A crowd of forged ones must not take memory: of the faintest, the one heard longest ago makes room.
  public static let limit = 32

  /// One of them.
  public struct Entry: Hashable, Sendable {
    /// UUID, major and minor.
    public var beacon: BeaconNumber
    /// dBm at one metre, as the beacon claims.
    public var power: Int8
    /// dBm, of the latest advertisement that says it; nil: the radio does not say.
    public var rssi: Int8?
    /// When it was last heard.
    public var last: Instant
    /// Advertisements since people began to look.
    public var count = 1
  }

  /// At most `limit`, in the order in which they were first heard.
  public private(set) var all: [Entry] = []

  mutating func heard(_ sighting: Sighting, at now: Instant) {
    if let index = all.firstIndex(where: { $0.beacon == sighting.beacon }) {
      all[index].rssi = sighting.rssi ?? all[index].rssi
      all[index].last = now
      all[index].count &+= 1
      return
    }
    let entry = Entry(beacon: sighting.beacon, power: sighting.power, rssi: sighting.rssi, last: now)
    guard all.count >= Self.limit else { return all.append(entry) }
    guard let victim = all.indices.min(by: { Self.gives(all[$0], wayTo: all[$1]) }),
      Self.gives(all[victim], wayTo: entry)
    else { return }
    all[victim] = entry
  }

  private static func gives(_ left: Entry, wayTo right: Entry) -> Bool {
    let (near, far) = (left.rssi ?? -128, right.rssi ?? -128)
    return near == far ? left.last < right.last : near < far
  }

  mutating func forget() { all = [] }
}
