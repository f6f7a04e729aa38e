import Model
import Timebase

/// The parts of `status` that tell of the vehicle, the board and what waits on it.
extension StatusRecord {
  /// The trip under way.
  public struct Trip: AnswerRecord {
    /// As in its messages.
    public var id: String?
    /// Unix seconds.
    public var since: Int?
    /// Metres so far.
    public var distance: Int?
    /// Seconds so far.
    public var duration: Int?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("id", &id)
      keys("since", &since)
      keys("distance", &distance)
      keys("duration", &duration)
    }
  }

  /// The anchor watch.
  public struct Anchor: AnswerRecord {
    /// Degrees.
    public var latitude: Double?
    /// Degrees.
    public var longitude: Double?
    /// Unix seconds.
    public var since: Int?
    /// Metres.
    public var alarm: Int?
    /// Beyond them.
    public var dragging: Bool?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("lat", &latitude)
      keys("lon", &longitude)
      keys("since", &since)
      keys("alarm", &alarm)
      keys("dragging", &dragging)
    }
  }

  /// The vehicle is too fast.
  public struct Speeding: AnswerRecord {
    /// Kilometres an hour.
    public var limit: Int?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("limit", &limit)
    }
  }

  /// A call for help that is not acknowledged.
  public struct SOS: AnswerRecord {
    /// How often it has been told.
    public var times: Int?
    /// Unix seconds of the first; nil: it has not been.
    public var since: Int?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("times", &times)
      keys("since", &since)
    }
  }

  /// A receiver that is jammed or spoofed, as it was told.
  public struct Disturbance: AnswerRecord {
    /// `warning` or `critical`.
    public var state: String?
    /// Unix seconds; nil: the clock was not trusted.
    public var since: Int?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("state", &state)
      keys("since", &since)
    }
  }

  /// How well harsh driving can be told.
  public struct HarshDriving: AnswerRecord {
    /// Positions a second.
    public var rate: Double?
    /// They are too few to tell it by; otherwise nil.
    public var tooSlow: Bool?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("rate", &rate)
      keys("tooSlow", &tooSlow)
    }
  }

  /// The state of the vehicle's wires.
  public struct Vehicle: AnswerRecord {
    /// Switched on.
    public var ignition: Bool?
    /// Of the battery that starts it.
    public var volts: Double?
    /// That battery is nearly empty.
    public var low: Bool?
    /// The board is about to be switched off.
    public var halting: Bool?
    /// It has woken by itself to check in; nil: it has not.
    public var checkingIn: Bool?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("low", &low)
      keys("halting", &halting)
      keys("checkingIn", &checkingIn)
      keys("ignition", &ignition)
      keys("volts", &volts)
    }
  }

  /// The messages that wait for the server, and those that were lost.
  public final class Queue: AnswerRecord {
    /// Messages not yet acknowledged, wherever they are.
    public var count: Int?
    /// Of their topics and payloads.
    public var bytes: Int?
    /// How many of them are with the server.
    public var inFlight: Int?
    /// How many may be.
    public var window: Int?
    /// Unix seconds of the oldest one.
    public var oldest: Int?
    /// Lost to overflow in the store's whole life.
    public var dropped: Int?
    /// Sent again after a failure, since the start.
    public var resent: Int?
    /// Refused for good, since the start.
    public var refused: Int?
    /// Seconds since the server last confirmed one; nil: not since the start.
    public var lastConfirmed: Int?
    /// The last write failed: what comes now waits in memory.
    public var storeFailing: Bool?
    /// Locations that wait for others, to travel together.
    public var waitsForBatch: Int?
    /// Old locations that wait for WiFi, a cable or their time.
    public var waitsForWifi: Int?
    /// Old locations that were dropped (`backlog`), since the start.
    public var notSent: Int?
    /// Topics that the broker takes nothing on for now.
    public var held: [String]?
    /// The topic of each message that the broker does not take while it takes others there.
    public var passedBy: [String]?

    /// Nothing is known.
    public init() {}

    public func keys(_ keys: inout AnswerKeys) {
      keys("count", &count)
      keys("bytes", &bytes)
      keys("inFlight", &inFlight)
      keys("window", &window)
      keys("oldest", &oldest)
      keys("dropped", &dropped)
      keys("resent", &resent)
      keys("refused", &refused)
      keys("lastConfirmed", &lastConfirmed)
      keys("storeFailing", &storeFailing)
      keys("waitsForBatch", &waitsForBatch)
      keys("waitsForWifi", &waitsForWifi)
      keys("notSent", &notSent)
      keys("held", &held)
      keys("passedBy", &passedBy)
    }
  }

  /// Supply, heat and storage of the board: unknown values are nil.
  public final class Board: AnswerRecord {
    /// A word for each problem that a person should act on.
    public var troubles: [String]?
    /// °C.
    public var temperature: Double?
    /// Now.
    public var underVoltage: Bool?
    /// Since the daemon's start.
    public var underVoltageSeen: Bool?
    /// Now.
    public var throttled: Bool?
    /// Since the daemon's start.
    public var throttledSeen: Bool?
    /// Per cent of its life.
    public var storageWear: Int?
    /// As the kernel counts them.
    public var fileSystemErrors: Int?
    /// The file system takes nothing.
    public var readOnly: Bool?

    /// Nothing is known.
    public init() {}

    public func keys(_ keys: inout AnswerKeys) {
      keys("troubles", &troubles)
      keys("readOnly", &readOnly)
      keys("temperature", &temperature)
      keys("underVoltage", &underVoltage)
      keys("underVoltageSeen", &underVoltageSeen)
      keys("throttled", &throttled)
      keys("throttledSeen", &throttledSeen)
      keys("storageWear", &storageWear)
      keys("fileSystemErrors", &fileSystemErrors)
    }
  }
}

