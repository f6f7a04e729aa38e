import Model

/// Parses the mode switch and the follow time in a region's name (docs/behaviour.md, "Kinds and names").
enum RegionName {
  /// Modes to switch to; nil: that side changes nothing.
  struct Switch: Hashable {
    var onEnter: MonitoringMode?
    var onLeave: MonitoringMode?
  }

  /// `Name|in|out`: exactly three parts, each side one of -1, 0, 1, 2.
  static func modeSwitch(in name: String) -> Switch? {
    let parts = name.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    return Switch(
      onEnter: Int(parts[1]).flatMap(MonitoringMode.init(rawValue:)),
      onLeave: Int(parts[2]).flatMap(MonitoringMode.init(rawValue:)))
  }

  /// Of `+60follow` 60, of `+1.5x` 1.5; 30 where no positive number leads.
  static func followSeconds(in name: String) -> Double {
    let number = name.dropFirst().prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let (whole, fraction) = digits(number)
    let seconds = whole + fraction
    return seconds > 0 && seconds.isFinite ? seconds : 30
  }

  /// Read by hand: the standard library's own parser would bring the C locale's in.
  private static func digits(_ text: Substring) -> (whole: Double, fraction: Double) {
    var whole = 0.0
    var fraction = 0.0
    var scale: Double?
    for character in text {
      guard let digit = character.wholeNumberValue else {
        guard scale == nil else { break }
        scale = 0.1
        continue
      }
      if let place = scale {
        fraction += Double(digit) * place
        scale = place / 10
      } else {
        whole = whole * 10 + Double(digit)
      }
    }
    assert(whole >= 0 && (0..<1.0001).contains(fraction), "\(whole) and \(fraction)")
    return (whole, fraction)
  }
}
