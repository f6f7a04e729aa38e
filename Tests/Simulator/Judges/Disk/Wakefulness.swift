import Core
import Timebase

/// A board on battery sleeps while nothing happens: for the time alone the tracker wakes the process as rarely as
/// `WakeRhythm` has it, in whatever state it is.
struct Wakefulness: Judge {
  private var accounts = WakeRhythm.Accounts()
  /// Messages turned away that were not tried again yet, of one topic or of another.
  private var turnedAway = 0

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    case .event(.tick): woke(world)
    case .event(let event):
      if event.turnsAway { turnedAway += 1 }
      if event.isFromOutside {
        accounts.forgive()
      } else {
        // Written, sent and acknowledged: what is committed and told follows from it.
        accounts.forgive(Self.answering)
      }
    default: break
    }
  }

  private static let answering: [Purpose] = [.groupCommit, .history, .housekeeping, .owedLocation]

  private mutating func woke(_ world: World) {
    guard let tracker = world.tracker else { return }
    let now = world.boardTime
    let rhythm = WakeRhythm(
      settings: tracker.settings, beacons: tracker.knownRegions.count { $0.region.kind == .beacon })
    let due = tracker.due(at: now)
    for purpose in due {
      if purpose == .askAgain, turnedAway > 0 {
        turnedAway -= 1
        continue
      }
      let least = rhythm.least(purpose)
      if !accounts.woke(for: purpose, least: least, burst: rhythm.burst(purpose), at: now) {
        let words = least.map { "for once in \($0.seconds) s" } ?? "and nothing has happened"
        world.complain(.limits, "\(purpose) wakes the process too often \(words)")
      }
    }
    // What it decides is written and sent.
    if due.contains(where: { rhythm.least($0) != nil }) {
      accounts.forgive(Self.answering.filter { !due.contains($0) })
    }
  }
}

extension Event {
  /// A message, or what a connection ended over.
  fileprivate var turnsAway: Bool {
    switch self {
    case .postponed, .brokerLost: true
    default: false
    }
  }

  /// Not the answer to an order of the tracker's own.
  fileprivate var isFromOutside: Bool {
    switch self {
    case .tick, .acknowledged, .refused, .letterKept, .postponed, .sendFailed, .stored, .storeFailed, .loaded,
      .indexed,
      .refusedTaken, .certificateSettled, .carried:
      false
    default: true
    }
  }
}
