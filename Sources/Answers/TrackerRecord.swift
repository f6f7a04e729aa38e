import Core
import Model
import OwnTracks

/// Fills the answer to `status` from the tracker's state.
extension StatusRecord {
  /// The tracker's part; the daemon adds what its adapters know. `topics` are those that the tracker publishes on.
  public convenience init(_ status: TrackerStatus, _ topics: Topics) {
    self.init()
    (mode, label, modeCause) = (status.mode.mode.name, status.mode.label, status.modeCause)
    (regions, inside, history) = (status.regionCount, status.inside, status.historyCount)
    network = Self.word(status.network)
    leftDescriptions = status.leftDescriptions > 0 ? status.leftDescriptions : nil
    (queue, vehicle, remote) = (Queue(status.queue), Vehicle(status.vehicle), Remote(status))
    fix = status.position.map { Position($0, age: status.fixAge?.seconds) }
    var (clock, identity) = (Clock(), Identity())
    clock.trusted = status.isClockTrusted
    (identity.valid, identity.topic, identity.tid) = (status.isIdentityValid, topics.base, topics.trackerID)
    (identity.clientId, identity.clientIdForm) = (topics.clientId, topics.clientIdForm)
    (self.clock, self.identity) = (clock, identity)
    if let battery = status.battery {
      var shown = Battery()
      (shown.level, shown.state) = (battery.level, "\(battery.state)")
      self.battery = shown
    }
    batteryStep = status.vehicle.step.map { $0.step?.word ?? "none" }
    take(status.journey)
  }

  private static func word(_ network: Network) -> String {
    switch network {
    case .unknown: "unknown"
    case .none: "none"
    case .wifi: "wifi"
    case .mobile: "mobile"
    case .wired: "wired"
    }
  }
}

extension StatusRecord.Position {
  fileprivate init(_ fix: Fix, age: Double?) {
    self.init()
    (latitude, longitude) = (fix.coordinate.latitude, fix.coordinate.longitude)
    (accuracy, time, self.age) = (fix.accuracy, fix.time.wholeSeconds, age)
    (speed, course, altitude) = (fix.wholeSpeed, fix.wholeCourse, fix.wholeAltitude)
  }
}

extension StatusRecord.Queue {
  fileprivate convenience init(_ queue: QueueStatus) {
    self.init()
    (count, bytes, inFlight, window) = (queue.count, queue.bytes, queue.inFlight, queue.window)
    (dropped, resent, refused, storeFailing) = (
      queue.dropped, queue.resent, queue.refused, queue.isStoreFailing
    )
    (oldest, lastConfirmed) = (queue.oldest, queue.lastConfirmed)
    waitsForBatch = queue.waitingTogether > 0 ? queue.waitingTogether : nil
    waitsForWifi = queue.waitingOld > 0 ? queue.waitingOld : nil
    notSent = queue.droppedOld > 0 ? queue.droppedOld : nil
    passedBy = queue.passedBy.isEmpty ? nil : queue.passedBy
    held = queue.held.isEmpty ? nil : queue.held
  }
}

extension StatusRecord.Vehicle {
  /// Nil if nothing is wired.
  fileprivate init?(_ vehicle: VehicleStatus) {
    guard vehicle.ignition != nil || vehicle.volts != nil || vehicle.isCheckingIn else { return nil }
    self.init()
    (low, halting, ignition) = (vehicle.isLow, vehicle.isHalting, vehicle.ignition)
    checkingIn = vehicle.isCheckingIn ? true : nil
    volts = vehicle.volts.map { ($0 * 100).rounded() / 100 }
  }
}

extension StatusRecord.Remote {
  /// Secrets are hidden. Nil if nothing is changed.
  fileprivate init?(_ status: TrackerStatus) {
    guard !status.remote.isEmpty else { return nil }
    self.init()
    var settings = JSON.object([])
    for setting in status.remote.settings {
      guard let key = ConfigurationKey.named(setting.name) else { continue }
      let shown = ConfigurationFile.json(
        RemoteSettings([setting]).applied(to: Configuration()), redacting: true)
      settings.set(key.name, shown[key.name] ?? "")
    }
    (self.settings, trial) = (settings, status.isOnTrial)
  }
}
