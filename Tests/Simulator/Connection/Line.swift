/// The way from the board to the broker, the broker, and what happens on that way.
final class Line {
  /// A message that a connection ended over, and the process that sent it.
  struct Alone: Equatable {
    var life: Int
    var sequence: UInt64
  }

  var wire = Wire()
  var server = Server()
  var way: Way
  var rival: Rival
  var neverTaken: NeverTaken
  var hiccup: OneFailedSend
  /// Connections and requests so far.
  var connections = 0
  var requests: Int32 = 0
  /// What the last connection ended over, where that was one message.
  var lastAlone: Alone?

  var wireDice: Dice
  /// Resets, quotas and messages that connections end over.
  var dice: Dice
  /// How many acknowledgements come with one wake-up.
  var answerDice: Dice
  /// From CONNECT to the last SUBACK, and who tries whether the board obeys.
  var handshakeDice: Dice
  /// Whether a broker is mute from the greeting on.
  var muteDice: Dice

  /// `isPlain`: nothing is wrong on purpose.
  init(seed: UInt64, handshake: Dice, isPlain: Bool) {
    handshakeDice = handshake
    way = Way(dice: Dice(seed: seed, for: "way"))
    rival = Rival(dice: Dice(seed: seed, for: "rival"), isPresent: isPlain)
    neverTaken = NeverTaken(dice: Dice(seed: seed, for: "stuck"), mayBe: isPlain)
    hiccup = OneFailedSend(dice: Dice(seed: seed, for: "hiccup"))
    wireDice = Dice(seed: seed, for: "wire")
    dice = Dice(seed: seed, for: "line")
    answerDice = Dice(seed: seed, for: "answers")
    muteDice = Dice(seed: seed, for: "mute")
  }

  /// What makes it another one.
  var changes: Int { wire.changes + server.pauses }
}
