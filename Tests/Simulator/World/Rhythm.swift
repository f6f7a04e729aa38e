import Model

/// When a beacon sends, by the radio's seconds.
struct Rhythm {
  /// Seconds from one packet to the next: slow ones spare their battery.
  var interval = 1
  /// It falls silent for the last so many of every so many seconds.
  var nap: (every: Int, silent: Int)?

  func isSending(at second: Int) -> Bool {
    guard second % interval == 0 else { return false }
    return nap.map { second % $0.every < $0.every - $0.silent } ?? true
  }
}

/// A door that falls shut between the vehicle and the beacons around it: what they send is heard faintly, if at all.
struct Doors {
  /// dB: what is heard through it is below every threshold that people set here.
  private static let thickness = 55.0

  private var dice: Dice
  /// Seconds.
  private var shutFor = 0

  init(dice: Dice) { self.dice = dice }

  /// Once a second. How much weaker everything is in this one, dB.
  mutating func turn(isNear: Bool) -> Double {
    if shutFor > 0 {
      shutFor -= 1
    } else if isNear, dice.chance(0.008) {
      shutFor = Int(dice.spread(30, 900))
    }
    return shutFor > 0 ? Self.thickness : 0
  }
}

extension Radio {
  /// Beside one of the beacons lies a second one, of the same major number: slow, and never silent for long. The other
  /// one is, now and then. False: there is no such pair here.
  mutating func pair(_ dice: Dice) -> Bool {
    var dice = dice
    guard !beacons.isEmpty, dice.chance(0.35) else { return false }
    pair(dice.whole(0...beacons.count - 1), interval: dice.whole(40...55), &dice)
    return true
  }

  private mutating func pair(_ index: Int, interval: Int, _ dice: inout Dice) {
    var slow = beacons[index]
    slow.number.minor += 1
    slow.rhythm.interval = interval
    beacons[index].rhythm.nap = (every: dice.whole(100...240), silent: dice.whole(40...80))
    beacons.append(slow)
  }

  /// Several beacons make up the region of this one, each with a rhythm of its own.
  func isPaired(_ identity: BeaconIdentity) -> Bool {
    beacons.count { identity.matches($0.number) } > 1
  }

  /// Somebody else's beacon lies where another one of ours does, with the number of ours but for the last part. Nobody
  /// asked the radio for it, and a filter by UUID lets it through all the same. False: there is none.
  mutating func drawStranger(_ dice: Dice) -> Bool {
    var dice = dice
    guard beacons.count > 1, dice.chance(0.25) else { return false }
    let ours = dice.whole(0...beacons.count - 1)
    var stranger = beacons[ours]
    stranger.number.minor += 1
    stranger.place = beacons[(ours + 1) % beacons.count].place
    stranger.isStranger = true
    beacons.append(stranger)
    return true
  }

  /// The whole number of the one of ours that is meant; a fleet stays a fleet.
  func named(_ identity: BeaconIdentity) -> BeaconIdentity {
    guard identity.major != nil else { return identity }
    var whole = identity
    whole.minor = beacons.first { !$0.isStranger && identity.matches($0.number) }?.number.minor
    return whole
  }
}
