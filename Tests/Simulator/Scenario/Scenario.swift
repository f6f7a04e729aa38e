import Glibc
import Model

/// What the people of one run have written into the configuration file, and change in it.
struct Scenario {
  private var dice: Dice
  let road: Road
  var configuration = Configuration()
  var waypoints: [WaypointEntry] = []
  /// See `drawJam`.
  var isJam = false
  private var made = 0
  /// Of people who are elsewhere, and of the vehicle.
  private var later: Dice
  /// Of people who change several things at once, or only a name.
  private var whims: Dice

  init(dice: Dice, later: Dice, whims: Dice, road: Road, radio: Radio) {
    (self.dice, self.later, self.whims) = (dice, later, whims)
    self.road = road
    configuration.identity.username = "anna"
    configuration.identity.deviceId = "van"
    configuration.broker.host = "broker"
    configuration.reports.monitoring = self.dice.pick([
      .move, .move, .significant, .significant, .significant, .manual,
    ])
    configuration.reports.locatorInterval = self.dice.pick([0, 20, 60, 300])
    configuration.reports.locatorDisplacement = self.dice.pick([0, 50, 100, 500])
    configuration.reports.ping = self.dice.pick([1, 3, 5, 15])
    configuration.regions.confirm = self.dice.pick([1, 2, 2, 3])
    configuration.regions.holdDown = self.dice.pick([0, 3, 30])
    configuration.reports.downgrade = self.dice.pick([0, 0, 30, 60])
    configuration.reports.adapt = self.dice.pick([0, 0, 2, 5])
    configuration.messages.qos = self.dice.pick([1, 1, 1, 2])
    configuration.broker.maxInFlight = self.dice.pick([1, 5, 20, 200, 200])
    configuration.queue.limit = self.dice.pick([10, 40, 200, 102_400, 102_400])
    configuration.queue.limitMegabytes = self.dice.pick([1, 100])
    configuration.history.days = self.dice.pick([-1, -1, 0, 1])
    configuration.reports.publishLocationOnConnect = self.dice.chance(0.2)
    configuration.receiver.dutyCycle = self.dice.pick([0, 0, 0, 0, 120])
    for (number, stop) in road.stops.enumerated() where self.dice.chance(0.85) {
      waypoints.append(entry(prefix(number), at: stop, radius: self.dice.between(70, 240)))
    }
    // Between two stops: drivers pass it without halting.
    let (one, other) = (road.stops[0], road.stops[1])
    let middle = Point(east: (one.east + other.east) / 2, north: (one.north + other.north) / 2)
    waypoints.append(entry("Bridge", at: middle, radius: 150))
    for one in radio.identities where self.dice.chance(0.8) {
      var region = entry(one.name, at: one.place, radius: 0)
      region.beacon = one.beacon
      waypoints.append(region)
    }
    configuration.beacons.ranging = self.dice.chance(0.2)
    configuration.beacons.lossTimeout = self.dice.pick([0, 0, 30, 120])
    if self.dice.chance(0.4) {
      let name = self.whims.pick(["+follow", "+10follow", "+60 around"])
      waypoints.append(entry(name, at: one, radius: 100))
    }
    equip()
  }

  /// Whom else the board listens to.
  mutating func listen(_ dice: inout Dice) {
    configuration.friends.isOn = dice.chance(0.5)
    configuration.commands.legacyListento = dice.chance(0.3)
  }

  /// How the broker is spoken to.
  mutating func connect(_ dice: inout Dice) {
    configuration.tls.isOn = dice.chance(0.5)
    configuration.broker.protocolLevel = dice.pick([0, 0, 0, 4, 5])
  }

  /// Regions whose edge runs by a place where the vehicle stands.
  mutating func drawEdges(_ dice: Dice) {
    var dice = dice
    for (number, stop) in road.stops.enumerated() where dice.chance(0.5) {
      let (radius, angle) = (dice.between(70, 240).rounded(), dice.between(0, 2 * .pi))
      let away = radius + dice.between(-50, 30)
      let middle = Point(east: stop.east + away * sin(angle), north: stop.north + away * cos(angle))
      waypoints.append(entry("Edge \(number)", at: middle, radius: radius))
    }
  }

