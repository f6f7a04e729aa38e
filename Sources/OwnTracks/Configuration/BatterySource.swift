import Model

/// Where the battery's level comes from, as the key `batterySource` says it.
public enum BatterySource: Hashable, Sendable {
  /// The kernel's own power supplies.
  case auto
  /// A fuel gauge MAX17040, or one of its family that counts the same way (MAX17041, 43, 44, 48, 49).
  case max17040(I2CPlace)
  /// A current and voltage meter INA219 between charger and battery. `isReversed`: it was soldered in the
  /// other way round, so that a current above 0 leaves the battery.
  case ina219(I2CPlace, isReversed: Bool)
  /// A file that somebody else writes.
  case file(String)
  /// A program and its arguments; what it prints.
  case command([String])

  /// A chip on a bus of the board.
  public struct I2CPlace: Hashable, Sendable, CustomStringConvertible {
    /// 0...255.
    public var bus: Int
    /// Seven bits, 0x08...0x77.
    public var address: UInt8

    /// Not checked: texts are, by `BatterySource(_:)`.
    public init(bus: Int, address: UInt8) {
      self.bus = bus
      self.address = address
    }

    /// Path of the bus.
    public var device: String { "/dev/i2c-\(bus)" }
    public var description: String { "\(device), address 0x\(String(address, radix: 16))" }
  }

  /// Nil: it is none of these.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let argument = text.drop { $0 != ":" }.dropFirst()
    switch parts[0] {
    case "auto" where parts.count == 1: self = .auto
    case "max17040":
      guard let place = Self.place(parts.dropFirst(), usually: 0x36) else { return nil }
      self = .max17040(place)
    case "ina219":
      let isReversed = parts.count > 1 && parts.last == "reversed"
      let rest = isReversed ? parts.dropFirst().dropLast() : parts.dropFirst()
      guard let place = Self.place(rest, usually: 0x40) else { return nil }
      self = .ina219(place, isReversed: isReversed)
    case "file" where argument.first == "/" && !argument.contains("\0"): self = .file(String(argument))
    case "command" where argument.first == "/" && !argument.contains("\0"):
      self = .command(argument.split(separator: " ").map(String.init))
    default: return nil
    }
  }

  private static func place(_ parts: ArraySlice<String>, usually address: UInt8) -> I2CPlace? {
    let parts = Array(parts)
    guard parts.count <= 2 else { return nil }
    var place = I2CPlace(bus: 1, address: address)
    if let bus = parts.first {
      guard let number = DecimalText.whole(bus), (0...255).contains(number) else { return nil }
      place.bus = number
    }
    if parts.count > 1 {
      let digits = parts[1].hasPrefix("0x") ? parts[1].dropFirst(2) : parts[1][...]
      // The other addresses mean something else to the bus itself.
      guard let number = UInt8(digits, radix: 16), (0x08...0x77).contains(number) else { return nil }
      place.address = number
    }
    return place
  }
}

/// What a battery's voltage says about its level: `3.3:0 3.7:50 4.2:100`, volts and percent, both growing.
public struct VoltageTable: Hashable, Sendable {
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

/// What files and programs say of a battery: `57 Discharging`, or `{"level":57,"status":"Charging"}`.
public enum BatteryText {
  /// In plain words, of what was found and what was expected.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// Longer ones are read by nobody.
  public static let limit = 4096

  /// Throws where there is no level from 0 to 100, or a state that the kernel does not know.
  public static func parse(_ bytes: [UInt8]) throws(Refusal) -> Battery {
    guard bytes.count <= limit else { throw refusal("\(bytes.count) bytes") }
    let text = String(decoding: bytes, as: UTF8.self)
    let isSpace: (Character) -> Bool = { $0.isWhitespace }
    if text.first(where: { !isSpace($0) }) == "{" { return try object(bytes) }
    let words = text.split(whereSeparator: isSpace)
    guard let first = words.first else { throw refusal("nothing") }
    let number = DecimalText.number(String(first.last == "%" ? first.dropLast() : first))
    return Battery(
      level: try level(number, text), state: try state(words.dropFirst().joined(separator: " "), text))
  }

  private static func object(_ bytes: [UInt8]) throws(Refusal) -> Battery {
    let json: JSON
    do {
      json = try JSON.parse(bytes)
    } catch {
      throw Refusal(description: "no JSON: \(error)")
    }
    let number = json["level"].flatMap { $0.double ?? $0.text.flatMap { DecimalText.number($0) } }
    let level = try level(number, json.description)
    return Battery(level: level, state: try state(json["status"]?.text ?? "", json.description))
  }

  private static func level(_ number: Double?, _ text: String) throws(Refusal) -> Int {
    guard let number, (0...100).contains(number) else { throw refusal(text) }
    return Int(number.rounded())
  }

  /// In the kernel's words.
  private static func state(_ word: String, _ text: String) throws(Refusal) -> Battery.State {
    switch word.lowercased() {
    case "discharging", "not charging", "unplugged": .unplugged
    case "charging": .charging
    case "full": .full
    case "", "unknown": .unknown
    default: throw refusal(text)
    }
  }

  private static func refusal(_ text: String) -> Refusal {
    let words = text.split { $0.isWhitespace }.joined(separator: " ")
    let shown = ConfigurationFile.brief(words).plainLine
    return Refusal(
      description: "\(shown.isEmpty ? "nothing" : shown), expected a level from 0 to 100 and Charging, "
        + "Discharging, Full or Unknown, such as: 57 Discharging")
  }
}
