/// The 16 bytes of a beacon's UUID as two words, so that hearing one costs no memory.
public struct BeaconUUID: Hashable, Sendable {
  /// Bytes 0 to 7, the first one highest.
  public var high: UInt64
  /// Bytes 8 to 15, the first one highest.
  public var low: UInt64

  /// Every pair of words is a UUID.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Nil when `text` is not 8-4-4-4-12 hexadecimal, in either case.
  public init?(_ text: String) {
    guard BeaconIdentity.isUUID(text) else { return nil }
    var words: [UInt64] = [0, 0]
    var digits = 0
    for byte in text.utf8 where byte != UInt8(ascii: "-") {
      let digit = byte < 58 ? byte - 48 : (byte | 32) - 87
      words[digits / 16] = words[digits / 16] << 4 | UInt64(digit)
      digits += 1
    }
    self.init(high: words[0], low: words[1])
  }

  /// Upper-case 8-4-4-4-12 text, as messages carry it.
  public var text: String {
    var text = ""
    for (word, hyphens) in [(high, [8, 12]), (low, [0, 4])] {
      for digit in 0..<16 {
        if hyphens.contains(digit) { text += "-" }
        text += String(word >> UInt64(60 - 4 * digit) & 15, radix: 16, uppercase: true)
      }
    }
    return text
  }
}

/// One physical beacon, as its advertisement names it.
public struct BeaconNumber: Hashable, Sendable {
  /// Common to all beacons of one owner, or of one kind.
  public var uuid: BeaconUUID
  /// 0...65535, as it is on the air: 0 is no wildcard here.
  public var major: UInt16
  /// 0...65535.
  public var minor: UInt16

  /// The numbers of an advertisement.
  public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
  }
}

/// One iBeacon advertisement, as it was heard.
public struct Sighting: Hashable, Sendable {
  /// Whose it is; whether anybody wants it is not decided here.
  public var beacon: BeaconNumber
  /// The frame's own figure for its strength at 1 m, dBm.
  public var power: Int8
  /// Received strength, dBm; nil: the radio did not say (0 and 127 on the air mean that).
  public var rssi: Int8?
  /// The sender's Bluetooth address, 48 bits, the first byte as written highest. Random ones change.
  public var address: UInt64

  /// Contents of one advertisement, and how it was received.
  public init(beacon: BeaconNumber, power: Int8, rssi: Int8?, address: UInt64) {
    self.beacon = beacon
    self.power = power
    self.rssi = rssi
    self.address = address
  }
}

/// The beacons to listen for, and how hard the radio may work for them.
public struct ScanPlan: Hashable, Sendable {
  /// Sightings that match one of these are reported; none: the radio rests.
  public var wanted: [BeaconIdentity]
  /// Share of the time that the receiver may listen, percent, 1...100; 0: it rests.
  public var duty: Int

  /// `duty` in percent; 0 where `wanted` is empty.
  public init(wanted: [BeaconIdentity], duty: Int) {
    self.wanted = wanted
    self.duty = duty
  }

  /// Nothing is wanted and the radio rests.
  public static let off = ScanPlan(wanted: [], duty: 0)
}

/// The radio's abilities at this moment.
public struct ScannerState: Hashable, Sendable {
  /// Advertisements can arrive: an adapter is there, powered, and scanning as planned (a plan that lets it
  /// rest counts as that). While false, a beacon's silence means nothing.
  public var isHearing: Bool
  /// The same chip and antenna serve WiFi: both suffer when one takes it all.
  public var sharesAntenna: Bool

  /// An adapter whose antenna is its own, unless said otherwise.
  public init(isHearing: Bool, sharesAntenna: Bool = false) {
    self.isHearing = isHearing
    self.sharesAntenna = sharesAntenna
  }
}

extension BeaconIdentity {
  /// Whether the beacon belongs here. Reads the UUID's text: hot paths keep the words instead.
  public func matches(_ beacon: BeaconNumber) -> Bool {
    guard BeaconUUID(uuid) == beacon.uuid else { return false }
    guard let major else { return true }
    return major == beacon.major && (minor ?? beacon.minor) == beacon.minor
  }
}
