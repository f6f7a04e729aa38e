import Model
import Timebase

/// Writes of every kind with values of every kind, as only a whole fleet would make them. Each is one that a tracker
/// might order; what the store makes of them is for `StoreTwin`.
struct StoreDraw {
  private var dice: Dice
  /// Of what goes up to the newest.
  private var ends: Dice
  private var sequence: UInt64
  private let first: UInt64
  private let longest: Int

  /// `last`: the highest sequence that the store knows. `longest`: bytes of a payload; more than a batch of the log may
  /// hold.
  init(_ dice: Dice, after last: UInt64, longest: Int = 300_000) {
    self.dice = dice
    var copy = dice
    ends = Dice(seed: copy.next(), for: "ends")
    self.longest = longest
    (first, sequence) = (last + 1, last)
  }

  mutating func writes() -> [StoreWrite] { (0..<dice.whole(1...5)).map { _ in write() } }

  private mutating func write() -> StoreWrite {
    switch dice.whole(0...21) {
    case 0...5: .insert(message())
    case 6: .remove((0..<dice.whole(1...4)).map { _ in known() })
    case 7: removal()
    case 8, 9: .region(region(), presence())
    case 10: .regionRemoved(rid: rid())
    case 11:
      .mode(
        ModeState(
          mode: mode(), downgraded: dice.chance(0.3), adapted: dice.chance(0.3),
          configured: maybe { $0.mode() }, isByRule: dice.chance(0.3)))
    case 12: dice.chance(0.5) ? .position(fix()) : .reference(fix())
    case 13: .history(report())
    case 14: .pruneHistory(keep: maybe { $0.dice.whole(0...40) }, since: maybe { $0.seconds() })
    case 15: .removePoints(part())
    case 16: dice.chance(0.5) ? .tag(maybe { $0.text() }) : .imported(text())
    case 17: .remoteSettings(RemoteSettings((0..<dice.whole(0...3)).map { _ in setting() }))
    case 18:
      .commandsSeen(
        (0..<dice.whole(0...6)).map { _ in SeenCommand(digest: dice.next(), time: Int(seconds())) })
    case 19: dice.chance(0.5) ? .clientIDForm(.apart) : .clientIDForm(.joined(user: text(), device: text()))
    case 20: dice.chance(0.5) ? .dropped(dice.whole(0...1_000_000)) : .journey(journey())
    default:
      dice.chance(0.5)
        ? .announced((0..<dice.whole(0...4)).map { _ in text() })
        : .entered(
          (0..<dice.whole(0...3)).map { _ in EnteredRegion(region: region(), isChanged: dice.chance(0.5)) })
    }
  }

  // MARK: Messages

