import OwnTracks

/// The daemon's status for people. Whatever is missing is passed over: an older or a newer daemon
/// than this program is no reason to fail.
struct StatusText {
  private let status: StatusRecord
  private let isColoured: Bool
  private var table = Table()

  init(_ status: StatusRecord, isColoured: Bool) {
    self.status = status
    self.isColoured = isColoured
    let cause = status.modeCause.map { " (\($0))" } ?? ""
    table.add("Mode:", Readable.text(status.label ?? status.mode) + cause)
    addConnection()
    addIdentity()
    addMessages()
    addLeftovers()
    addReceiver()
    addFix()
    addJourney()
    addBeacons()
    addPlaces()
    addBoard()
    addDaemon()
  }

  var text: String { table.text }

  private mutating func addConnection() {
    guard let connection = status.connection else { return }
    var words = Readable.text(connection.state)
    if let host = connection.host, !host.isEmpty {
      words += " \(host)" + (connection.port.map { ":\($0)" } ?? "")
    }
    if let endpoint = connection.endpoint { words += " \(endpoint)" }
    if let cause = connection.cause, !cause.isEmpty, cause != connection.state { words += ": \(cause)" }
    if let since = connection.since { words += ", for \(Readable.span(since))" }
    let colour = connection.colour ?? ""
    let light = isColoured ? Light(word: colour) : nil
    let word = light == nil && !colour.isEmpty ? "[\(colour)] " : ""
    table.add(connection.endpoint == nil ? "Broker:" : "Endpoint:", light, word + words)
    if let next = connection.nextAttempt { table.add("", "next attempt in \(Readable.span(next))") }
    if let words = DeliveryText.words(connection) { table.add("Delivery:", words) }
    if let words = CommandsText.words(connection) { table.add("Commands:", words) }
    if let security = connection.security { table.add("Security:", security) }
    if let error = connection.lastError, let text = error.text {
      table.add("Last error:", text + (error.age.map { ", \(Readable.span($0)) ago" } ?? ""))
    }
    for missing in connection.notSubscribed ?? [] {
      table.add("Not heard:", "\(Readable.text(missing.filter)): \(Readable.text(missing.why))")
    }
  }

  private mutating func addIdentity() {
    guard status.connection != nil, let identity = status.identity else { return }
    table.add(
      "Identity:",
      identity.valid == false
        ? "username or deviceId is not set: nothing is published"
        : "\(Readable.text(identity.topic)) (tid \(Readable.text(identity.tid)))")
  }

  private mutating func addMessages() {
    guard status.connection != nil, let messages = status.messages else { return }
    if let updates = messages.friendUpdates, updates > 0 {
      table.add("Friends:", "\(Readable.count(updates, "update")) since you last looked (homeward friends)")
    }
    add("Malformed:", messages.malformed, last: messages.lastMalformed)
    add("Unreadable:", messages.unopened, last: messages.lastUnopened)
  }

  private mutating func add(_ label: String, _ count: Int?, last: String?) {
    guard let count, count > 0 else { return }
    table.add(label, "\(Readable.count(count, "message")), the last: \(Readable.text(last))")
  }

  private mutating func addLeftovers() {
    guard let left = status.leftDescriptions else { return }
    let entities = Readable.count(left, "entity", plural: "entities")
    table.add("Shown still:", "\(entities) of Home Assistant, see homeward doctor")
  }

  private mutating func addReceiver() {
    guard let gps = status.gps else { return }
    guard gps.reached != false else {
      let cause = gps.cause ?? ""
      return table.add("Receiver:", "\(gps.sourceName) is not reached" + (cause.isEmpty ? "" : ": \(cause)"))
    }
    if gps.silent != nil, let cause = gps.cause { return table.add("Receiver:", cause) }
    let fixes = ["unknown", "no fix", "2D fix", "3D fix"]
    if (gps.mode ?? 0) < 1, let cause = gps.cause { return table.add("Receiver:", cause) }
    var words = gps.mode.flatMap { fixes.indices.contains($0) ? fixes[$0] : nil } ?? "reached"
    if let satellites = gps.satellites { words += ", \(satellites) satellites" }
    if let device = gps.device, !device.isEmpty { words += ", \(device)" }
    table.add("Receiver:", words)
    addInterference()
  }

  /// A fix is still a place; whether it is the right one is another matter.
  private mutating func addInterference() {
    if let state = status.jamming?.state {
      table.add("", "jammed" + (state == "critical" ? ": it has no fix" : ", and it still has a fix"))
    }
    if status.spoofing != nil { table.add("", "spoofed: its positions may be false") }
  }

  private mutating func addFix() {
    guard let fix = status.fix, let latitude = fix.latitude, let longitude = fix.longitude
    else { return table.add("Position:", "none yet") }
    var words =
      "\(Readable.number(latitude, decimals: 6)), \(Readable.number(longitude, decimals: 6))"
    if let accuracy = fix.accuracy { words += " ± \(Readable.number(accuracy, decimals: 0)) m" }
    if let age = fix.age { words += ", \(Readable.span(age)) old" }
    if let speed = fix.speed, speed > 0 { words += ", \(speed) km/h" }
    table.add("Position:", words)
    if status.clock?.trusted == false { table.add("Clock:", "not trusted yet") }
  }

