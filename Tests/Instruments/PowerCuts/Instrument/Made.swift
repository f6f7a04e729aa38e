import Model
import Timebase

/// Values of the kinds that a daemon stores, made of a number: no two lives make the same.
struct Made {
  /// Of this life: of two messages with one sequence number the one that a cut took has other bytes.
  let life: UInt64

  private func time(_ number: Int) -> WallTime { WallTime(seconds: 1_700_000_000 + Double(number)) }

  private func place(_ number: Int) -> Coordinate {
    guard let place = Coordinate(latitude: 48 + Double(number % 90_000) / 1e5, longitude: 11.5) else {
      preconditionFailure("it is on the Earth")
    }
    return place
  }

  func message(_ sequence: UInt64, isEvent: Bool, length: Int) -> Message {
    var payload = Array("{\"_type\":\"location\",\"life\":\(life),\"n\":\(sequence),\"fill\":\"".utf8)
    while payload.count < length - 2 {
      payload.append(UInt8(97 + (payload.count + Int(truncatingIfNeeded: life % 13)) % 26))
    }
    payload += Array("\"}".utf8)
    return Message(
      sequence: sequence, topic: "owntracks/board/van", payload: payload, qos: 1, isRetained: !isEvent,
      isEvent: isEvent, time: 1_700_000_000 + Int(truncatingIfNeeded: sequence))
  }

  func fix(_ number: Int) -> Fix {
    Fix(
      time: time(number), coordinate: place(number), accuracy: 4.5, altitude: 33,
      speed: Double(life % 40), course: 271.5)
  }

  func report(_ number: Int) -> LocationReport {
    LocationReport(fix: fix(number), time: time(number), created: nil, trigger: .timer, mode: .move)
  }

  func region(_ number: Int, form: Int) -> Region {
    Region(
      rid: "rid\(number)", name: "Place \(number) as of \(form)|in|out", coordinate: place(number),
      radius: Double(50 + form % 1000), created: 1_600_000_000 + number, isShared: number % 2 == 0)
  }

  func journey(_ number: Int) -> JourneyState {
    var state = JourneyState()
    state.odometer = Double(number) * 12.5
    state.place = TrackPoint(fix(number))
    state.isStanding = number % 3 == 0
    return state
  }

  func mode(_ number: Int) -> ModeState {
    ModeState(
      mode: [.quiet, .manual, .significant, .move][number % 4], downgraded: number % 8 > 3,
      adapted: number % 16 > 7)
  }

  func settings(_ number: Int) -> RemoteSettings {
    RemoteSettings(
      (0...number % 3).map {
        .init(name: "setting\($0)", value: .number(number), over: .text("\(life)"))
      })
  }

  func seen(_ number: Int) -> [SeenCommand] {
    (0...number % 20).map { SeenCommand(digest: life &+ UInt64(number + $0), time: 1_700_000_000 + number) }
  }
}
