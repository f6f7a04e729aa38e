import Model
import Timebase

/// From where to where, how far and how long: trips, by the criteria that Traccar has made usual.
///
///     none ──the vehicle departs──▶ possible
///     possible ──500 m or 300 s of moving──▶ under way                          start
///     possible ──stopped before that──▶ none                                    nothing
///     under way ──stopped: stood for 300 s──▶ none                              stop: parked
///     under way ──no fix for an hour, or the board was off for 300 s──▶ none    stop: interrupted
struct TripEngine {
  enum Found: Hashable {
    case began(TripState)
    case ended(TripState, TripReport.Cause)
    /// It stopped before it was a trip.
    case tooShort(metres: Double)
  }

  /// Metres, and seconds of moving, that make a trip.
  static let shortest = (metres: 500.0, seconds: 300.0)
  /// Off for longer than this a board has missed the end of the trip, seconds.
  static let parking = Movement.parking
  /// Without a fix for longer than this a trip is over.
  static let silence = Span.minutes(60)

  private enum State {
    case none
    case possible(TripState)
    case underWay(TripState)
  }

  private var state: State
  /// The trip comes from before the start, and no fix was seen since.
  private(set) var isResumed: Bool

  /// One that is too short yet has not been told.
  init(_ stored: TripState?) {
    state = stored.map { Self.isLongEnough($0) ? .underWay($0) : .possible($0) } ?? .none
    isResumed = stored != nil
  }

  /// The trip under way.
  var current: TripState? { if case .underWay(let trip) = state { trip } else { nil } }

  /// The trip to keep over a restart, also one that is too short yet.
  var kept: TripState? {
    switch state {
    case .none: nil
    case .possible(let trip), .underWay(let trip): trip
    }
  }

  private static func isLongEnough(_ trip: TripState) -> Bool {
    trip.distance >= shortest.metres || (trip.last.time - trip.start.time).seconds >= shortest.seconds
  }

  /// `arrival`: where the vehicle last moved.
  mutating func consider(_ found: Movement.Found, arrival: TrackPoint?, at fix: Fix) -> [Found] {
    assert(!isResumed || kept != nil, "only a trip is resumed")
    // `Movement` takes no vague fix: the first that it does take says how long nobody looked.
    if isResumed, fix.accuracy <= Movement.worst {
      isResumed = false
      if let trip = kept, (fix.time - trip.last.time).seconds >= Self.parking { return breakOff() }
    }
    // The clock was wrong: how long such a trip takes nobody could say.
    if let trip = kept, fix.time < trip.start.time { return breakOff() }
    switch (state, found.change) {
    case (.none, .departed(let from)), (.possible, .departed(let from)):
      state = .possible(TripState(start: from, last: TrackPoint(fix), distance: 0))
    case (.none, _), (.possible, _), (.underWay, _): break
    }
    return grow(by: found, arrival: arrival)
  }

  private mutating func grow(by found: Movement.Found, arrival: TrackPoint?) -> [Found] {
    switch state {
    case .none: return []
    case .possible(var trip):
      assert(found.metres >= 0 && trip.distance >= 0, "a trip does not become shorter")
      trip.distance += found.metres
      trip.last = arrival ?? trip.last
      if case .stopped = found.change {
        state = .none
        return [.tooShort(metres: trip.distance)]
      }
      guard Self.isLongEnough(trip) else {
        state = .possible(trip)
        return []
      }
      state = .underWay(trip)
      return [.began(trip)]
    case .underWay(var trip):
      assert(found.metres >= 0 && trip.distance >= 0, "a trip does not become shorter")
      trip.distance += found.metres
      trip.last = arrival ?? trip.last
      if case .stopped(let place) = found.change {
        trip.last = place
        state = .none
        return [.ended(trip, .parked)]
      }
      state = .underWay(trip)
      return []
    }
  }

  /// Nobody was told of one that was too short.
  private mutating func breakOff() -> [Found] {
    defer { state = .none }
    return current.map { [.ended($0, .interrupted)] } ?? []
  }

  /// Places from `began` on were dated by a clock that has been put right. The start of a trip that was told stays:
  /// its id is made of that.
  mutating func clockSet(by seconds: Double, since began: WallTime) {
    func shift(_ time: inout WallTime) { if time >= began { time.seconds += seconds } }
    switch state {
    case .none: break
    case .possible(var trip):
      shift(&trip.start.time)
      shift(&trip.last.time)
      state = .possible(trip)
    case .underWay(var trip):
      shift(&trip.last.time)
      state = .underWay(trip)
    }
  }

  /// Nothing more will be heard of it.
  mutating func end(_ cause: TripReport.Cause) -> Found? {
    defer { (state, isResumed) = (.none, false) }
    return current.map { .ended($0, cause) }
  }
}
