import Core
import Model
import Timebase

/// Enters that wait for a dwell as a process begins: it goes on waiting where the one before it was, and not anew. Kept
/// by the world.
struct DwellWatch {
  fileprivate struct Wait {
    var region: Region
    /// Seconds of the world.
    var since: Double
  }

  /// Metres within the edge where every fix is inside.
  fileprivate static let within = 25.0
  /// Seconds after the dwell, or after the first fixes of a process, in which it is told.
  fileprivate static let patience = 15.0

  fileprivate var waits: [Wait] = []
  /// When this process had its store, seconds of the world: fixes wait for it, however slow the card is.
  fileprivate var openedAt = 0.0
  private var dice: Dice
  private let isRestless: Bool

  /// In some worlds a process ends just then, now and then.
  init(dice: Dice) {
    self.dice = dice
    isRestless = self.dice.chance(0.4)
  }

  fileprivate mutating func isEndingNow() -> Bool { isRestless && dice.chance(0.01) }

  mutating func told(_ report: Report) {
    if case .transition(let told) = report { waits.removeAll { $0.region.rid == told.region.rid } }
  }

  mutating func forget() { waits = [] }
}

extension World {
  /// What the store has of who waits. Where the vehicle was all the time it has been waiting, whoever was running.
  func noteDwells(in snapshot: Snapshot) {
    let last = Span(nanoseconds: now.nanoseconds).seconds
    dwells.openedAt = last
    dwells.waits = snapshot.regions.compactMap { known -> DwellWatch.Wait? in
      guard case .dwelling(let since) = known.presence, !known.region.isVeil else { return nil }
      let first = since.seconds - BoardClock.epoch
      guard first > 0, first < last else { return nil }
      let hasStayed = stride(from: first, through: last, by: 1).allSatisfy {
        isInside(known.region, road.position(at: $0))
      }
      return hasStayed ? DwellWatch.Wait(region: known.region, since: first) : nil
    }
  }

  /// A fix at the very edge says when it began.
  private func isInside(_ region: Region, _ truth: Road.Position, by margin: Double = -15) -> Bool {
    region.coordinate.distance(to: truth.point.coordinate) < region.radius - margin
  }

  /// Once a second. A process may end while something waits for a dwell.
  private func endInDwell() {
    guard breakage == nil, !isCalm, isRunning, !isStopping, takingUp == nil, let tracker, inbox.isEmpty,
      tracker.knownRegions.contains(where: { if case .dwelling = $0.presence { true } else { false } }),
      dwells.isEndingNow()
    else { return }
    ledger.note(.killed)
    kill()
  }

  /// Once a second.
  func judgeDwells(_ truth: Road.Position) {
    defer { endInDwell() }
    guard !dwells.waits.isEmpty else { return }
    let margin = DwellWatch.within + receiver.ground.reach.standing
    dwells.waits.removeAll { !isInside($0.region, truth, by: margin) }
    guard isRunning, let tracker, takingUp == nil else { return }
    guard !isStopping, !isVeiled, tracker.mode.mode != .quiet, clock.isSynchronised,
      configuration.receiver.dutyCycle == 0, !ledger.blindLives.contains(life)
    else { return dwells.forget() }
    dwells.waits.removeAll { wait in
      !tracker.knownRegions.contains { $0.region == wait.region && $0.presence.isWithin }
    }
    guard let heard = receiver.heard, (now - heard.last).seconds < 2, !receiver.haze.isNear(now),
      !receiver.hasMisplaced(since: now - .seconds(DwellWatch.patience))
    else { return }
    let known = Span(nanoseconds: heard.since.nanoseconds).seconds
    let seconds = Span(nanoseconds: now.nanoseconds).seconds
    for wait in dwells.waits {
      let due = max(wait.since + Double(wait.region.dwell ?? 0), known, dwells.openedAt)
      guard seconds > due + DwellWatch.patience else { continue }
      ledger.complain(
        .prompt,
        "\(wait.region.name) is not entered after \(Int(seconds - wait.since)) s over a start, its dwell is "
          + "\(wait.region.dwell ?? 0) s", at: now)
      dwells.waits.removeAll { $0.region.rid == wait.region.rid }
    }
  }
}
