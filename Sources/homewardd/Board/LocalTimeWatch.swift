import Loop
import Model
import OwnTracks

/// Tells the tracker the time of day where a rule of `timeModes` or one of `backlogTimes` begins or ends.
final class LocalTimeWatch {
  private let loop: EventLoop
  private let host: TrackerHost
  private let settings: SettingsInForce
  private var schedule = LocalTimeSchedule(offset: LocalZone.offset)
  private var timer: Loop.Timer?
  private var times: LocalTimes
  /// Somebody has to be told, or will have to be. Without rules once is enough: fixes do not come by here.
  private(set) var isLooking = true

  init(loop: EventLoop, host: TrackerHost, settings: SettingsInForce) {
    (self.loop, self.host, self.settings) = (loop, host, settings)
    times = settings.configuration.localTimes
    // The end of the wake-up looks anyway.
    timer = loop.makeTimer {}
  }

  /// At the end of every wake-up while it is looking, before the tracker decides.
  func notice() {
    guard host.isDeciding else { return }
    guard let minute = schedule.look(times, wall: host.wall, at: loop.now.instant) else { return }
    host.post(.localTime(minute: minute))
    timer?.set(at: schedule.due)
    isLooking = !times.edges.isEmpty
  }

  /// There may be other times.
  func settingsChanged() {
    times = settings.configuration.localTimes
    isLooking = true
  }

  /// Another tracker decides, which was told nothing.
  func reportAnew() {
    schedule.reportAnew()
    isLooking = true
  }
}
