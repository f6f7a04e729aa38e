import OwnTracks

/// The daemon's status for people. Whatever is missing is passed over: an older or a newer daemon
/// than this program is no reason to fail.
struct StatusText {
  private let status: JSON
  private let isColoured: Bool
  private var table = Table()

  init(_ status: JSON, isColoured: Bool) {
    self.status = status
    self.isColoured = isColoured
    let cause = status["modeCause"]?.text.map { " (\($0))" } ?? ""
    table.add("Mode:", Readable.value(status["label"] ?? status["mode"]) + cause)
    addConnection()
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
    guard let connection = status["connection"] else { return }
    var words = Readable.value(connection["state"])
    if let host = connection["host"]?.text, !host.isEmpty {
      words += " \(host)" + (connection["port"]?.int.map { ":\($0)" } ?? "")
    }
    if let endpoint = connection["endpoint"]?.text { words += " \(endpoint)" }
    if let cause = connection["cause"]?.text, !cause.isEmpty, cause != connection["state"]?.text {
      words += ": \(cause)"
    }
    if let since = connection["since"]?.double { words += ", for \(Readable.span(since))" }
    let colour = connection["colour"]?.text ?? ""
    let light = isColoured ? Light(word: colour) : nil
    let word = light == nil && !colour.isEmpty ? "[\(colour)] " : ""
    table.add(connection["endpoint"] == nil ? "Broker:" : "Endpoint:", light, word + words)
    if let next = connection["nextAttempt"]?.double {
      table.add("", "next attempt in \(Readable.span(next))")
    }
    if let words = DeliveryText.words(connection) { table.add("Delivery:", words) }
    if let words = CommandsText.words(connection) { table.add("Commands:", words) }
    if let security = BrokerFindings.security(connection) { table.add("Security:", security) }
    if let error = connection["lastError"], let text = error["text"]?.text {
      table.add("Last error:", text + (error["age"]?.double.map { ", \(Readable.span($0)) ago" } ?? ""))
    }
    for missing in connection["notSubscribed"]?.elements ?? [] {
      table.add("Not heard:", "\(Readable.value(missing["filter"])): \(Readable.value(missing["why"]))")
    }
    if let identity = status["identity"] {
      table.add(
        "Identity:",
        identity["valid"]?.flag == false
          ? "username or deviceId is not set: nothing is published"
          : "\(Readable.value(identity["topic"])) (tid \(Readable.value(identity["tid"])))")
    }
    if let updates = status["messages"]?["friendUpdates"]?.int, updates > 0 {
      table.add("Friends:", "\(Readable.count(updates, "update")) since you last looked (homeward friends)")
    }
    addMessages("Malformed:", "malformed", last: "lastMalformed")
    addMessages("Unreadable:", "unopened", last: "lastUnopened")
  }

  private mutating func addLeftovers() {
    guard let left = status["leftDescriptions"]?.int else { return }
    let entities = Readable.count(left, "entity", plural: "entities")
    table.add("Shown still:", "\(entities) of Home Assistant, see homeward doctor")
  }

  private mutating func addMessages(_ label: String, _ count: String, last: String) {
    guard let messages = status["messages"], let count = messages[count]?.int, count > 0 else { return }
    table.add(label, "\(Readable.count(count, "message")), the last: \(Readable.value(messages[last]))")
  }

  private mutating func addReceiver() {
    guard let gps = status["gps"] else { return }
    guard gps["reached"]?.flag != false else {
      let cause = gps["cause"]?.text ?? ""
      return table.add("Receiver:", "gpsd is not reached" + (cause.isEmpty ? "" : ": \(cause)"))
    }
    if gps["silent"] != nil, let cause = gps["cause"]?.text { return table.add("Receiver:", cause) }
    let fixes = ["unknown", "no fix", "2D fix", "3D fix"]
    if (gps["mode"]?.int ?? 0) < 1, let cause = gps["cause"]?.text { return table.add("Receiver:", cause) }
    var words = gps["mode"]?.int.flatMap { fixes.indices.contains($0) ? fixes[$0] : nil } ?? "reached"
    if let satellites = gps["satellites"]?.int { words += ", \(satellites) satellites" }
    if let device = gps["device"]?.text, !device.isEmpty { words += ", \(device)" }
    table.add("Receiver:", words)
  }

