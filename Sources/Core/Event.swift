import Model
import Timebase

/// Everything that can happen to a tracker. Adapters post these; nothing else gets in.
public enum Event: Sendable {
  /// The receiver reported a position, or that it has none.
  indirect case reading(Reading)
  /// The receiver's word on jamming and spoofing, each time that it was asked (`jammingWatch`).
  case interference(Interference)
  /// The source of positions of this name was reached, or went away.
  case sourceReached(String, Bool)
  /// The board's own battery; nil: there is none, or it is not known.
  case batteryChanged(Battery?)
  /// The ignition line; nil: there is none any more.
  case ignition(Bool?)
  /// The button that calls for help; nil: there is none any more.
  case sosLine(Bool?)
  /// The starter battery, volts; nil: unknown.
  case vehicleVolts(Double?)
  /// Whether something can switch the board on again by itself: its clock, or a program of the owner's.
  case wakeAlarm(Bool)
  /// The board's network connection, whenever it has changed.
  case networkChanged(Network)
  /// The time of day where the board is, minutes since 1970 by the clocks there (`LocalTime`): whenever a rule of
  /// `timeModes` begins or ends, when those rules change, and when the time or its zone was changed.
  case localTime(minute: Int)
  /// An iBeacon that the scan plan asks for was heard.
  case sighted(Sighting)
  /// The scanner's state, whenever it has changed.
  case scannerChanged(ScannerState)
  /// Air pressure, kilopascal; nil: no barometer.
  case pressureMeasured(Double?)

  // The broker
  /// Connected; how many messages may be unacknowledged (nil: the broker named no number).
  case brokerConnected(receiveMaximum: Int?)
  /// The connection is gone, or attempts fail. The uplink sends the messages in flight again with the next one,
  /// unless `Effect.takeBack` has them given back.
  case brokerLost(ConnectionEnd = ConnectionEnd(.left))
  /// The board's place as the broker still has it, on a connection that has just come up. Posted only where it may
  /// have lost something.
  case keptPlace(KeptPlace)
  /// Cost of the connections to the server since the start, in bytes, and how far the clocks of the place are
  /// ahead of UTC, seconds.
  case carried(bytes: Int, zone: Int)
  /// The message retained on `status` may not be the one published last, or may only now be retained.
  case presenceDoubted
  /// The broker has lost our retained messages, or Home Assistant has just started (`isBirth`).
  case discoveryDoubted(isBirth: Bool)
  /// These sequence numbers were acknowledged.
  case acknowledged([UInt64])
  /// The broker will never take this message; the reason in words.
  case refused(UInt64, because: String = "")
  /// The disk has this message, which was refused for good, for a person.
  case letterKept(UInt64)
  /// The broker did not take this message, for a reason that may pass (MQTT 5 reason code).
  /// `letsOthersPass`: the reason concerns this message, and others of its topic may go.
  case postponed(UInt64, letsOthersPass: Bool = false)
  /// The connection lost or could not take this message: it has to be sent again.
  case sendFailed(UInt64)

  // The store
  /// A batch is durable. Its number is the one given with `Effect.store`. `points`: how many history points are on
  /// the disk now; nil: not reported.
  case stored(batch: UInt64, points: Int? = nil)
  /// A batch could not be written (disk full, read-only, failing): nothing of it is on the disk.
  case storeFailed(batch: UInt64)
  /// Messages read back, in sequence, the answer to `Effect.load`; fewer than asked: no more there.
  case loaded([Message])
  /// Refused messages are in a file of their own, the answer to `Effect.takeRefused`; `for`: the person asking.
  indirect case refusedTaken(RefusedMessages, for: UInt64)
  /// The index of a page of the queue, for thinning: the answer to `Effect.loadIndex`.
  case indexed([QueueEntry])

  // People
  /// A command, read and checked; whether it is obeyed is decided here.
  indirect case commanded(ReceivedCommand)
  /// A command that was not even read; `action` and `id` as far as they are known.
  case commandBarred(action: String?, id: CommandID?, CommandRefusal)
  /// A command that makes no sense; why, in one line. `id`: its sender waits for the result.
  case commandMalformed(action: String?, id: CommandID?, String)
  /// The answer to a command about the certificate.
  indirect case certificateSettled(CommandResult)
  /// `byRoot`: the asker is the board's owner, whatever the settings say.
  indirect case control(ControlRequest, from: UInt64, byRoot: Bool = false)
  /// Everything that belongs to the answer is to be written first; then the store gives it.
  indirect case asked(StoreRequest, from: UInt64)
  /// A new, fully checked configuration and the regions named in it.
  indirect case configured(Configuration, waypoints: [WaypointEntry])

  /// A person ends the connection, which still stands.
  case leavingServer
  /// Time went by: a deadline may be due.
  case tick
  /// The supply is gone and power lasts only for a moment: everything in memory goes to the disk now.
  case powerFailing
  /// The daemon will end: everything in memory goes to the store.
  case stopping
}

/// A broker's retained copy of the board's place.
public enum KeptPlace: Hashable, Sendable {
  /// A location with this `tst`.
  case place(time: Int)
  /// Nothing, where it was given something to retain; the session is gone, or there is none.
  case nothing
  /// It cannot be read. The session is gone.
  case unknown
}
