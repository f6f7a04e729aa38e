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
  }

  private mutating func trackPoint(_ mark: TrackPoint) {
    double(mark.time.seconds)
    double(mark.coordinate.latitude)
    double(mark.coordinate.longitude)
    double(mark.accuracy)
  }
}

extension JourneyState {
  /// Before the anchor, the engine's seconds and a call for help, in this order: what a later version puts there has a
  /// mark of its own, and is passed over with all that is behind it.
  fileprivate static let (anchorMark, engineMark, sosMark): (UInt8, UInt8, UInt8) = (1, 2, 3)
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
    }
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
