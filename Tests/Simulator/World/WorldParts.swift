import Model
import Timebase

/// The board, and the vehicle that it is built into.
struct Board {
  var clock = BoardClock()
  var isPowered = false
  var boots = 0
  var battery = Battery(level: 80, state: .unplugged)
  /// As far as it is wired.
  var ignition = false
  var voltage: Voltage
  /// When the clock of the board switches it on; nil: no alarm is set.
  var alarm: Instant?
}

/// What the radio hears.
struct Air {
  var radio: Radio
  var wanderers: Wanderers
  /// Whether the radio hangs when a beacon is about to be lost.
  var dice: Dice
}

/// Those who configure the board, order it about and look after it.
final class People {
  var scenario: Scenario
  var insistence: Insistence
  var orders = Orders()
  /// Somebody will clear the queue.
  var wantsClear = false
  var lines: UInt64 = 0
  var restlessness: Restlessness
  var distress: Distress

  init(_ scenario: Scenario, seed: UInt64, isPlain: Bool) {
    self.scenario = scenario
    insistence = Insistence(dice: Dice(seed: seed, for: "insistence"), isPresent: isPlain)
    restlessness = Restlessness(dice: Dice(seed: seed, for: "restless"))
    distress = Distress(dice: Dice(seed: seed, for: "distress"), isPresent: isPlain)
  }
}

/// When what kind of time begins: faults strike, then everything that is owed arrives, and then it goes quiet.
struct Phases {
  let faultsEnd: Instant
  let rest: Instant
  let end: Instant
  /// The faults are over.
  var isCalm = false

  /// `length`: seconds.
  init(_ length: Double) {
    faultsEnd = .zero + .seconds(max(600, length))
    // Two pings and what a slow line needs for a backlog.
    rest = faultsEnd + .seconds(2400)
    end = rest + .seconds(180)
  }
}

/// How often what goes wrong, and who draws it.
final class Faults {
  var rates: Rates
  var dice: Dice
  /// When fixes become vague.
  var hazeDice: Dice

  init(_ rates: Rates, seed: UInt64) {
    self.rates = rates
    dice = Dice(seed: seed, for: "faults")
    hazeDice = Dice(seed: seed, for: "spells")
  }
}
