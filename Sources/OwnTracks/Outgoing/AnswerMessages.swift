import Glibc
import Model
import Timebase

/// Answers to commands: asked for, so never thinned out, and never retained.
extension Encoder {
  func encode(_ report: DumpReport) -> Message {
    var present = configuration
    present.reports.monitoring = report.mode
    var settings = ConfigurationFile.json(present, redacting: !configuration.commands.dumpSecrets)
    settings.set("waypoints", Waypoints.array(report.regions))
    // Not even that there is one: a reader who gets it in clear has no use for it.
    if !configuration.commands.dumpSecrets { settings.set("encryptionKey", nil) }
    return answer(["_type": "dump", "configuration": settings], to: .dump, at: report.time)
  }

  func encode(waypoints regions: [Region], at time: WallTime) -> Message {
    answer(["_type": "waypoints", "waypoints": Waypoints.array(regions)], to: .waypoints, at: time)
  }

  /// Retained, so that those who connect later know us.
  func encode(_ card: FriendCard) -> Message {
    var message: JSON = ["_type": "card"]
    message.set("name", card.name.map { .string($0) })
    message.set("face", card.face.map { .string($0) })
    if !topics.trackerID.isEmpty { message.set("tid", .string(topics.trackerID)) }
    return Message(
      topic: topics.topic(.info), payload: message.serialised(), qos: qos, isRetained: true, isEvent: true,
      time: 0)
  }

  /// No board has a pedometer: OwnTracks says -1 for that.
  func encode(_ report: StepsReport) -> Message {
    let to = report.to ?? report.time.seconds
    let from = report.from ?? Self.midnight(before: to)
    let message: JSON = [
      "_type": "steps", "tst": .integer(Int64(report.time.wholeSeconds)), "steps": -1,
      "from": .integer(Int64(from.rounded())), "to": .integer(Int64(to.rounded())),
    ]
    return answer(message, to: .step, at: report.time)
  }

  /// To the one who sent a command with an `id`: what became of it.
  func encode(_ result: CommandResult) -> Message {
    var message: JSON = [
      "_type": "answer", "ok": .boolean(result.outcome == .done), "result": .string(result.outcome.rawValue),
    ]
    message.set("action", result.action.map { .string($0) })
    message.set("id", Self.json(result.id))
    message.set("reason", result.reason.map { .string($0) })
    message.set("request", result.request.map { .string($0) })
    message.set("tst", result.time.map { .integer(Int64($0.wholeSeconds)) })
    var answer = answer(message, to: .result, at: result.time)
    if let topic = result.topic { answer.topic = topic }
    return answer
  }

  private static func json(_ id: CommandID) -> JSON {
    switch id {
    case .number(let number): .integer(number)
    case .text(let text): .string(text)
    case .unusable: .null
    }
  }

