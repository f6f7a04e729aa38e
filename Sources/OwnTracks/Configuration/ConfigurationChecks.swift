import Model

extension ConfigurationFile.Decoded {
  /// One member of the file.
  mutating func take(_ name: String, _ value: JSON, _ place: String) {
    // The old name counts only where the new one is missing.
    if name == ConfigurationFile.oldExtendedData, raw["extendedData"] != nil { return }
    guard let key = ConfigurationFile.key(name) else {
      if AppKeys.contains(name) {
        ignored.append(name)
      } else {
        unknown.append(UnknownKey(name, place: place))
      }
      return
    }
    guard !ConfigurationValue.apply(value, key, to: &configuration) else { return }
    var problem = ConfigurationFile.problem(key, place, value)
    problem.key = name
    // Phones' exports have it, and for years it said nothing here: no board stops tracking over a map.
    if case .text(_, .tileURL) = key.value {
      warnings.append("\(problem.description); the page loads no map")
    } else {
      problems.append(problem)
    }
  }

  /// One `KEY=VALUE` of a command line. Unlike in a file an unknown key is a mistake here: a person
  /// has just typed it and waits for its effect.
  mutating func override(_ name: String, _ text: String) {
    guard let key = ConfigurationFile.key(name) else {
      if AppKeys.contains(name) {
        ignored.append(name)
      } else {
        problems.append(ConfigurationFile.unknownKey(name, "override"))
      }
      return
    }
    // The file's value for this key no longer matters, wrong or not.
    problems.removeAll { $0.key == name || $0.key == key.name }
    guard !ConfigurationValue.apply(TypedValue.json(text, for: key), key, to: &configuration) else { return }
    problems.append(ConfigurationFile.problem(key, "override", .string(text), isTyped: true))
  }

  /// The file's value wins, so that a board can be given another secret by hand.
  mutating func credential(_ name: String, _ text: String) {
    guard (raw[name] ?? .null).isNull || raw[name]?.text == "", let key = ConfigurationFile.key(name) else {
      return
    }
    guard !ConfigurationValue.apply(.string(text), key, to: &configuration) else { return }
    problems.append(ConfigurationFile.problem(key, "credential", .string(text)))
  }

  /// A configuration with a number of locations and no days gets that number, as before there was a default of days.
  mutating func keepByNumber(_ overridden: [String]) {
    func isSaid(_ name: String) -> Bool { overridden.contains(name) || !(raw[name] ?? .null).isNull }
    if isSaid("positions"), !isSaid("days") { configuration.history.days = -1 }
  }

  mutating func takeWaypoints(_ places: ConfigurationPlaces, written: Int?) {
    guard let value = raw["waypoints"], !value.isNull else { return }
    guard value.elements != nil else {
      problems.append(
        .init(
          key: "waypoints", place: places.place(of: "waypoints"),
          value: ConfigurationFile.brief(value.description), expected: "an array of waypoint objects"))
      return
    }
    let base = configuration.beacons.numberBase
    let decoded = Waypoints.decode(value, numberBase: base, source: .file(written: written))
    waypoints = decoded.entries
    warnOfNamesakes()
    for (index, element) in (value.elements ?? []).enumerated() {
      for line in WaypointRemarks.lines(element, of: decoded.entries) {
        warnings.append("\(places.place(ofWaypoint: index)): waypoints[\(index)]\(line)".plainLine)
      }
    }
    skippedIndices = Set(decoded.problems.map(\.index))
    skipped = decoded.problems.map { problem in
      .init(
        key: "waypoints[\(problem.index)]", place: places.place(ofWaypoint: problem.index),
        value: problem.name.map { JSON.string(ConfigurationFile.brief($0)).description } ?? "",
        expected: "a waypoint: \(problem.reason)")
    }
  }

  /// A person who names a region means one of them.
  private mutating func warnOfNamesakes() {
    var seen: [String: Int] = [:]
    for entry in waypoints where entry.coordinate != nil { seen[entry.name, default: 0] += 1 }
    for (name, count) in seen.filter({ $0.value > 1 }).sorted(by: { $0.key < $1.key }) {
      let shown = JSON.string(ConfigurationFile.brief(name)).description
      warnings.append("\(count) regions are called \(shown): each of them reports its own crossings")
    }
  }

  /// Checks that involve more than one key.
  mutating func check(_ places: ConfigurationPlaces, _ purpose: ConfigurationFile.Purpose) {
    let settings = configuration
    func report(_ key: String, _ value: String, _ expected: String) {
      guard !problems.contains(where: { $0.key == key }) else { return }
      problems.append(.init(key: key, place: places.place(of: key), value: value, expected: expected))
    }
    if purpose == .daemon, let wrong = ConfigurationFile.contradiction(in: settings) {
      report(wrong.key, wrong.value, wrong.expected)
    }
    if let advice = HostText.advice(settings.receiver.host, port: "gpsdPort") {
      report("gpsdHost", JSON.string(ConfigurationFile.brief(settings.receiver.host)).description, advice)
    }
    if settings.retry.least > settings.retry.most {
      report("reconnectMin", "\(settings.retry.least)", "at most reconnectMax (\(settings.retry.most))")
    }
    let (enter, leave) = (settings.beacons.enterRssi, settings.beacons.leaveRssi)
    if leave != 0, enter == 0 || leave > enter - Configuration.rssiHysteresis {
      report("beaconLeaveRssi", "\(leave)", "0, or at least 6 below beaconEnterRssi (\(enter))")
    }
    let (low, off) = (settings.power.vehicleBatteryLow, settings.power.vehicleBatteryOff)
    if off > 0, off >= low {
      report("vehicleBatteryOff", "\(off)", "0, or below vehicleBatteryLow (\(low))")
    }
    if let fault = BatteryLimits.fault(in: settings.power.batterySteps.text) {
      report("batterySteps", JSON.string(fault.text).description, fault.expected)
    }
    if settings.power.parkedShutdown > 0, settings.power.ignitionInput.value == nil {
      report(
        "parkedShutdown", "\(settings.power.parkedShutdown)",
        "0, or an ignitionInput that says when it is parked")
    }
    if settings.tls.clientCertificate.isEmpty != settings.tls.clientKey.isEmpty {
      let missing = settings.tls.clientCertificate.isEmpty ? "tlsClientCert" : "tlsClientKey"
      report(missing, "empty", "a path: tlsClientCert and tlsClientKey come together")
    }
    if purpose == .daemon { warn(settings) }
  }