  /// Two regions whose edges meet on the way between two stops: who leaves the one enters the other with the same fix.
  mutating func drawTwins(_ dice: Dice) {
    var dice = dice
    for (number, stop) in road.stops.enumerated().dropFirst() where dice.chance(0.4) {
      let other = road.stops[number - 1]
      let (east, north) = (stop.east - other.east, stop.north - other.north)
      let length = (east * east + north * north).squareRoot()
      let (near, far) = (dice.between(60, 200).rounded(), dice.between(60, 200).rounded())
      guard length > 2 * (near + far) else { continue }
      for (name, radius, away) in [("B twin \(number)", near, -near), ("A twin \(number)", far, far)] {
        let share = 0.5 + away / length
        let middle = Point(east: other.east + east * share, north: other.north + north * share)
        waypoints.append(entry(name, at: middle, radius: radius))
      }
    }
  }

  /// Regions that wait before they are left, which the vehicle leaves where it turns round.
  mutating func drawTurns(_ dice: Dice) {
    var dice = dice
    for (number, metres) in road.turns.sorted(by: { $0.key < $1.key }) where dice.chance(0.8) {
      waypoints.append(
        entry("-Turn \(number)", at: road.stops[number], radius: metres - dice.between(25, 50)))
    }
    if !road.turns.isEmpty, dice.chance(0.5) { configuration.regions.holdDown = 30 }
  }

  /// Some beacons' regions wait before they are left.
  mutating func holdDown(_ dice: Dice) {
    var dice = dice
    for index in waypoints.indices where waypoints[index].beacon != nil && dice.chance(0.3) {
      waypoints[index].name = "-" + waypoints[index].name
    }
  }

  private mutating func equip() {
    configuration.journey.odometer = later.chance(0.5)
    configuration.journey.trips = later.chance(0.5)
    configuration.journey.overspeed = later.pick([0, 0, 30, 60])
    configuration.journey.towAlarm = later.pick([0, 0, 200])
    configuration.commands.isOn = later.chance(0.8)
    configuration.commands.remoteConfiguration = later.chance(0.8)
    if later.chance(0.4) {
      configuration.power.ignitionInput.text = "gpio:0:17"
      configuration.power.ignitionDelay = later.pick([5, 60])
      configuration.power.parkedShutdown = later.pick([0, 300])
    }
  }

  /// The port of a broker that is not there.
  static let wrongPort = 1999

  /// What somebody orders over the network.
  mutating func order() -> Command {
    switch later.whole(0...12) {
    case 0...2: return .reportLocation
    case 3: return .dump
    case 4: return configuration.power.parkedWake > 0 ? .park : .status
    case 5: return .waypoints
    case 6: return .reportSteps(from: nil, to: nil)
    case 7: return .setWaypoints([entry("Far \(made)", at: later.pick(road.stops), radius: 90)])
    case 8: return later.chance(0.2) ? .clearWaypoints : .status
    default:
      var change = SettingsChange()
      change.settings = [setting(), setting()]
      if later.chance(0.2) { change.monitoring = later.pick([.significant, .move, .move, .quiet]) }
      return .setConfiguration(change)
    }
  }

  private mutating func setting() -> SettingsChange.Setting {
    switch later.whole(0...7) {
    case 0: .init("locatorDisplacement", .number(later.pick([0, 50, 100, 500])))
    case 1: .init("locatorInterval", .number(later.pick([0, 20, 60, 300])))
    case 2: .init("ping", .number(later.pick([1, 3, 5, 15])))
    case 3: .init("trips", .flag(later.chance(0.7)))
    case 4: .init("odometer", .flag(later.chance(0.7)))
    case 5: .init("overspeed", .number(later.pick([0, 20, 50])))
    default: .init("port", .number(later.pick([8883, 1883, 1883, Self.wrongPort])))
    }
  }

  private mutating func prefix(_ number: Int) -> String {
    switch dice.whole(0...9) {
    case 0: "-Stop \(number)"
    case 1: "Stop \(number)|2|1"
    case 2: "Stop \(number)|1|2"
    case 3: dice.chance(0.3) ? "Stop \(number)|-1|1" : "Stop \(number)|0|2"
    default: "Stop \(number)"
    }
  }