  func encode(_ report: StatusReport) -> Message {
    var linux: JSON = [
      "mode": .integer(Int64(report.mode.mode.rawValue)), "downgraded": .boolean(report.mode.downgraded),
      "adapted": .boolean(report.mode.adapted), "battery": Self.battery(report.battery),
      "queueLength": .integer(Int64(report.queueLength)), "queueBytes": .integer(Int64(report.queueBytes)),
      "dropped": .integer(Int64(report.dropped)), "resent": .integer(Int64(report.resent)),
      "refused": .integer(Int64(report.refused)), "historyCount": .integer(Int64(report.historyCount)),
    ]
    linux.set("oldest", report.oldest.map { .integer(Int64($0)) })
    linux.set("lastConfirmed", report.lastConfirmed.map { .integer(Int64($0)) })
    if let data = report.data {
      linux.set("dataToday", .integer(Int64(data.volume.today)))
      linux.set("dataMonth", .integer(Int64(data.volume.month)))
      linux.set("dataBudget", data.budget.map { .integer(Int64($0)) })
      linux.set("dataSpacing", data.spacing.map { .integer(Int64($0.seconds.rounded())) })
    }
    linux.set("network", Self.word(for: report.network).map { .string($0) })
    linux.set("batteryStep", report.presence.batteryStep.map { .string($0) })
    linux.set("ignition", report.ignition.map { .boolean($0) })
    linux.set("vehicleVolts", report.vehicleVolts.map { .real(($0 * 10).rounded() / 10) })
    if report.alarms.anchorAlarm > 0 {
      linux.set("anchorAlarm", .integer(Int64(report.alarms.anchorAlarm)))
    }
    linux.set("sos", report.alarms.sos.map { .integer(Int64($0)) })
    linux.set("jamming", report.alarms.jamming.map { .string($0.rawValue) })
    linux.set("spoofing", report.alarms.spoofing.map { .string($0.rawValue) })
    if report.alarms.isDragging { linux.set("dragging", true) }
    linux.set("online", report.isOnline.map { .boolean($0) })
    linux.set("reason", report.presence.departure.map { .string($0.rawValue) })
    linux.set("nextCheckIn", report.presence.nextCheckIn.map { .integer(Int64($0)) })
    if let missed = report.presence.missed {
      linux.set(
        "missedCheckIns", ["count": .integer(Int64(missed.count)), "reason": .string(missed.cause.word)])
    }
    linux.set("interval", report.presence.interval.map { .integer(Int64($0)) })
    if let fix = report.fix {
      linux.set(
        "fix",
        [
          "lat": .real((fix.coordinate.latitude * 1e6).rounded() / 1e6),
          "lon": .real((fix.coordinate.longitude * 1e6).rounded() / 1e6),
          "acc": .integer(Int64(Self.accuracy(fix.accuracy))), "tst": .integer(Int64(fix.time.wholeSeconds)),
        ])
    }
    if let board = report.board { Self.add(board, to: &linux) }
    var status = status(linux, at: report.time)
    guard report.isOnline != nil else { return status }
    // Told at once or not at all: later subscribers read what the broker kept.
    (status.isRetained, status.qos, status.isEvent) = (true, 0, false)
    return status
  }

  /// Nil: nobody has looked.
  private static func word(for network: Network) -> String? {
    switch network {
    case .unknown: nil
    case .none: "none"
    case .wifi: "wifi"
    case .mobile: "mobile"
    case .wired: "wired"
    }
  }

  /// The broker's message on `status` for a board that has vanished. It contains nothing else: facts from when
  /// the connection was made may no longer be true. `time` is when that was.
  public func absence(at time: WallTime?) -> Message {
    var message = status(["online": false], at: time)
    (message.isRetained, message.isEvent) = (true, false)
    return message
  }

  private func status(_ linux: JSON, at time: WallTime?) -> Message {
    var message: JSON = ["_type": "status", "linux": linux]
    message.set("tst", time.map { .integer(Int64($0.wholeSeconds)) })
    return answer(message, to: .status, at: time)
  }

  /// The key of the source of positions and its receiver, whichever that is: dashboards and flows read it.
  static let sourceKey = "gpsd"

  private static func add(_ board: BoardFacts, to linux: inout JSON) {
    linux.set("version", .string(board.version))
    linux.set("hostname", .string(board.hostName))
    linux.set("kernel", .string(board.kernel))
    linux.set("model", board.model.map { .string($0) })
    linux.set("uptime", .integer(Int64(board.uptime)))
    linux.set("locale", .string(board.locale))
    var receiver: JSON = [
      "connected": .boolean(board.isSourceReached), "mode": .integer(Int64(board.fixMode)),
    ]
    receiver.set("device", board.receiver.map { .string($0) })
    receiver.set("sats", board.satellites.map { .integer(Int64($0)) })
    linux.set(sourceKey, receiver)
    linux.set(
      "bluetooth",
      [
        "present": .boolean(board.hasBluetooth), "powered": .boolean(board.isBluetoothPowered),
        "scanning": .boolean(board.isScanning),
      ])
    linux.set("health", board.health.map { StatusRecord.Board($0).answer })
    add(board.fleet, to: &linux)
    linux.set("barometer", ["present": .boolean(board.hasBarometer)])
  }

  private func answer(_ json: JSON, to suffix: Topics.Suffix, at time: WallTime?) -> Message {
    Message(
      topic: topics.topic(suffix), payload: json.serialised(), qos: qos, isRetained: false, isEvent: true,
      time: time?.wholeSeconds ?? 0)
  }

  /// The beginning of the local day that a moment lies in, Unix seconds.
  private static func midnight(before seconds: Double) -> Double {
    var moment = time_t(seconds.rounded(.down))
    var parts = tm()
    guard localtime_r(&moment, &parts) != nil else { return seconds }
    (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
    return Double(mktime(&parts))
  }
}