// MARK: As the tracker knows it

extension StatusRecord {
  /// Odometer, trip and alarms: only what is switched on.
  public func take(_ journey: JourneyStatus) {
    odometer = journey.odometer.map { ($0 / 100).rounded() / 10 }
    trip = journey.trip.map { Trip($0) }
    guarded = journey.isGuarded ? true : nil
    anchor = journey.anchor.map { Anchor($0, alarm: journey.anchorAlarm) }
    speeding = journey.speeding.map { now in
      var shown = Speeding()
      shown.limit = now.limit
      return shown
    }
    sos = journey.sos.map { call in
      var shown = SOS()
      (shown.times, shown.since) = (call.times, call.start?.time.wholeSeconds)
      return shown
    }
    (jamming, spoofing) = (journey.jamming.map { .init($0) }, journey.spoofing.map { .init($0) })
    engineHours = journey.engineSeconds.map { ($0 / 360).rounded() / 10 }
    harshDriving = journey.harshRate.map { now in
      var shown = HarshDriving()
      (shown.rate, shown.tooSlow) = ((now.perSecond * 10).rounded() / 10, now.isTooLow ? true : nil)
      return shown
    }
  }
}

extension StatusRecord.Disturbance {
  fileprivate init(_ told: InterferenceState) {
    self.init()
    (state, since) = (told.level.rawValue, told.since?.wholeSeconds)
  }
}

extension StatusRecord.Trip {
  fileprivate init(_ trip: TripState) {
    self.init()
    (id, since, distance) = (trip.id, trip.start.time.wholeSeconds, Int(trip.distance.rounded()))
    duration = Int((trip.last.time - trip.start.time).seconds.rounded())
  }
}

extension StatusRecord.Anchor {
  /// `alarm` in metres.
  fileprivate init(_ anchor: AnchorState, alarm: Int) {
    self.init()
    let place = anchor.place
    latitude = (place.coordinate.latitude * 1e6).rounded() / 1e6
    longitude = (place.coordinate.longitude * 1e6).rounded() / 1e6
    (since, self.alarm, dragging) = (place.time.wholeSeconds, alarm, anchor.isDragging)
  }
}

/// The form in `status`, here and over the network: unknown values are absent, and `troubles` has a word for each
/// problem that a person should act on.
extension StatusRecord.Board {
  /// The current state, rounded as people read it.
  public convenience init(_ health: BoardHealth) {
    self.init()
    let found = health.troubles()
    troubles = BoardHealth.Trouble.allCases.filter(found.contains).map(\.rawValue)
    readOnly = health.isReadOnly
    temperature = health.temperature.map { ($0 * 10).rounded() / 10 }
    (underVoltage, throttled) = (health.isUnderVoltage, health.isThrottled)
    underVoltageSeen = underVoltage == nil ? nil : health.hadUnderVoltage
    throttledSeen = throttled == nil ? nil : health.hadThrottling
    (storageWear, fileSystemErrors) = (health.storageWear, health.fileSystemErrors)
  }
}
