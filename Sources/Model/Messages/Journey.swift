import Timebase

/// A place at a time, as far as a journey needs it.
public struct TrackPoint: Hashable, Sendable {
  /// Of the fix that it was made of.
  public var time: WallTime
  /// Where that fix was.
  public var coordinate: Coordinate
  /// Metres.
  public var accuracy: Double
  /// As of that fix.
  public var isHidden: Bool

  /// A place that was worked out; for that of a fix there is the other one.
  public init(time: WallTime, coordinate: Coordinate, accuracy: Double, isHidden: Bool = false) {
    self.time = time
    self.coordinate = coordinate
    self.accuracy = accuracy
    self.isHidden = isHidden
  }

  /// Where and when a fix was.
  public init(_ fix: Fix) {
    self.init(
      time: fix.time, coordinate: fix.coordinate, accuracy: fix.accuracy, isHidden: fix.isHidden)
  }
}

/// A trip that has begun and not ended.
public struct TripState: Hashable, Sendable {
  /// Where it stood before, and when it set out.
  public var start: TrackPoint
  /// Where and when it last moved: its end, if nothing more comes.
  public var last: TrackPoint
  /// Metres from the start to `last`.
  public var distance: Double

  /// A trip as it stands, or as the store has it.
  public init(start: TrackPoint, last: TrackPoint, distance: Double) {
    self.start = start
    self.last = last
    self.distance = distance
  }

  /// No vehicle begins two trips in one second: the same name before and after a power cut.
  public var id: String { String(max(0, start.time.wholeSeconds), radix: 16) }
}

/// An overspeed alarm that has begun and not ended.
public struct SpeedingState: Hashable, Sendable {
  /// The first fix that was too fast.
  public var start: TrackPoint
  /// Kilometres an hour: what was allowed when it began.
  public var limit: Int
  /// The fastest so far, metres a second.
  public var top: Double
  /// Name of the region whose limit it is; nil: the limit holds everywhere, or the region is not shared.
  public var region: String?
  /// It began where nobody may be told: nor is its end.
  public var isUntold = false

  /// `top` in metres a second, `limit` in kilometres an hour.
  public init(start: TrackPoint, limit: Int, top: Double, region: String?) {
    self.start = start
    self.limit = limit
    self.top = top
    self.region = region
  }
}

/// An anchor that is watched.
public struct AnchorState: Hashable, Sendable {
  /// Where the board was when the watch was set, and when.
  public var place: TrackPoint
  /// The circle was left, and the alarm was raised.
  public var isDragging: Bool

  /// As it is stored.
  public init(place: TrackPoint, isDragging: Bool) {
    self.place = place
    self.isDragging = isDragging
  }
}

/// A call for help that is not acknowledged yet.
public struct SOSState: Hashable, Sendable {
  /// Where the board was when it was told first; nil: it has not been.
  public var start: TrackPoint?
  /// How often it has been told.
  public var times = 0

  /// It is called and not told yet.
  public init() {}
}

/// A receiver that is jammed or spoofed, as it was told.
public struct InterferenceState: Hashable, Sendable {
  /// The one or the other.
  public var kind: Interference.Kind
  /// The worst that was told since it began.
  public var level: Interference.Level
  /// Where the board was, as far as was known; nil: not at all.
  public var start: TrackPoint?
  /// When it was told first; nil: no trusted clock.
  public var since: WallTime?

  /// As it begins.
  public init(kind: Interference.Kind, level: Interference.Level, start: TrackPoint?, since: WallTime?) {
    self.kind = kind
    self.level = level
    self.start = start
    self.since = since
  }
}

/// The state of a tracker's journeys that is kept over a restart.
public struct JourneyState: Hashable, Sendable {
  /// Metres since the odometer was switched on.
  public var odometer = 0.0
  /// Where it was counted to last; while it stands, where it stands and since when.
  public var place: TrackPoint?
  /// At `place`, and for sure: it was left there, and not only seen there first.
  public var isStanding = false
  /// The parking place that is guarded.
  public var fence: TrackPoint?
  /// Nil: none is under way, nor may become one. It has been told where it is long enough.
  public var trip: TripState?
  /// Nil: it is no faster than allowed.
  public var speeding: SpeedingState?
  /// Nil: no anchor is watched.
  public var anchor: AnchorState?
  /// How long the ignition has been on in all, seconds.
  public var engineSeconds = 0.0
  /// Nil: nobody calls for help.
  public var sos: SOSState?

