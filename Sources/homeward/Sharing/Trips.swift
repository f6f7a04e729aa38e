import Model
import OwnTracks

/// One drive, as the history shows it.
struct Trip: Equatable {
  /// Unix seconds: the last moment at the place that it left.
  var start: Double
  /// Unix seconds: the first moment at the place where it ended, or the newest point of one under way.
  var end: Double
  /// Along the points: the way itself is a little longer.
  var metres: Double
  /// It has not been seen to end.
  var isOpen = false
}

/// Finds the trips in a track. They need not have been told as trips: what counts is that the vehicle has gone
/// somewhere, and has then stood for five minutes.
///
///     standing ──── beyond `reach` of the place ───▶ under way
///         ▲                                             │
///         └── `parking` within `reach`, or nothing ─────┘
///             heard for so long that it has stood
struct TripFinder {
  /// Metres around a place that receivers wander while the vehicle stands; the errors of both points come on top.
  private static let reach = 100.0
  /// Metres around the place where it stands that are still that place: what is further belongs to the trip.
  private static let close = 25.0
  /// Metres: a point that is worse may be anywhere.
  private static let worst = 100.0
  /// Seconds that end a trip, as for trips that are published.
  private static let parking = 300.0
  /// Seconds without a point after which a trip is over.
  private static let silence = 3600.0
  /// Metres a second between two points: what is slower has stood in between.
  private static let slowest = 0.5
  /// Metres; what goes no further is no trip.
  private static let shortest = 500.0

  private struct Stay {
    var coordinate: Coordinate
    /// Metres.
    var accuracy: Double
    /// Within reach from then on, and until then.
    var since: Double
    var last: Double
    /// The last moment close to the very place.
    var near: Double
    /// Where it came to rest within reach, and when.
    var rest: Coordinate
    var restSince: Double
    var isParked = false

    init(_ coordinate: Coordinate, _ accuracy: Double, at time: Double) {
      (self.coordinate, self.accuracy, rest) = (coordinate, accuracy, coordinate)
      (since, last, near, restSince) = (time, time, time, time)
    }

    func isWithin(_ metres: Double, of place: Coordinate, _ accuracy: Double) -> Bool {
      coordinate.distance(to: place) <= metres + accuracy + self.accuracy
    }

    /// Still within reach.
    mutating func go(on place: Coordinate, _ accuracy: Double, at time: Double) {
      last = time
      if coordinate.distance(to: place) <= TripFinder.close + accuracy { near = time }
      if rest.distance(to: place) > TripFinder.close + accuracy { (rest, restSince) = (place, time) }
    }

    /// It stands here: this is the place that the next trip leaves.
    mutating func park(on place: Coordinate, _ accuracy: Double, at time: Double) {
      (coordinate, self.accuracy, near, isParked) = (place, accuracy, time, true)
    }
  }

  private var stay: Stay?
  private var underWay: Trip?
  private var found: [Trip] = []

  /// Oldest first, the one that is under way last. `now`: Unix seconds.
  func trips(at now: Double) -> [Trip] {
    // Whether another point will come or not: this is where the trip has ended.
    if let stay, now - stay.last >= Self.silence {
      var ended = self
      ended.end(at: stay)
      return ended.found
    }
    guard var open = underWay, open.metres >= Self.shortest else { return found }
    open.isOpen = true
    return found + [open]
  }

  /// The points of the track in their order.
  mutating func take(_ place: Coordinate, accuracy: Double, at time: Double) {
    let accuracy = min(accuracy, Self.worst)
    let here = Stay(place, accuracy, at: time)
    guard var stay, time >= stay.last else {
      self.stay = here
      return
    }
    if stay.isWithin(Self.reach, of: place, accuracy) {
      stay.go(on: place, accuracy, at: time)
      if !stay.isParked, time - stay.since >= Self.parking {
        end(at: stay)
        stay.park(on: place, accuracy, at: time)
      }
      self.stay = stay
      return
    }
    let metres = stay.coordinate.distance(to: place)
    let gap = time - stay.last
    self.stay = here
    guard gap < Self.silence else { return end(at: stay) }
    if gap >= Self.parking, metres < gap * Self.slowest { end(at: stay) }
    var trip = underWay ?? Trip(start: stay.near, end: time, metres: 0)
    trip.end = time
    trip.metres += metres
    underWay = trip
  }

  private mutating func end(at stay: Stay) {
    if var trip = underWay, trip.metres >= Self.shortest {
      trip.end = stay.restSince
      trip.metres += stay.coordinate.distance(to: stay.rest)
      found.append(trip)
    }
    underWay = nil
  }
}

extension TripFinder {
  /// Those of the whole history.
  static func all(socket: String) throws -> [Trip] {
    var finder = TripFinder()
    try Pages(socket: socket).each(["history"], HistoryPage.self) { page in
      for place in PlaceRecord.all(page.points) {
        guard let latitude = place.latitude, let longitude = place.longitude,
          let coordinate = Coordinate(latitude: latitude, longitude: longitude), let time = place.time
        else { continue }
        finder.take(coordinate, accuracy: place.accuracy ?? 0, at: Double(time))
      }
    }
    return finder.trips(at: TimeWords.present.now)
  }

  /// `text`: "last", an id as `history trips` and the messages of trips have it, or a moment within the trip.
  static func choose(_ text: String, of trips: [Trip], _ present: TimeWords = .present) throws -> Trip {
    if text.lowercased() == "last" {
      guard let last = trips.last else { throw Failure(.failed, "there is no trip in the history") }
      return last
    }
    guard let moment = moment(text, present) else {
      throw Failure(
        .usage, "--trip is \"\(text.plainLine)\"; expected last, an id, or \(TimeWords.expectation)")
    }
    let within = trips.last { $0.start <= moment && moment <= $0.end }
    // A trip that was told may have begun a little before or after its first point.
    guard let trip = within ?? trips.first(where: { ($0.start - moment).magnitude <= parking }) else {
      throw Failure(.failed, "no trip at \(Readable.time(moment)): see `homeward history trips`")
    }
    return trip
  }

  /// An id is the second of the start in hexadecimal, in eight digits: a Unix time has ten.
  private static func moment(_ text: String, _ present: TimeWords) -> Double? {
    if text.utf8.count == 8, text.allSatisfy(\.isHexDigit), let second = Int(text, radix: 16) {
      return Double(second)
    }
    return present.moment(text)
  }
}

extension Trip {
  /// In the form of the trips that are published.
  var id: String { String(Int(max(0, start)), radix: 16) }

  var json: JSON {
    [
      "id": .string(id), "from": .integer(Int64(start)), "to": .integer(Int64(end)),
      "distance": .integer(Int64(metres)), "underWay": .boolean(isOpen),
    ]
  }

  var row: [String] {
    [
      id, Readable.time(start), isOpen ? "under way" : Readable.time(end),
      Readable.span(end - start),
      "\(Readable.number(metres / 1000)) km",
    ]
  }
}
