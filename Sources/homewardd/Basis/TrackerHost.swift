import Core
import Loop
import Model
import Timebase

/// The tracker, and the events that wait for it. What is posted here is decided at the end of the wake-up, or once there
/// is a store to decide from.
final class TrackerHost {
  /// Events that wait for the store to open, at one fix a second.
  static let waitingLimit = 900
  /// A longer list of effects is not kept for the next event.
  private static let spareLimit = 16
  /// Nor is room for more events than these.
  private static let roomLimit = 64

  private let loop: EventLoop
  private let recorder: DriveRecorder?
  private var tracker: Tracker?
  /// The store is open and the tracker decides. To ask the tracker itself whether it is there would copy it.
  private(set) var isDeciding = false
  private(set) var inbox: [Event] = []
  /// An empty list with room, for the next event.
  private var spare: [Effect] = []

  /// `recorder`: writes down what the tracker hears.
  init(loop: EventLoop, recorder: DriveRecorder? = nil) { (self.loop, self.recorder) = (loop, recorder) }

  func post(_ event: Event) { inbox.append(event) }

  /// Before all that waits.
  func postFirst(_ event: Event) { inbox.insert(event, at: 0) }

  /// From here on it decides.
  func begin(_ tracker: Tracker) {
    self.tracker = tracker
    isDeciding = true
  }

  /// Decides on every event, those included that `perform` posts. False: it does not decide yet, and what is heard
  /// meanwhile waits, a quarter of an hour of it.
  @inline(__always)
  func drain(_ perform: (Effect) -> Void) -> Bool {
    guard isDeciding else {
      if inbox.count > Self.waitingLimit { inbox.removeFirst(inbox.count - Self.waitingLimit) }
      return false
    }
    var next = 0
    while next < inbox.count {
      handle(inbox[next], perform)
      next += 1
    }
    inbox.removeAll(keepingCapacity: inbox.count <= Self.roomLimit)
    return true
  }

  /// Inlined, as `drain` is: a closure that is handed on costs every fix more than its call.
  @inline(__always)
  private func handle(_ event: Event, _ perform: (Effect) -> Void) {
    var effects: [Effect] = []
    swap(&effects, &spare)
    if let recorder, recorder.isOn { record(event, recorder) }
    tracker?.handle(event, at: loop.now, into: &effects)
    for effect in effects { perform(effect) }
    guard effects.count <= Self.spareLimit else { return }
    effects.removeAll(keepingCapacity: true)
    spare = effects
  }

  @inline(never)
  private func record(_ event: Event, _ recorder: DriveRecorder) {
    if recorder.isBeginning, let tracker {
      recorder.begin(mode: tracker.mode, regions: tracker.knownRegions, at: loop.now)
    }
    recorder.note(event, at: loop.now)
  }

  // MARK: A store that is opened late

  /// Decides no more; the tracker as it was, and what writes it down. Nil: there is none.
  func handOver(to earlier: Snapshot) -> (before: Tracker, effects: [Effect])? {
    guard let before = tracker else { return nil }
    isDeciding = false
    return (before, tracker?.handOver(to: earlier, at: loop.now) ?? [])
  }

  /// It was not written: decides again, as before.
  func restore(_ before: Tracker) {
    tracker = before
    isDeciding = true
  }

  /// It was written, and goes on from that. Decides nothing before `goOn`.
  func takeUp(_ snapshot: Snapshot) -> [Effect] { tracker?.takeUp(snapshot, at: loop.now) ?? [] }

  func goOn() { isDeciding = true }

  // MARK: Reasons

  /// Whether the tracker has noted something that is not written yet.
  var hasReasons: Bool { tracker?.hasReasons ?? false }

  func takeReasons(evenCounts: Bool = false) -> [Journal.Entry] {
    tracker?.takeReasons(evenCounts: evenCounts) ?? []
  }

  // MARK: Questions

  var wakeAt: Instant? { tracker?.wakeAt }
  var mayReadRarely: Bool { tracker?.mayReadRarely ?? false }
  var settings: Configuration? { tracker?.settings }
  var clientIDForm: ClientIDForm? { tracker?.clientIDForm }
  var mode: ModeState? { tracker?.mode }
  /// The time of day as far as it can be believed; nil while it cannot.
  var wall: WallTime? { tracker?.wall(at: loop.now) }
  var status: TrackerStatus? { tracker?.status(at: loop.now) }
  /// The vehicle stands.
  var isParked: Bool { tracker?.isParked(at: loop.now.instant) ?? false }
  /// Cost of the connection to the server; nil: no clock is believed.
  var dataUse: DataUse? { tracker?.dataUse(at: loop.now) }
  var beacons: [BeaconStatus] { tracker?.beacons(at: loop.now) ?? [] }
  /// Of a message that is under way.
  func topic(of sequence: UInt64) -> String? { tracker?.topic(of: sequence) }
}