  /// Of a vehicle that nothing is known of.
  public init() {}
}

/// The beginning or the end of a trip, to tell.
public struct TripReport: Hashable, Sendable {
  /// The end of the trip that is reported.
  public enum Event: Hashable, Sendable {
    /// It has become a trip: the vehicle has moved for 500 m or 300 s.
    case start
    /// It is over.
    case stop(Cause)
  }

  /// The cause of its end.
  public enum Cause: String, Hashable, Sendable {
    /// The vehicle stood for five minutes.
    case parked
    /// The board was without power, or without a position for an hour: it ended where it was last seen.
    case interrupted
    /// `trips` was switched off.
    case switchedOff
  }

  /// Decides which of the trip's two places the message tells.
  public var event: Event
  /// With `last` as its end where the event is a stop.
  public var trip: TripState
  /// When it was found out, minutes after it happened as a rule; nil: no trusted clock.
  public var created: WallTime?
  /// Metres; nil: it is not told.
  public var odometer: Double?

  /// Told as soon as it is found out.
  public init(event: Event, trip: TripState, created: WallTime?, odometer: Double? = nil) {
    self.event = event
    self.trip = trip
    self.created = created
    self.odometer = odometer
  }
}

/// An alarm, for attention now.
public struct AlarmReport: Hashable, Sendable {
  /// The cause of the alarm.
  public enum Kind: Hashable, Sendable {
    /// The parked vehicle was moved: from where, and how many metres.
    case tow(from: TrackPoint, metres: Double)
    /// The anchor drags: from where, and how many metres.
    case anchor(from: TrackPoint, metres: Double)
    /// Faster than allowed, from here on.
    case speeding(SpeedingState)
    /// No longer faster than allowed.
    case spedNoMore(SpeedingState)
    /// Braked, accelerated or cornered harder than allowed.
    case harsh(HarshManoeuvre)
    /// Somebody calls for help.
    case sos(SOSState)
    /// Somebody has acknowledged that.
    case helped(SOSState)
    /// The receiver is jammed or spoofed; `isWorse`: that was told before.
    case disturbed(InterferenceState, isWorse: Bool)
    /// It no longer is; `seconds` after it was told first.
    case undisturbed(InterferenceState, seconds: Double)

    /// It is about a call for help.
    public var isOfSOS: Bool {
      switch self {
      case .sos, .helped: true
      case .tow, .anchor, .speeding, .spedNoMore, .harsh, .disturbed, .undisturbed: false
      }
    }
  }

  /// Decides the `alarm` word of the message.
  public var kind: Kind
  /// The one that raised it: place and time of the message; nil: from a place that is not known.
  public var fix: Fix?
  /// When it was raised; nil: no trusted clock.
  public var created: WallTime?

  /// Told as soon as it is found out.
  public init(kind: Kind, fix: Fix?, created: WallTime?) {
    self.kind = kind
    self.fix = fix
    self.created = created
  }
}

/// The journey, for `homeward status`.
public struct JourneyStatus: Hashable, Sendable {
  /// Metres; nil: it is not counted.
  public var odometer: Double?
  /// Nil: none is under way, or `trips` is off.
  public var trip: TripState?
  /// The parking place is guarded.
  public var isGuarded = false
  /// Nil: it is no faster than allowed.
  public var speeding: SpeedingState?
  /// Nil: no anchor is watched.
  public var anchor: AnchorState?
  /// Metres around the anchor; 0: off.
  public var anchorAlarm = 0
  /// How long the ignition has been on in all, seconds; nil: nothing says whether it is.
  public var engineSeconds: Double?
  /// Nil: nobody calls for help.
  public var sos: SOSState?
  /// Nil: the receiver is not jammed, or does not say so.
  public var jamming: InterferenceState?
  /// The same of spoofing.
  public var spoofing: InterferenceState?
  /// Of the positions, where harsh driving is looked for; nil: it is not, or they have only begun to come.
  public var harshRate: PositionRate?

  /// Nothing is switched on.
  public init() {}
}
