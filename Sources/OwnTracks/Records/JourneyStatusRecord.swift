import Model
import Timebase

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
