import Model

/// Beacons at some of the stops, and the radio that hears them: an advertisement a second where the
/// vehicle is near enough.
struct Radio {
  struct Beacon {
    var number: BeaconNumber
    var place: Point
    var rhythm = Rhythm()
    var isStranger = false
  }

  /// Heard up to here, and surely heard up to there; metres.
  static let reach = 55.0

  private var dice: Dice
  var beacons: [Beacon] = []
  /// Nil: nothing ever falls shut.
  var doors: Doors?
  private var seconds = 0
  var isHung = false
  /// The same chip serves WiFi.
  private let sharesAntenna: Bool
  var plan = ScanPlan.off { didSet { isWanted = [:] } }
  /// Of each beacon, whether the plan wants it: to find out means to read the texts of UUIDs.
  private var isWanted: [BeaconNumber: Bool] = [:]

  private static let uuid = BeaconUUID(high: 0xCA27_1EAE_5FA8_4E80, low: 0x8F08_2A30_2A95_A959)

  init(dice: Dice, stops: [Point], sharesAntenna: Bool) {
    self.dice = dice
    self.sharesAntenna = sharesAntenna
    for (number, stop) in stops.enumerated() where self.dice.chance(0.4) {
      let beacon = BeaconNumber(uuid: Self.uuid, major: UInt16(number + 1), minor: 7)
      beacons.append(Beacon(number: beacon, place: stop))
    }
  }

  var state: ScannerState { ScannerState(isHearing: !isHung, sharesAntenna: sharesAntenna) }

  /// Where it listens to neither the full nor a rest's little, percent.
  func duty(beside network: Network) -> Int { sharesAntenna && network.isInTwoGigahertzBand ? 30 : 100 }

  mutating func put(_ index: Int, at place: Point) { beacons[index].place = place }

  /// What the radio hears in this second.
  mutating func beat(at place: Point, _ rates: Rates, note: (Fault) -> Void) -> [Sighting] {
    seconds += 1
    let isNear = beacons.contains { $0.place.distance(to: place) < Self.reach / 2 }
    let damping = doors?.turn(isNear: isNear) ?? 0
    guard !isHung, plan.duty > 0 else { return [] }
    var heard: [Sighting] = []
    for beacon in beacons where beacon.rhythm.isSending(at: seconds) {
      let metres = max(1, beacon.place.distance(to: place))
      guard metres < Self.reach, beacon.isStranger || isWanted(beacon.number) else { continue }
      guard dice.chance(Double(plan.duty) / 100 * 0.9) else { continue }
      guard !dice.chance(rates[.advertLost]) else {
        note(.advertLost)
        continue
      }
      let rssi = -59 - 12 * (metres / 10) + dice.bell() * 5 - damping
      heard.append(
        Sighting(
          beacon: beacon.number, power: -59, rssi: Int8(max(-110, min(-30, rssi))), address: 0x11_22_33))
    }
    return heard
  }

  private mutating func isWanted(_ number: BeaconNumber) -> Bool {
    if let known = isWanted[number] { return known }
    let wanted = plan.wanted.contains { $0.matches(number) }
    isWanted[number] = wanted
    return wanted
  }

  /// Regions that people would make of these beacons.
  var identities: [(name: String, beacon: BeaconIdentity, place: Point)] {
    beacons.lazy.filter { $0.rhythm.interval == 1 && !$0.isStranger }.compactMap { beacon in
      BeaconIdentity(uuid: beacon.number.uuid.text, major: beacon.number.major).map {
        ("Beacon \(beacon.number.major)", $0, beacon.place)
      }
    }
  }
}
