import Model
import Timebase

/// Everything that can happen to a tracker. Adapters post these; nothing else gets in.
public enum Event: Sendable {
  /// The receiver said where it is, or that it does not know.
  indirect case reading(Reading)
  /// gpsd was reached, or went away.
  case gpsdReached(Bool)
  /// The board's own; nil: there is none, or it is not known.
  case batteryChanged(Battery?)
  /// The ignition's line; nil: there is none any more.
  case ignition(Bool?)
  /// The battery that starts the vehicle, volts; nil: unknown.
  case vehicleVolts(Double?)
  /// How the board reaches the world, where that is new.
  case networkChanged(Network)
  /// The time of day where the board is, minutes since 1970 by the clocks there (`LocalTime`): whenever a rule of
  /// `timeModes` begins or ends, when those rules change, and when the time or its zone was changed.
  case localTime(minute: Int)
  /// An iBeacon that the scan plan asks for was heard.
  case sighted(Sighting)
  /// What the radio can do, where that is new.
  case scannerChanged(ScannerState)
  /// Kilopascal; nil: no barometer.
  case pressureMeasured(Double?)

  // The broker
  /// Connected; how many messages may be unacknowledged (nil: no word from the broker).
  case brokerConnected(receiveMaximum: Int?)
  /// The connection is gone, or attempts fail. What was in flight is sent again by the uplink with the next one, unless
  /// `Effect.takeBack` has it given back.
  case brokerLost(ConnectionEnd = ConnectionEnd(.left))
  /// What the broker keeps on `status` may no longer be what was said there last, or may only now be kept.
  case presenceDoubted
  /// The broker has lost what it kept of us, or Home Assistant has just started (`isBirth`).
  case discoveryDoubted(isBirth: Bool)
  /// These sequence numbers were acknowledged.
  case acknowledged([UInt64])
  /// The broker will never take this message; why, in words.
  case refused(UInt64, because: String = "")
  /// The broker did not take this message, for a reason that may pass (MQTT 5 reason code).
  /// `letsOthersPass`: it is said of this message, and others of its topic may go.
  case postponed(UInt64, letsOthersPass: Bool = false)
  /// The connection lost or could not take this message: it has to be sent again.
  case sendFailed(UInt64)

  // The store
  /// A batch is durable. Its number is the one given with `Effect.store`. `points`: how many the history has on the
  /// disk now; nil: not told.
  case stored(batch: UInt64, points: Int? = nil)
  /// A batch could not be written (disk full, read-only, failing): nothing of it is on the disk.
  case storeFailed(batch: UInt64)
  /// Messages read back, in sequence, the answer to `Effect.load`; fewer than asked: no more there.
  case loaded([Message])
  /// Refused messages are in a file of their own, the answer to `Effect.takeRefused`; for whom.
  indirect case refusedTaken(RefusedMessages, for: UInt64)
  /// What thinning needs to know of a page of the queue, the answer to `Effect.loadIndex`.
  case indexed([QueueEntry])

  // People
  /// Read and checked; whether it is obeyed is decided here.
  indirect case commanded(ReceivedCommand)
  /// A command that was not even read; `action` and `id` as far as they are known.
  case commandBarred(action: String?, id: CommandID?, CommandRefusal)
  /// A command that makes no sense; why, in one line. `id`: its sender waits to hear so.
  case commandMalformed(action: String?, id: CommandID?, String)
  /// `byRoot`: the asker is the board's owner, whatever the settings say.
  indirect case control(ControlRequest, from: UInt64, byRoot: Bool = false)
  /// The tracker has everything written that belongs to the answer; the store gives it.
  indirect case asked(StoreRequest, from: UInt64)
  /// A new, fully checked configuration and the regions named in it.
  indirect case configured(Configuration, waypoints: [WaypointEntry])

  /// A person ends the connection; it stands still.
  case leavingServer
  /// Time went by: a deadline may be due.
  case tick
  /// The supply is gone and what is left lasts for a moment: what is in hand goes to the disk now.
  case powerFailing
  /// The daemon will end: what is in hand goes to the store.
  case stopping
}
