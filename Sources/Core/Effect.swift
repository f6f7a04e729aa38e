import Model
import Timebase

/// Everything that a tracker can ask for. `homewardd` performs them in order; the replay prints them.
public enum Effect: Sendable {
  /// This report has become this message and is in the queue. Nothing is left to do but to tell the owner's
  /// program of it.
  case published(Report, Message)
  /// Give this message of a report to the broker now, past everything that waits; nobody confirms it.
  case announce(Report, Message)
  /// Give this to the broker now. Only while connected, never more than the window allows.
  case send(Message)
  /// What was sent and not answered comes back as `sendFailed`, to be sent in another way. `over`: the connection has
  /// ended over this one.
  case takeBack(over: Message?)
  /// Will never be taken and has left the queue: keep it where a person finds it, with the reason.
  case deadLetter(Message, because: String)
  /// Put what was refused into a file of its own, by the sequence that the first of it will have, and read it, for a
  /// person. The answer is `refusedTaken`, or a word to that person.
  case takeRefused(first: UInt64, for: UInt64)
  /// The store has what was taken by this sequence.
  case forgetRefused(first: UInt64)
  /// Write all of this in one transaction. The answer is `stored` or `storeFailed`.
  case store(batch: UInt64, [StoreWrite])
  /// Read this many messages of the queue above a sequence number. The answer is `loaded`.
  case load(after: UInt64, limit: Int)
  /// The same of what thinning has to know of them. The answer is `indexed`.
  case loadIndex(after: UInt64, limit: Int)
  /// Read these points of the history from the store, for a person.
  case recall(HistoryQuery, to: UInt64)
  /// To a person, by the number that came with the request; it is durable by now what it says.
  indirect case answer(ControlAnswer, to: UInt64)
  /// This was not told, and why; for the replay, and for lines about commands.
  case withheld(Reason)
  /// A line for the journal.
  indirect case settingsChanged(SettingsNews)
  /// These settings are in force from here on.
  indirect case adopt(Configuration)
  /// Which beacons to listen for, and how hard. In force until the next one.
  case setScan(ScanPlan)
  /// Ask for the board to be switched off; nil: no longer.
  case halt(HaltCause?)
  /// Let the receiver rest, or wake it.
  case setReceiver(isAwake: Bool)
}