  mutating func entry(_ name: String, at place: Point, radius: Double) -> WaypointEntry {
    made += 1
    return WaypointEntry(
      name: name, coordinate: place.coordinate, radius: radius.rounded(),
      created: Int(BoardClock.epoch) - 86_400 + made, isShared: dice.chance(0.85))
  }

  /// A person edits the file.
  mutating func edit() {
    switch dice.whole(0...9) {
    case 0:
      configuration.reports.monitoring = dice.pick([.move, .significant, .significant, .manual, .quiet])
    case 1: configuration.reports.locatorDisplacement = dice.pick([0, 50, 100, 500])
    case 2: configuration.reports.locatorInterval = dice.pick([0, 20, 60, 300])
    case 3: configuration.reports.ping = dice.pick([1, 3, 5, 15])
    case 4:
      configuration.identity.username = dice.pick(["anna", "anna", "bert"])
      if whims.chance(0.3) { configuration.identity.username = "" }
    case 5: configuration.broker.port = dice.pick([8883, 8883, 1883, 0])
    case 6: configuration.queue.limit = dice.pick([10, 40, 200, 102_400])
    case 7: configuration.broker.maxInFlight = dice.pick([1, 5, 20, 200])
    case 8: configuration.reports.ignoreInaccurateLocations = dice.pick([0, 6, 50])
    default:
      editRegions()
      if whims.chance(0.5) { removeAnother() }
    }
  }

  /// In the same go, and further down in the list.
  private mutating func removeAnother() {
    let circles = waypoints.indices.filter {
      waypoints[$0].beacon == nil && waypoints[$0].coordinate != nil && waypoints[$0].name.utf8.first != 0x2B
    }
    if circles.count > 2, let last = circles.last { waypoints[last].coordinate = nil }
  }

  private mutating func editRegions() {
    guard !waypoints.isEmpty else { return }
    let place = dice.whole(0...waypoints.count - 1)
    // What a beacon is, its region keeps: a radius would make another kind of it.
    guard waypoints[place].beacon == nil else { return }
    switch dice.whole(0...2) {
    case 0: waypoints[place].radius = dice.between(70, 240).rounded()
    case 1:
      // Out of range: a deletion, which stays in the file.
      waypoints[place].coordinate = nil
    default: waypoints.append(entry("Stop \(20 + made)", at: dice.pick(road.stops), radius: 90))
    }
  }

  /// What has to be right for the world to be told anything.
  mutating func repair() {
    configuration.broker.port = 8883
    if configuration.identity.username.isEmpty { configuration.identity.username = "anna" }
    configuration.reports.ignoreInaccurateLocations = 0
    if [.quiet, .manual].contains(configuration.reports.monitoring), dice.chance(0.8) {
      configuration.reports.monitoring = dice.whole(1...2) == 1 ? .significant : .move
    }
  }

  private mutating func change(of name: String, _ radius: Double) -> ControlRequest.RegionEdit {
    var edit = ControlRequest.RegionEdit()
    switch whims.whole(0...3) {
    case 0: edit.name = name.replacing("Stop", with: "Halt").replacing("Edge", with: "Rim")
    case 1: edit.isShared = whims.chance(0.5)
    default: edit.radius = radius
    }
    return edit
  }

  /// What a person at the board types.
  mutating func command() -> ControlRequest {
    switch dice.whole(0...19) {
    case 0...5: return .publish(poi: nil)
    case 6: return .publish(poi: "photo \(dice.whole(1...99))")
    case 7...10: return .mode(dice.pick([.significant, .move, .move, .significant, .manual, .quiet]))
    case 11: return .tag(dice.chance(0.5) ? nil : "tour \(dice.whole(1...9))")
    case 12:
      return .regionAdd(entry("Stop \(40 + made)", at: dice.pick(road.stops), radius: 120), isHere: false)
    case 13: return .regionAdd(entry("Here \(made)", at: Point(east: 0, north: 0), radius: 60), isHere: true)
    case 14:
      let radius = dice.between(60, 260).rounded()
      let name = dice.pick(waypoints.map(\.name) + ["nowhere"])
      return .regionSet(region: name, change(of: name, radius))
    case 15: return .regionRemove(region: dice.pick(waypoints.map(\.name) + ["nowhere"]))
    case 16: return dice.chance(0.2) ? .queueClear : .queue
    case 17: return .why
    case 18: return .regionList
    default: return .status
    }
  }
}
