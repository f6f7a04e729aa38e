/// Battery level by voltage: `3.3:0 3.7:50 4.2:100`, volts and percent, both growing.
public struct VoltageTable: WrittenValue {
  /// One pair of the table.
  public struct Point: Hashable, Sendable {
    /// 0...1000; more than at the point before.
    public var volts: Double
    /// 0...100; no less than at the point before.
    public var percent: Double
  }

  /// Two at least, growing.
  public var points: [Point] = []

  /// Nil: fewer than two pairs, or one that does not grow, or percent beyond 0 to 100.
  public init?(_ text: String) {
    for pair in text.split(separator: " ") {
      let numbers = pair.split(separator: ":").map { DecimalText.number(String($0)) }
      guard numbers.count == 2, let volts = numbers[0], let percent = numbers[1], (0...100).contains(percent),
        (0...1000).contains(volts)
      else { return nil }
      if let last = points.last, volts <= last.volts || percent < last.percent { return nil }
      points.append(Point(volts: volts, percent: percent))
    }
    guard points.count >= 2 else { return nil }
  }

  /// On the straight line between the two nearest points; beyond the ends as at the end.
  public func percent(at volts: Double) -> Double {
    guard let first = points.first, volts > first.volts else { return points.first?.percent ?? 0 }
    for (low, high) in zip(points, points.dropFirst()) where volts <= high.volts {
      return low.percent + (high.percent - low.percent) * (volts - low.volts) / (high.volts - low.volts)
    }
    return points.last?.percent ?? 0
  }
}
