import Timebase

/// How far away one physical beacon seems to be, to tell.
public struct BeaconReport: Hashable, Sendable {
  /// The numbers that were heard, never the wildcards of a region.
  public var beacon: BeaconNumber
  /// Metres, estimated.
  public var distance: Double
  /// dBm, mean of the last second.
  public var rssi: Int
  /// When it was heard.
  public var time: WallTime
  /// The region that it belongs to; nil: that is nobody's business.
  public var region: String?

  /// Made by the tracker once the estimate is worth telling.
  public init(beacon: BeaconNumber, distance: Double, rssi: Int, time: WallTime, region: String?) {
    self.beacon = beacon
    self.distance = distance
    self.rssi = rssi
    self.time = time
    self.region = region
  }
}
