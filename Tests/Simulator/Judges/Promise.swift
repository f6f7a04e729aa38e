import Timebase

/// What is promised, as complaints name it. Several judges may look after one promise.
public enum Promise: String, CaseIterable, Sendable {
  /// Every event arrives at least once.
  case delivered
  /// Every location arrives, but for a second before a crash and what overflow is counted to have cost.
  case window
  /// Nothing arrives that was not made so, and nothing twice in different words; nor is anything sent twice without a
  /// reason.
  case once
  /// What is old goes as people have set it, and nothing else for being old is held back or dropped.
  case old
  /// Nothing is told from inside of a private region, and nothing is kept back for one anywhere else.
  case secret
  /// Of one topic, nothing arrives after what was made later.
  case ordered
  /// Enter and leave of a region take turns.
  case alternating
  /// Within one ping after the last fault a consumer knows where the vehicle is, and in which regions;
  /// and no region is forgotten. What the broker keeps of whether the board is there is true as long as it is.
  case picture
  /// What a consumer was told of entering it was told of leaving, unless the board is in it, and it is still so named.
  case announced
  /// Nothing is published in quiet.
  case quiet
  /// No two locations of the tracker's own share a `tst`, and none is of another time than the world's.
  case times
  /// Window, queue and store keep within their limits.
  case limits
  /// The mode follows battery and standstill as people have set it.
  case modes
  /// Every reason, of a publish or of a withheld one, is true.
  case reasons
  /// When the faults are over everything arrives, and then it is still.
  case calm
  /// Places and crossings were so, and every crossing of the calm part is told.
  case truth
  /// In move mode no drive goes on for longer without a point than people have set, whatever draws it.
  case points
  /// Of a window the most accurate fix is told, at its end.
  case best
  /// What the vehicle's battery says lowers the mode once a sag, and has the board switched off when it has to be.
  case voltage
  /// A board steps down as far as its batteries have been low for a minute, tells each step once, and has its receiver off
  /// but for looks that somebody asks for.
  case steps
  /// A board that has woken by itself is switched off again in time, with everything told, and with an alarm.
  case checkIn
  /// A call for help is published until somebody acknowledges it, over every start.
  case sos
  /// What stands crosses nothing: no circle is crossed by a vehicle that came to rest long ago, whatever its receiver
  /// says.
  case standing
  /// What drives across an edge is told within seconds, anything else within a minute.
  case prompt
  /// A bit that flips at rest costs what it hits and nothing else.
  case flips
  /// A command is obeyed while the client counts its topic as subscribed, and on every connection that is left
  /// alone for a while it does.
  case obeyed
  /// The board tries to connect neither too often nor too rarely, gives up what does not answer, continues no session of
  /// other settings, and its tracker is told of each connection and of its end.
  case connecting
  /// What the tracker keeps twice agrees after every event, and what the store keeps twice after every order.
  case agreement
  /// The process never has to give up.
  case process
}

/// One finding of one judge.
public struct Complaint: CustomStringConvertible, Sendable {
  public var promise: Promise
  public var text: String
  public var at: Instant

  public var description: String {
    "\(promise.rawValue) at \(Double(at.nanoseconds / 1_000_000) / 1000) s: \(text)"
  }
}
