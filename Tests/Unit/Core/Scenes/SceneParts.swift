import Core
import Model

/// What a tracker asked the world for, each kind in its order.
struct SceneNotes {
  var reports: [(at: Double, report: Report)] = []
  var announced: [Report] = []
  var withheld: [(at: Double, reason: Reason)] = []
  var adopted: [Configuration] = []
  var news: [(at: Double, news: SettingsNews)] = []
  /// What was asked for; nil: it was withdrawn.
  var halts: [HaltCause?] = []
  /// Seconds until the alarm, of each of those.
  var wakes: [Int?] = []
  var sent: [Message] = []
  /// What connections ended over, each time that what was under way was taken back.
  var takenBack: [Message?] = []
  var answers: [ControlAnswer] = []
  var recalls: [HistoryQuery] = []
  var renewals: [CertificateOrder] = []
  var receiver: [Bool] = []
  var scans: [ScanPlan] = []
  var refused: [(word: String, first: UInt64)] = []
  var letters: [(message: Message, reason: String)] = []
  /// How often the process was woken for the time alone, and for which purposes.
  var wakeUps = 0
  var purposes: [Purpose: Int] = [:]
}

/// The disk of a scene: it takes what is written, refuses it, or takes its time.
struct SceneDisk {
  var disk: [UInt64: Message] = [:]
  var writes: [StoreWrite] = []
  /// Transactions that the disk has taken.
  var batches = 0
  var isDiskBroken = false
  var isDiskSlow = false
  var pendingBatches: [(UInt64, [StoreWrite])] = []

  /// Whether it is on the disk; nil: it waits in `pendingBatches`.
  mutating func write(_ batch: UInt64, _ writes: [StoreWrite]) -> Bool? {
    if isDiskBroken { return false }
    if isDiskSlow {
      pendingBatches.append((batch, writes))
      return nil
    }
    apply(writes)
    return true
  }

  func page(after sequence: UInt64, limit: Int) -> [Message] {
    let behind = disk.values.filter { $0.sequence > sequence }
    return Array(behind.sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  mutating func apply(_ writes: [StoreWrite]) {
    self.writes += writes
    batches += 1
    for write in writes {
      switch write {
      case .insert(let message): disk[message.sequence] = message
      case .remove(let sequences): for sequence in sequences { disk[sequence] = nil }
      case .removeRange(let after, let through):
        disk = disk.filter { $0.key <= after || $0.key > through }
      default: break
      }
    }
  }
}
