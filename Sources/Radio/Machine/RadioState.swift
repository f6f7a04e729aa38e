import Model
import Timebase

extension BeaconRadio {
  /// Until a fault that nothing else ends is looked at again.
  static let retry = Span.minutes(1)
  /// For a stranger to be heard, once strangers are let through.
  static let doubt = Span.seconds(2)

  /// The states of the machine, drawn at `BeaconRadio`.
  enum State: Hashable {
    case resting
    case asking(Question, until: Instant)
    case waiting(until: Instant)
    case hearing
    case pausing(until: Instant)
    /// Silent for long: is any sender there, at least a stranger?
    case doubting(until: Instant)
  }

  /// The next wish of a part of the machine.
  enum Outcome: Hashable {
    case proceed
    case hear
    case ask(Question)
    /// Later; why, where people have to know.
    case wait(Span, String? = nil)
    /// It does not hear, and is looked at later; why.
    case failed(Span = BeaconRadio.retry, String? = nil)
    /// The trouble, and the first step that makes sense.
    case escalate(RecoveryEscalation.Step, String)
  }

  struct Settings: Hashable, Sendable {
    /// Nil: any adapter.
    var address: UInt64?
    var method = Configuration.ScanMethod.auto
  }
}
