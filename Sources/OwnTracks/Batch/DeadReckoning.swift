/// Where speed and course have carried the board between two messages, by whole numbers alone: a reader on another
/// machine has to come to the very same.
struct DeadReckoning {
  /// Sines of whole degrees, of 32,768.
  private static let sines: [Int64] = [
    0, 572, 1144, 1715, 2286, 2856, 3425, 3993, 4560, 5126, 5690, 6252, 6813, 7371, 7927, 8481, 9032, 9580,
    10126, 10668, 11207, 11743, 12275, 12803, 13328, 13848, 14365, 14876, 15384, 15886, 16384, 16877, 17364,
    17847, 18324, 18795, 19261, 19720, 20174, 20622, 21063, 21498, 21926, 22348, 22763, 23170, 23571, 23965,
    24351, 24730, 25102, 25466, 25822, 26170, 26510, 26842, 27166, 27482, 27789, 28088, 28378, 28660, 28932,
    29197, 29452, 29698, 29935, 30163, 30382, 30592, 30792, 30983, 31164, 31336, 31499, 31651, 31795, 31928,
    32052, 32166, 32270, 32365, 32449, 32524, 32588, 32643, 32688, 32723, 32748, 32763, 32768,
  ]
  /// Speeds above are no vehicle's, and times above no guess: nothing overflows.
  private static let fastest: Int64 = 2000
  private static let longest: Int64 = 3600

  /// km/h times 32,768.
  private var north: Int64 = 0
  private var east: Int64 = 0
  private var isKnown = false

  /// Millionths of a degree since the last message; nil: not known.
  private(set) var travelled: (north: Int64, east: Int64)?

  init() {}

  /// `speed` in km/h, `course` in degrees; nil: not in the message. `latitude` in millionths of a degree, of before.
  mutating func moved(speed: Int64?, course: Int64?, latitude: Int64, seconds: Int64) {
    let before = (isKnown, north, east)
    isKnown = speed.map { 0...Self.fastest ~= $0 } ?? false
    let course = course ?? 0
    (north, east) = isKnown ? (speed! * Self.sine(course + 90), speed! * Self.sine(course)) : (0, 0)
    guard before.0, isKnown, 0...Self.longest ~= seconds else {
      travelled = nil
      return
    }
    // Half the sum of both speeds; a km/h is 2.495 millionths of a degree a second.
    let northward = ((before.1 + north) * seconds * 81_766) >> 31
    let narrowing = max(Self.sine(90 - abs(latitude) / 1_000_000), 572)
    let eastward = ((((before.2 + east) * seconds) >> 4) * 81_766 / narrowing) >> 12
    travelled = (northward, eastward)
  }

  private static func sine(_ degrees: Int64) -> Int64 {
    let turn = (degrees % 360 + 360) % 360
    switch turn {
    case 0...90: return sines[Int(turn)]
    case 91...180: return sines[Int(180 - turn)]
    case 181...270: return -sines[Int(turn - 180)]
    default: return -sines[Int(360 - turn)]
    }
  }
}
