import Model
import Timebase

/// Everything that a tracker can ask for. `homewardd` performs them in order; the replay prints them.
public enum Effect: Sendable {
  /// This report has become this message and is in the queue. All that is left is to pass it to the owner's
  /// program.
  case published(Report, Message)
  /// Give this message of a report to the broker now. Bypasses the queue; not acknowledged.
  case announce(Report, Message)
  /// Give this to the broker now. Only while connected, never more than the window allows.
  case send(Message)
  /// Sent messages without an answer come back as `sendFailed`, to be sent in another way. `over`: the message that
  /// the connection has ended over.
  case takeBack(over: Message?)
  /// The server will never take this message; it has left the queue. Keep it for a person, with the reason. The answer
  /// is `letterKept`, as soon as the disk has it: only then may the store forget it.
  case deadLetter(Message, because: String)
  /// Put the refused messages into a file of their own, named by the sequence that the first of them will have, and
  /// read it, for a person. The answer is `refusedTaken`, or a message to that person.
  case takeRefused(first: UInt64, for: UInt64)
  /// The store has the messages that were taken under this sequence.
  case forgetRefused(first: UInt64)
  /// Write all of this in one transaction. The answer is `stored` or `storeFailed`.
  case store(batch: UInt64, [StoreWrite])
  /// Read this many messages of the queue above a sequence number. The answer is `loaded`.
  case load(after: UInt64, limit: Int)
  /// The same, but only the data that thinning needs. The answer is `indexed`.
  case loadIndex(after: UInt64, limit: Int)
  /// Read these points of the history from the store, for a person.
  case recall(HistoryQuery, to: UInt64)
  /// Answer a person, by the number that came with the request; its content is durable by now.
  indirect case answer(ControlAnswer, to: UInt64)
  /// Why something was not published; for the replay, and for log lines about commands.
  case withheld(Reason)
  /// Make a request for a certificate, or try one. The answer is `certificateSettled`.
  indirect case renew(CertificateOrder)
  /// A line for the journal.
  indirect case settingsChanged(SettingsNews)
  /// These settings are in force from here on.
  indirect case adopt(Configuration)
  /// Which beacons to listen for, and how hard. In force until the next one.
  case setScan(ScanPlan)
  /// Ask for the board to be switched off; nil: no longer. `wakeAfter`: seconds until its alarm switches it on again;
  /// nil: it has none.
  case halt(HaltCause?, wakeAfter: Int? = nil)
  /// Let the receiver rest, or wake it. `rest`: until the next look; nil: not known.
  case setReceiver(isAwake: Bool, rest: Span? = nil)
}
