import Core
import Model
import OwnTracks

/// The process: what `homewardd` keeps around the tracker.
final class Process {
  var tracker: LivingTracker?
  var desk: StoreDesk?
  /// Of a store that came late; nil: none is being taken up.
  var takingUp: TakingUp?
  var encoder: Encoder
  var configuration: Configuration
  var startWaypoints: [WaypointEntry] = []
  var inbox: [Event] = []
  /// Acknowledged, and the process has not looked since.
  var gathered: [UInt64] = []
  /// Which one it is; each start and each end makes it another.
  var life = 0
  var isRunning = false
  var isStopping = false
  var isDrainingLast = false
  /// It ends because the board is being switched off.
  var isSwitchedOff = false
  /// It ends when this many effects of consequence are done; nil: it does not.
  var effectsLeft: Int?
  var failedOpenings = 0
  var writing = Writing()

  /// What is on its way to the disk.
  struct Writing {
    /// What the store was asked to write and has not answered.
    var batches: [UInt64: [StoreWrite]] = [:]
    /// Messages of batches that have failed in this life.
    var tried: Set<UInt64> = []
    /// What this process has on the disk and the broker has not acknowledged, by sequence.
    var known: [UInt64: Message] = [:]
    /// In writes that failed, and in none since.
    var doubtful: [UInt64: Message] = [:]
  }

  /// The tracker as it was, should the disk not take it, and what the store held. A class: judges ask many times a
  /// second whether there is one, and both are large.
  final class TakingUp {
    let before: Tracker
    let earlier: Snapshot

    init(before: Tracker, earlier: Snapshot) { (self.before, self.earlier) = (before, earlier) }
  }

  init(_ configuration: Configuration) {
    self.configuration = configuration
    encoder = Encoder(configuration, hostName: "board")
  }

  func adopt(_ configuration: Configuration) {
    self.configuration = configuration
    encoder = Encoder(configuration, hostName: "board")
  }

  func begin() {
    (isRunning, isStopping, isSwitchedOff, effectsLeft, failedOpenings) = (true, false, false, nil, 0)
    (inbox, gathered) = ([], [])
    life += 1
  }

  func end() {
    desk?.abandon()
    (desk, tracker, takingUp, writing) = (nil, nil, nil, Writing())
    (inbox, gathered) = ([], [])
    (isRunning, isStopping) = (false, false)
    life += 1
  }
}