  private mutating func addJourney() {
    if let odometer = status.odometer { table.add("Odometer:", "\(Readable.number(odometer)) km") }
    if let times = status.sos?.times {
      let since = status.sos?.since.map { ", since \(Readable.time(Double($0)))" } ?? ""
      let often = times == 1 ? "once" : "\(times) times"
      table.add("SOS:", "published \(often)\(since); once somebody cares: homeward sos --acknowledge")
    }
    if let hours = status.engineHours { table.add("Engine:", "\(Readable.number(hours)) hours in all") }
    if let trip = status.trip, let metres = trip.distance, let since = trip.since {
      let words = "\(Readable.number(Double(metres) / 1000)) km since \(Readable.time(Double(since)))"
      table.add("Trip:", words + (trip.duration.map { ", \(Readable.span(Double($0)))" } ?? ""))
    }
    if status.guarded == true { table.add("Parked:", "guarded against being moved") }
    if let anchor = status.anchor, let metres = anchor.alarm {
      let words = anchor.dragging == true ? "drags, beyond" : "watched, within"
      let since = anchor.since.map { ", set \(Readable.time(Double($0)))" } ?? ""
      table.add("Anchor:", "\(words) \(metres) m\(since)")
    }
    if let limit = status.speeding?.limit { table.add("Speed:", "faster than \(limit) km/h") }
    if let harsh = status.harshDriving, harsh.tooSlow == true, let rate = harsh.rate {
      table.add("Harsh driving:", "needs 5 positions a second, the receiver gives \(Readable.number(rate))")
    }
  }

  private mutating func addBeacons() {
    guard let scanner = status.scanner, let state = scanner.state, state != "idle" else { return }
    var words = state
    if let adapter = scanner.adapter { words += " on \(adapter)" }
    if let way = scanner.way { words += ", \(way)" }
    if let reason = scanner.reason { words += " because \(reason)" }
    if let cause = scanner.cause { words += ": \(cause)" }
    if let reception = scanner.reception { words += ", \(reception) % of the calls arrive" }
    table.add("Beacons:", words)
    for hint in scanner.hints ?? [] { table.add("", hint) }
  }

  private mutating func addPlaces() {
    if let queue = status.queue {
      table.add("Queue:", QueueText.summary(queue))
      if let confirmed = QueueText.confirmed(queue) { table.add("Confirmed:", confirmed) }
      if let held = QueueText.held(on: queue.held ?? []) { table.add("Held:", held) }
      for words in status.connection?.refusals ?? [] { table.add("", words) }
      if let passedBy = QueueText.passedBy(queue) { table.add("Passed by:", passedBy) }
      if let old = QueueText.old(queue) { table.add("Backlog:", old) }
    }
    if let data = status.data, let today = data.today, let month = data.month {
      let budget = data.budget.map { " of \(Readable.bytes($0))" } ?? ""
      table.add("Data:", "\(Readable.bytes(today)) today, \(Readable.bytes(month))\(budget) this month")
      if let spacing = data.spacing {
        table.add("", "to save data, positions are sent \(Readable.span(Double(spacing))) apart (dataBudget)")
      }
    }
    guard let count = status.regions else { return }
    let inside = status.inside ?? []
    table.add(
      "Regions:", "\(count)" + (inside.isEmpty ? "" : ", inside of \(inside.joined(separator: ", "))"))
  }

  private mutating func addBoard() {
    if let battery = status.battery, let level = battery.level {
      table.add("Battery:", "\(level) % \(battery.state ?? "")")
    } else if let cause = status.batteryCause {
      table.add("Battery:", "unknown: \(cause)")
    }
    if let step = status.batteryStep.flatMap(Self.words) { table.add("Spares it:", step) }
    addVehicle()
    if let words = status.board?.words { table.add("Board:", words) }
    if let network = status.network { table.add("Network:", network) }
    if let changed = status.remote?.summary { table.add("Changed:", "by commands: \(changed)") }
    if let trouble = status.storeTrouble { table.add("Store:", trouble) }
  }

  /// Nil: the board has not stepped down.
  private static func words(_ step: String) -> String? {
    switch step {
    case "none": nil
    case "receiver": "step receiver, the receiver rests between looks"
    case "beacons": "step beacons, the receiver is off (homeward publish wakes it for one look)"
    case "checkins": "step checkins, the board is switched off once it stands, and wakes to check in"
    case "off": "step off, the board is switched off"
    default: "step \(step)"
    }
  }

  private mutating func addVehicle() {
    guard let vehicle = status.vehicle else { return }
    var words: [String] = []
    if let isOn = vehicle.ignition { words.append("ignition \(isOn ? "on" : "off")") }
    if let volts = vehicle.volts {
      words.append("\(Readable.number(volts)) V" + (vehicle.low == true ? ", low" : ""))
    }
    if vehicle.halting == true {
      words.append("the board is about to be switched off")
    } else if vehicle.checkingIn == true {
      words.append("woken to check in (parkedWake): the board is switched off again once that is done")
    }
    table.add("Vehicle:", words.joined(separator: ", "))
  }

  private mutating func addDaemon() {
    guard let version = status.version else { return }
    let running = status.uptime.map { ", running for \(Readable.span(Double($0)))" } ?? ""
    table.add("Version:", version + running)
  }
}
