import Model

/// Odometer, trip and parking place, as bytes and back.
extension StoreRecord {
  /// Nil for other kinds, and where bytes are missing.
  var journey: JourneyState? {
    guard kind == .journey else { return nil }
    var fields = fields
    let state = fields.journey()
    return fields.isShort ? nil : state
  }
}

extension ByteWriter {
  /// One record for all of it: after a power cut the odometer and the trip must be of the same moment.
  mutating func journey(_ state: JourneyState) {
    double(state.odometer)
    optional(state.place) { $0.trackPoint($1) }
    flag(state.isStanding)
    optional(state.fence) { $0.trackPoint($1) }
    optional(state.trip) { writer, trip in
      writer.trackPoint(trip.start)
      writer.trackPoint(trip.last)
      writer.double(trip.distance)
    }
    optional(state.speeding) { writer, speeding in
      writer.trackPoint(speeding.start)
      writer.number(Int32(clamping: speeding.limit))
      writer.double(speeding.top)
      writer.optional(speeding.region)
    }
    // Later than the rest: records that end before it are those of boards without an anchor.
    if let anchor = state.anchor {
      number(JourneyState.anchorMark)
      trackPoint(anchor.place)
      flag(anchor.isDragging)
    }
    if state.engineSeconds > 0 {
      number(JourneyState.engineMark)
      double(state.engineSeconds)
    }
    if let sos = state.sos {
      number(JourneyState.sosMark)
      optional(sos.start) { $0.trackPoint($1) }
      number(Int32(clamping: sos.times))
    }
    let untold = UntoldParts(of: state)
    if untold != [] {
      number(JourneyState.untoldMark)
      number(untold.rawValue)
    }
  }

  private mutating func trackPoint(_ mark: TrackPoint) {
    double(mark.time.seconds)
    double(mark.coordinate.latitude)
    double(mark.coordinate.longitude)
    double(mark.accuracy)
  }
}

extension JourneyState {
  /// Before the anchor, the engine's seconds, a call for help and what is hidden, in this order: what a later version
  /// puts there has a mark of its own, and is passed over with all that is behind it.
  fileprivate static let (anchorMark, engineMark, sosMark, untoldMark): (UInt8, UInt8, UInt8, UInt8) = (
    1, 2, 3, 4
  )
}

/// Places of a journey that a private beacon's region hides, and what was told to nobody.
private struct UntoldParts: OptionSet {
  let rawValue: UInt8

  static let counted = UntoldParts(rawValue: 1)
  static let fence = UntoldParts(rawValue: 2)
  static let tripStart = UntoldParts(rawValue: 4)
  static let tripEnd = UntoldParts(rawValue: 8)
  static let speeding = UntoldParts(rawValue: 16)
  static let anchor = UntoldParts(rawValue: 32)
  /// No place: that the alarm began was told to nobody.
  static let speedingUntold = UntoldParts(rawValue: 64)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(of state: JourneyState) {
    self = []
    if state.place?.isHidden == true { insert(.counted) }
    if state.fence?.isHidden == true { insert(.fence) }
    if state.trip?.start.isHidden == true { insert(.tripStart) }
    if state.trip?.last.isHidden == true { insert(.tripEnd) }
    if state.speeding?.start.isHidden == true { insert(.speeding) }
    if state.anchor?.place.isHidden == true { insert(.anchor) }
    if state.speeding?.isUntold == true { insert(.speedingUntold) }
  }

  func mark(_ state: inout JourneyState) {
    if contains(.counted) { state.place?.isHidden = true }
    if contains(.fence) { state.fence?.isHidden = true }
    if contains(.tripStart) { state.trip?.start.isHidden = true }
    if contains(.tripEnd) { state.trip?.last.isHidden = true }
    if contains(.speeding) { state.speeding?.start.isHidden = true }
    if contains(.anchor) { state.anchor?.place.isHidden = true }
    if contains(.speedingUntold) { state.speeding?.isUntold = true }
  }
}

extension ByteReader {
  /// A value that is no number or no place costs the part that it belongs to.
  fileprivate mutating func journey() -> JourneyState {
    var state = JourneyState()
    state.odometer = metres() ?? 0
    state.place = optional { $0.trackPoint() } ?? nil
    // Standing nowhere is not known to stand.
    state.isStanding = flag() && state.place != nil
    state.fence = optional { $0.trackPoint() } ?? nil
    state.trip =
      optional { reader in
        let (start, last, distance) = (reader.trackPoint(), reader.trackPoint(), reader.metres())
        guard let start, let last, let distance else { return nil }
        return TripState(start: start, last: last, distance: distance)
      } ?? nil
    state.speeding =
      optional { reader in
        let (start, limit) = (reader.trackPoint(), Int(reader.number(Int32.self)))
        let (top, region) = (reader.metres(), reader.optionalText())
        guard let start, let top else { return nil }
        return SpeedingState(start: start, limit: limit, top: top, region: region)
      } ?? nil
    var mark = left > 0 ? number(UInt8.self) : 0
    if mark == JourneyState.anchorMark {
      let (place, isDragging) = (trackPoint(), flag())
      state.anchor = place.map { AnchorState(place: $0, isDragging: isDragging) }
      mark = left > 0 ? number(UInt8.self) : 0
    }
    if mark == JourneyState.engineMark {
      state.engineSeconds = metres() ?? 0
      mark = left > 0 ? number(UInt8.self) : 0
    }
    if mark == JourneyState.sosMark {
      var sos = SOSState()
      sos.start = optional { $0.trackPoint() } ?? nil
      sos.times = max(0, Int(number(Int32.self)))
      state.sos = sos
      mark = left > 0 ? number(UInt8.self) : 0
    }
    if mark == JourneyState.untoldMark { UntoldParts(rawValue: number(UInt8.self)).mark(&state) }
    return state
  }

  /// All of it is read, whatever the first part holds: what comes after it lies behind.
  private mutating func trackPoint() -> TrackPoint? {
    let time = time()
    let coordinate = Coordinate(latitude: double(), longitude: double())
    let accuracy = metres()
    guard let time, let coordinate, let accuracy else { return nil }
    return TrackPoint(time: time, coordinate: coordinate, accuracy: accuracy)
  }

  /// Metres, metres a second, or seconds: 0 or more, and no more than a vehicle of this world could have.
  private mutating func metres() -> Double? {
    let metres = double()
    return metres >= 0 && metres < 1e12 ? metres : nil
  }
}
