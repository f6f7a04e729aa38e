import Model
import Timebase

/// In some worlds somebody calls for help now and then, and somebody acknowledges it a while later.
struct Distress {
  private var dice: Dice
  /// Each second: that somebody calls, and that an open call is acknowledged.
  private let chances: (call: Double, acknowledge: Double)
  /// Whether the board has a button for it; others type it.
  let hasButton: Bool
  /// When the button is let go; nil: nobody holds it.
  private(set) var heldUntil: Instant?

  init(dice: Dice, isPresent: Bool) {
    self.dice = dice
    let isPresent = self.dice.chance(0.25) && isPresent
    chances = isPresent ? (self.dice.spread(0.0002, 0.002), self.dice.spread(0.0002, 0.02)) : (0, 0)
    hasButton = self.dice.chance(0.6) && isPresent
  }

  var isPresent: Bool { chances.call > 0 }

  fileprivate mutating func calls() -> Bool { dice.chance(chances.call) }
  fileprivate mutating func acknowledges() -> Bool { dice.chance(chances.acknowledge) }
  fileprivate mutating func isByCommand() -> Bool { dice.chance(0.3) }

  /// Most hold it for long enough.
  fileprivate mutating func press(at now: Instant) { heldUntil = now + dice.span(0.3, 6) }
  mutating func letGo() { heldUntil = nil }
}

extension World {
  /// Once a second.
  func callForHelp() {
    guard people.distress.isPresent, let tracker = working else { return }
    if let until = people.distress.heldUntil, until <= now {
      people.distress.letGo()
      wake(.sosLine(false))
    }
    let isOpen = tracker.status(at: moment).journey.sos != nil
    if isOpen, isCalm || people.distress.acknowledges() {
      guard !isCalm, people.distress.isByCommand() else { return control(.sos(isAcknowledged: true)) }
      tell("ordered over the network: acknowledgeSos")
      _ = publish(.acknowledgeSOS, isProbe: false)
    } else if !isCalm, people.distress.heldUntil == nil, people.distress.calls() {
      guard people.distress.hasButton else { return control(.sos(isAcknowledged: false)) }
      tell("a person presses the button that calls for help")
      people.distress.press(at: now)
      wake(.sosLine(true))
    }
  }
}
