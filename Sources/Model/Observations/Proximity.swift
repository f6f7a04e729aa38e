#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Classes of a beacon's distance; the raw value is `prox` on the wire.
public enum Proximity: Int, Hashable, Sendable {
  /// Nearer than half a metre.
  case immediate = 1
  /// Nearer than four metres.
  case near = 2
  /// Four metres and more.
  case far = 3

  /// `metres` as estimated: not negative.
  public init(metres: Double) {
    self = metres < 0.5 ? .immediate : metres < 4 ? .near : .far
  }

  /// Metres at which a signal of `power` dBm at 1 m has faded to `rssi`: rssi = power - 10 n log10 d.
  /// `exponent` is n, 2 in the open. Some beacons send their transmit power in place of what is left of it at 1 m; what
  /// no radio has there is taken for `usual`. Beyond a thousand kilometres nobody counts.
  public static func metres(rssi: Double, power: Double, exponent: Double) -> Double {
    min(pow(10, ((power > strongest ? usual : power) - rssi) / (10 * exponent)), 1e6)
  }

  /// dBm at 1 m: more than the chips of beacons can send, and what most are set to.
  static let (strongest, usual) = (-20.0, -59.0)
}
