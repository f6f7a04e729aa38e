import Core
import Model
import Timebase

/// The tracker of a process, for the world to feed and for the judges to look at: many times a second, so that a copy of
/// all that it knows each time would be a quarter of what a world takes. What is asked again before anything has
/// happened is answered as it was.
final class LivingTracker {
  private(set) var tracker: Tracker
  private var regions: [Snapshot.KnownRegion]?
  private var told: (status: TrackerStatus, moment: Moment)?

  init(_ tracker: Tracker) { self.tracker = tracker }

  // MARK: What happens

  func handle(_ event: Event, at moment: Moment) -> [Effect] {
    forget()
    return tracker.handle(event, at: moment)
  }

  func handOver(to earlier: Snapshot, at moment: Moment) -> [Effect] {
    forget()
    return tracker.handOver(to: earlier, at: moment)
  }

  func takeUp(_ snapshot: Snapshot, at moment: Moment) -> [Effect] {
    forget()
    return tracker.takeUp(snapshot, at: moment)
  }

  private func forget() { (regions, told) = (nil, nil) }

  // MARK: Questions

  /// With exclusive access there is nothing to be copied.
  private func look<Found>(_ question: (inout Tracker) -> Found) -> Found { question(&tracker) }

  var mode: ModeState { look { $0.mode } }
  var settings: Configuration { look { $0.settings } }
  var journal: Journal { look { $0.journal } }
  var wakeAt: Instant? { look { $0.wakeAt } }
  func due(at now: Instant) -> [Purpose] { look { $0.due(at: now) } }
  var inconsistency: String? { look { $0.inconsistency } }
  func wall(at moment: Moment) -> WallTime? { look { $0.wall(at: moment) } }

  var knownRegions: [Snapshot.KnownRegion] {
    if let regions { return regions }
    let known = look { $0.knownRegions }
    regions = known
    return known
  }

  func status(at moment: Moment) -> TrackerStatus {
    if let told, told.moment == moment { return told.status }
    let status = look { $0.status(at: moment) }
    told = (status, moment)
    return status
  }
}