  private mutating func addFix() {
    guard let fix = status["fix"], let latitude = fix["lat"]?.double, let longitude = fix["lon"]?.double
    else { return table.add("Position:", "none yet") }
    var words =
      "\(Readable.number(latitude, decimals: 6)), \(Readable.number(longitude, decimals: 6))"
    if let accuracy = fix["acc"]?.double { words += " ± \(Readable.number(accuracy, decimals: 0)) m" }
    if let age = fix["age"]?.double { words += ", \(Readable.span(age)) old" }
    if let speed = fix["vel"]?.int, speed > 0 { words += ", \(speed) km/h" }
    table.add("Position:", words)
    if status["clock"]?["trusted"]?.flag == false { table.add("Clock:", "not trusted yet") }
  }

  private mutating func addJourney() {
    if let odometer = status["odometer"]?.double {
      table.add("Odometer:", "\(Readable.number(odometer)) km")
    }
    if let trip = status["trip"], let metres = trip["distance"]?.double, let since = trip["since"]?.double {
      let words = "\(Readable.number(metres / 1000)) km since \(Readable.time(since))"
      table.add("Trip:", words + (trip["duration"]?.double.map { ", \(Readable.span($0))" } ?? ""))
    }
    if status["guarded"]?.flag == true { table.add("Parked:", "guarded against being moved") }
    if let anchor = status["anchor"], let metres = anchor["alarm"]?.int {
      let words = anchor["dragging"]?.flag == true ? "drags, beyond" : "watched, within"
      let since = anchor["since"]?.double.map { ", set \(Readable.time($0))" } ?? ""
      table.add("Anchor:", "\(words) \(metres) m\(since)")
    }
    if let limit = status["speeding"]?["limit"]?.int { table.add("Speed:", "faster than \(limit) km/h") }
  }

  private mutating func addBeacons() {
    guard let scanner = status["scanner"], let state = scanner["state"]?.text, state != "idle" else { return }
    var words = state
    if let adapter = scanner["adapter"]?.text { words += " on \(adapter)" }
    if let way = scanner["way"]?.text { words += ", \(way)" }
    if let reason = scanner["reason"]?.text { words += " because \(reason)" }
    if let cause = scanner["cause"]?.text { words += ": \(cause)" }
    if let yield = scanner["yield"]?.int { words += ", \(yield) % of the calls arrive" }
    table.add("Beacons:", words)
    for hint in scanner["hints"]?.elements ?? [] { table.add("", Readable.value(hint)) }
  }

  private mutating func addPlaces() {
    if let queue = status["queue"] {
      table.add("Queue:", QueueText.summary(queue))
      if let confirmed = QueueText.confirmed(queue) { table.add("Confirmed:", confirmed) }
      if let held = QueueText.held(queue) { table.add("Held:", held) }
      for words in BrokerFindings.untaken(status["connection"]) { table.add("", words) }
      if let passedBy = QueueText.passedBy(queue) { table.add("Passed by:", passedBy) }
      if let old = QueueText.old(queue) { table.add("Backlog:", old) }
    }
    guard let count = status["regions"]?.int else { return }
    let inside = Readable.value(status["inside"])
    let names = status["inside"]?.elements?.isEmpty == false ? ", inside of \(inside)" : ""
    table.add("Regions:", "\(count)\(names)")
  }

  private mutating func addBoard() {
    if let battery = status["battery"], let level = battery["level"]?.int {
      table.add("Battery:", "\(level) % \(battery["state"]?.text ?? "")")
    } else if let cause = status["batteryCause"]?.text {
      table.add("Battery:", "unknown: \(cause)")
    }
    addVehicle()
    if let words = BoardFindings(status["board"]).words { table.add("Board:", words) }
    if let network = status["network"]?.text { table.add("Network:", network) }
    if let changed = ConfigRemote.summary(status) { table.add("Changed:", "by commands: \(changed)") }
    if let trouble = StoreFindings.trouble(status) { table.add("Store:", trouble) }
  }

  private mutating func addVehicle() {
    guard let vehicle = status["vehicle"] else { return }
    var words: [String] = []
    if let isOn = vehicle["ignition"]?.flag { words.append("ignition \(isOn ? "on" : "off")") }
    if let volts = vehicle["volts"]?.double {
      words.append("\(Readable.number(volts)) V" + (vehicle["low"]?.flag == true ? ", low" : ""))
    }
    if vehicle["halting"]?.flag == true { words.append("the board is about to be switched off") }
    table.add("Vehicle:", words.joined(separator: ", "))
  }

  private mutating func addDaemon() {
    guard let version = status["version"] else { return }
    let running = status["uptime"]?.double.map { ", running for \(Readable.span($0))" } ?? ""
    table.add("Version:", Readable.value(version) + running)
  }
}
