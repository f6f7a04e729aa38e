import Model
import Timebase

/// Everything that can happen to a tracker. Adapters post these; nothing else gets in.
public enum Event: Sendable {
  /// The receiver said where it is, or that it does not know.
  case reading(Reading)
  /// gpsd was reached, or went away.
  case gpsdReached(Bool)
  case batteryChanged(Battery?)
  case networkChanged(Network)
  /// Kilopascal; nil: no barometer.
  case pressureMeasured(Double?)

  /// A report has become bytes: the answer to `Effect.publish`, in the same wake-up.
  case encoded(Message)

  // The broker
  /// Connected; at most so many messages may be unacknowledged (nil: no word from the broker).
  case brokerConnected(receiveMaximum: Int?)
  case brokerLost
  /// These sequence numbers were acknowledged.
  case acknowledged([UInt64])
  /// The broker will never take this message (MQTT 5 reason code).
  case refused(UInt64)
  /// The connection cannot take this message now; it has to be sent again later.
  case sendFailed(UInt64)

  // The store
  /// A batch is durable. Its number is the one given with `Effect.store`.
  case stored(batch: UInt64)
  /// A batch could not be written (disk full, read-only, failing): nothing of it is on the disk.
  case storeFailed(batch: UInt64)
  /// Messages read back, in sequence, the answer to `Effect.load`; fewer than asked: no more there.
  case loaded([Message])
  /// What thinning needs to know of a page of the queue, the answer to `Effect.loadIndex`.
  case indexed([QueueEntry])

  // People
  case control(ControlRequest, from: UInt64)
  /// A new, fully checked configuration and the regions named in it.
  case configured(Configuration, waypoints: [WaypointEntry])

  /// Time went by: a deadline may be due.
  case tick
  /// The daemon will end: what is in hand goes to the store.
  case stopping
}

/// Everything that a tracker can ask for. `homewardd` performs them in order; the replay prints them.
public enum Effect: Sendable {
  /// Encode this and hand it back as `Event.encoded`.
  case publish(Report)
  /// Give this to the broker now. Only while connected, never more than the window allows.
  case send(Message)
  /// Write all of this in one transaction. The answer is `stored` or `storeFailed`.
  case store(batch: UInt64, [StoreWrite])
  case load(after: UInt64, limit: Int)
  case loadIndex(after: UInt64, limit: Int)
  case answer(ControlAnswer, to: UInt64)
  case withheld(Reason)
  /// The settings that adapters read have changed.
  case configure(Configuration)
  /// Let the receiver rest, or wake it.
  case setReceiver(isAwake: Bool)
  /// Talk about this to the person who reads the journal.
  case log(LogLine)

  public struct LogLine: Hashable, Sendable {
    public enum Level: Hashable, Sendable { case error, warning, info, debug }
    public var level: Level
    public var text: String

    public init(_ level: Level, _ text: String) {
      self.level = level
      self.text = text
    }
  }
}
