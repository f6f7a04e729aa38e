/// The input that signals a power failure, as the key `powerFailInput` has it.
public enum PowerFailSource: WrittenValue {
  /// A power supply of the kernel, by its name in /sys/class/power_supply, that goes off line.
  case supply(String)
  /// A line of /dev/gpiochipN that becomes active: goes high, or low.
  case gpio(chip: Int, line: Int, isActiveLow: Bool)

  /// Nil: it is neither.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    switch parts[0] {
    case "supply":
      guard parts.count == 2, Self.isName(parts[1]) else { return nil }
      self = .supply(parts[1])
    case "gpio":
      guard (3...4).contains(parts.count), let chip = Self.number(parts[1]), let line = Self.number(parts[2]),
        parts.count == 3 || parts[3] == "low"
      else { return nil }
      self = .gpio(chip: chip, line: line, isActiveLow: parts.count == 4)
    default: return nil
    }
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.first != "." && !text.contains("/") && !text.contains("\0")
  }

  private static func number(_ text: String) -> Int? {
    DecimalText.whole(text).flatMap { (0...1023).contains($0) ? $0 : nil }
  }
}
