import Model
import OwnTracks
import Storage
import Timebase
import Uplink

/// What the server does not take: for good, or for now.
extension Daemon {
  private var deadLetters: String { configuration.stateDir + "/refused.jsonl" }

  func refused(_ sequence: UInt64, by server: String, _ cause: BrokerCause) {
    // No place in the queue, nobody misses it.
    if sequence == 0 { say(.warning, "\(server) refuses a status for good: \(cause)", of: .others) }
    post(.refused(sequence, because: "\(cause)"))
  }

  /// Where it goes on, once an hour: a right that is missing may be missing for days.
  func postponed(_ sequence: UInt64, by server: String = "the broker", _ cause: BrokerCause) {
    let topic = tracker?.topic(of: sequence) ?? "no known topic"
    if traffic.isTime(for: "postponed \(topic)", at: loop.now.instant, gap: .minutes(60)) {
      say(
        .warning, "\(server) takes nothing on \(topic) for now: \(cause); it waits and is tried again",
        of: .connection)
    }
    post(.postponed(sequence))
  }

  /// The message is encrypted again, as it was when it went out.
  func keep(_ message: Message, because reason: String) {
    let server = isHTTP ? server : "the broker"
    say(
      .error,
      "\(server) refuses message \(message.sequence) for good: \(reason); it is kept in \(deadLetters)",
      of: .others)
    let published = sealing.sealed(forUplink(message))
    let letters =
      letters
      ?? DeadLetters(worker: disk, path: deadLetters) { [unowned self] event in
        if case .warning(let text) = event { say(.warning, text) }
      }
    self.letters = letters
    letters.keep(
      DeadLetter.line(
        topic: message.topic, payload: published?.payload, reason: reason, time: tracker?.wall(at: loop.now)))
  }
}