  private mutating func message() -> Message {
    // Gaps are what overflow leaves.
    sequence += UInt64(dice.pick([1, 1, 1, 2, 300]))
    let size = dice.pick([0, 1, 80, 300, 4000, longest])
    return Message(
      sequence: sequence, topic: "t" + text(), payload: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) },
      qos: dice.whole(0...2), isRetained: dice.chance(0.5), isEvent: dice.chance(0.5), time: Int(seconds()))
  }

  /// One that is or was there, or none.
  private mutating func known() -> UInt64 {
    first + dice.next() % max(1, sequence + 2 - first)
  }

  private mutating func removal() -> StoreWrite {
    let after = dice.pick([0, known()])
    let through = dice.pick([after + 1, after + 3, dice.chance(0.2) ? sequence : after + 9])
    // All that waited was taken, and one was made meanwhile.
    if ends.chance(0.3), sequence > 0 { return .removeRange(after: 0, through: sequence - 1) }
    return .removeRange(after: after, through: through)
  }

  // MARK: Places

  private mutating func rid() -> String { "draw \(dice.whole(0...9))" }

  private mutating func region() -> Region {
    let corners = [(0.0, 0.0), (0.001, 0), (0.001, 0.001)]
    let place = place()
    return Region(
      rid: rid(), name: text(), coordinate: place, radius: dice.pick([-1, 0, 50, 120.5]),
      beacon: maybe {
        BeaconIdentity(
          uuid: "CA271EAE-5FA8-4E80-8F08-2A302A95A959", major: $0.maybe { UInt16($0.dice.whole(0...65_535)) },
          minor: $0.maybe { UInt16($0.dice.whole(0...65_535)) })
      } ?? nil,
      created: Int(seconds()), isShared: dice.chance(0.5), speedLimit: maybe { $0.dice.whole(5...130) },
      polygon: maybe { _ in
        try? Polygon(
          corners.compactMap {
            Coordinate(latitude: place.latitude / 2 + $0.0, longitude: place.longitude / 2 + $0.1)
          })
      } ?? nil, isPrivate: dice.chance(0.3), dwell: maybe { $0.dice.whole(1...600) })
  }

  private mutating func presence() -> Presence {
    dice.pick([.unknown, .inside, .outside, .dwelling(since: WallTime(seconds: seconds()))])
  }

  private mutating func place() -> Coordinate {
    Coordinate(latitude: dice.between(-80, 80), longitude: dice.between(-170, 170))!
  }

  private mutating func fix() -> Fix {
    Fix(
      time: WallTime(seconds: seconds()), coordinate: place(), accuracy: dice.spread(1, 900),
      altitude: maybe { $0.dice.between(-100, 4000) }, verticalAccuracy: maybe { $0.dice.spread(1, 90) },
      speed: maybe { $0.dice.between(0, 60) }, speedError: maybe { $0.dice.between(0, 5) },
      course: maybe { $0.dice.between(0, 359) })
  }

  private mutating func point() -> TrackPoint { TrackPoint(fix()) }

  private mutating func journey() -> JourneyState {
    var state = JourneyState()
    state.odometer = dice.spread(1, 1e8)
    state.place = maybe { $0.point() }
    state.isStanding = state.place != nil && dice.chance(0.5)
    state.fence = maybe { $0.point() }
    state.trip = maybe { TripState(start: $0.point(), last: $0.point(), distance: $0.dice.spread(1, 1e6)) }
    state.speeding = maybe {
      SpeedingState(
        start: $0.point(), limit: $0.dice.whole(5...130), top: $0.dice.between(0, 60),
        region: $0.maybe { $0.text() })
    }
    state.sos = maybe {
      var sos = SOSState()
      (sos.start, sos.times) = ($0.maybe { $0.point() }, $0.dice.whole(0...99))
      return sos
    }
    if dice.chance(0.5) { state.engineSeconds = dice.between(1, 1e8) }
    return state
  }

  private mutating func part() -> HistoryPart {
    let (number, time) = (Int64(dice.whole(0...60)), seconds())
    return dice.chance(0.5)
      ? HistoryPart(numbers: number...(number + 5)) : HistoryPart(times: time...(time + 1e7))
  }

  private mutating func report() -> LocationReport {
    let triggers: [Trigger] = [
      .automatic, .user, .remote, .timer, .ping, .circular, .follow, .beacon, .tow, .overspeed,
      .ignition(isOn: true), .ignition(isOn: false), .power(isOn: false), .power(isOn: true),
      .harsh(.braking), .harsh(.acceleration), .harsh(.cornering), .lowBattery, .batteryWell, .sos,
    ]
    let networks: [Network] = [
      .unknown, .none, .mobile, .wired, .wifi(ssid: nil, bssid: nil), .wifi(ssid: text(), bssid: text()),
    ]
    let states: [Battery.State] = [.unknown, .unplugged, .charging, .full]
    return LocationReport(
      fix: fix(), time: WallTime(seconds: seconds()), created: maybe { WallTime(seconds: $0.seconds()) },
      trigger: dice.pick(triggers), mode: mode(),
      battery: maybe { Battery(level: $0.dice.whole(0...100), state: $0.dice.pick(states)) },
      network: dice.pick(networks), pressure: maybe { $0.dice.between(80, 110) },
      inside: (0..<dice.whole(0...3)).map { _ in .init(name: maybe { $0.text() }, rid: rid()) },
      poi: maybe { $0.text() }, tag: maybe { $0.text() })
  }

  // MARK: Values

  private mutating func mode() -> MonitoringMode { dice.pick([.quiet, .manual, .significant, .move]) }
  private mutating func seconds() -> Double { Double(dice.whole(0...2_000_000_000)) }
  private mutating func text() -> String {
    dice.pick(["", "a", "Zuhause", "böser Ort / 2", String(repeating: "x", count: 300)])
  }

  private mutating func setting() -> RemoteSettings.Setting {
    .init(name: text(), value: value(), over: value())
  }

  private mutating func value() -> SettingValue {
    dice.pick([
      .flag(true), .flag(false), .number(dice.whole(-9...900)), .real(dice.between(-1, 1)), .text(text()),
    ])
  }

  private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
    dice.chance(0.6) ? make(&self) : nil
  }
}