  private mutating func warn(_ settings: Configuration) {
    let topics = Topics(settings, hostName: "")
    if settings.identity.username.isEmpty, !problems.contains(where: { $0.key == "username" }) {
      warnings.append("username is empty: nothing is published until it is set")
    }
    if raw["ws"]?.flag == true, settings.transport == .mqtt {
      warnings.append(
        "ws is true, and websockets are not supported: the broker is called over "
          + "\(settings.tls.isOn ? "TLS" : "TCP") on port \(settings.broker.port)")
    }
    for name in ["clientpkcs", "tlsClientCrt"] where !(raw[name]?.text ?? "").isEmpty {
      warnings.append(
        "\(name) is ignored: a client certificate of the apps is not supported; convert it to PEM files and name them "
          + "in tlsClientCert and tlsClientKey")
    }
    if settings.tls.allowsInvalidCertificates {
      warnings.append("allowinvalidcerts is true: anybody can pose as the broker and read everything")
    }
    if settings.messages.holdsUnheard, settings.transport == .mqtt, let lacking = Self.unheardUnseen(settings)
    {
      warnings.append("holdUnheard \(lacking)")
    }
    if settings.queue.batchSeconds > 0, let lacking = Self.batchless(settings) {
      warnings.append("batchSeconds \(lacking)")
    }
    if settings.power.parkedWake > 0, settings.power.parkedShutdown == 0,
      settings.power.vehicleBatteryOff == 0, settings.power.batterySteps.value?.name(.checkins) != true
    {
      warnings.append(
        "parkedWake: only the command park switches the board off, without parkedShutdown or vehicleBatteryOff"
      )
    }
    if settings.power.batterySteps.value?.name(.vehicle) == true, settings.power.vehicleBattery.value == nil {
      warnings.append(
        "batterySteps in volts are of no account: nothing measures them, expected vehicleBattery")
    }
    if !settings.queue.backlogTimes.text.isEmpty, settings.queue.backlog != .wifi {
      warnings.append(
        "backlogTimes is of no account: backlog is \(settings.queue.backlog.rawValue), expected wifi")
    }
    if settings.broker.protocolLevel == 3, topics.clientId.utf8.count > 23 {
      warnings.append("clientId \(topics.clientId) has more than the 23 bytes that MQTT 3.1 allows")
    }
    if topics.base.split(separator: "/").count < 3 {
      warnings.append("pubTopicBase has fewer than three levels: the OwnTracks Recorder ignores it")
    }
  }

  /// Why locations are not collected for batches; nil: they are.
  private static func batchless(_ settings: Configuration) -> String? {
    if settings.transport == .http { return "collects nothing over HTTP: a batch is for MQTT" }
    if !settings.messages.encryptionKey.isEmpty {
      return "collects nothing with an encryptionKey: nobody could take a batch apart"
    }
    return settings.messages.qos == 0 ? "collects nothing with pubQos 0: a batch has to be acknowledged" : nil
  }

  /// Why a broker's word that nobody has subscribed is not heard, or not that about locations; nil: it is.
  private static func unheardUnseen(_ settings: Configuration) -> String? {
    if (3...4).contains(settings.broker.protocolLevel) {
      return
        "holds nothing with mqttProtocolLevel \(settings.broker.protocolLevel): only MQTT 5 says who has subscribed"
    }
    if settings.messages.qos != 1 { return "holds nothing with pubQos \(settings.messages.qos): it needs 1" }
    guard settings.messages.retain else { return nil }
    return "does not hold locations while pubRetain is true: what is retained counts as delivered"
  }
}

extension ConfigurationFile {
  /// A connection that cannot be: the settings name no server that could be reached.
  static func contradiction(in settings: Configuration) -> Problem? {
    if settings.transport == .http {
      guard HTTPAddress(settings.http.url) == nil else { return nil }
      return Problem(
        key: "url", place: "setConfiguration", value: settings.http.url.isEmpty ? "empty" : "(hidden)",
        expected: "the address to post to (mode 3), such as https://host/path")
    }
    guard settings.broker.port != 0 else { return nil }
    if let advice = HostText.advice(ofBrokers: settings.broker.host) {
      let host = settings.broker.host
      // User and password may stand in it.
      let shown = host.contains("@") ? "(hidden)" : JSON.string(brief(host)).description
      return Problem(key: "host", place: "setConfiguration", value: shown, expected: advice)
    }
    guard settings.broker.places[0].host.isEmpty else { return nil }
    return Problem(
      key: "host", place: "setConfiguration", value: "empty",
      expected: "the broker's name or address (or port 0 to stay offline)")
  }
}
