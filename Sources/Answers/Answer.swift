import Core
import Model
import OwnTracks

/// Answers for the control socket, one JSON object each: the daemon gives them, and a replay prints the same.
public enum Answer {
  /// Not done; `text` says why and what to do.
  public static func failure(_ text: String) -> JSON { ["ok": false, "error": .string(text)] }
  /// Nobody knows what was meant. It says who has not understood: client and daemon may be of different versions.
  public static func notUnderstood(_ error: ControlError, by version: String) -> JSON {
    [
      "ok": false, "error": .string(error.description), "version": .string(version),
      "protocol": .integer(Int64(Request.protocolNumber)),
    ]
  }
  /// Done; `text` says what was done.
  public static func done(_ text: String) -> JSON { ["ok": true, "text": .string(text)] }

  /// `topics` are those that the tracker publishes on. A status is the tracker's part only.
  public static func json(_ answer: ControlAnswer, _ topics: Topics) -> JSON {
    switch answer {
    case .done(let text): done(text)
    case .failed(let text): failure(text)
    case .regions(let known): ["ok": true, "regions": .array(known.map(region))]
    case .reasons(let entries):
      [
        "ok": true, "newest": .integer(Int64(entries.last?.number ?? 0)),
        "reasons": .array(entries.filter { !$0.isCompanion }.map { reason($0, number: $0.number) }),
      ]
    case .status(let status): ["ok": true, "status": Self.status(status, topics)]
    }
  }

  /// The tracker's part of `status`; the daemon adds what its adapters know.
  public static func status(_ status: TrackerStatus, _ topics: Topics) -> JSON {
    var object: JSON = [
      "mode": .string(status.mode.mode.name), "label": .string(status.mode.label),
      "clock": ["trusted": .boolean(status.isClockTrusted)], "queue": queue(status.queue),
      "regions": .integer(Int64(status.regionCount)), "inside": .array(status.inside.map { .string($0) }),
      "network": .string(word(status.network)), "history": .integer(Int64(status.historyCount)),
      "identity": [
        "valid": .boolean(status.isIdentityValid), "topic": .string(topics.base),
        "tid": .string(topics.trackerID), "clientId": .string(topics.clientId),
        "clientIdForm": .string(topics.clientIdForm),
      ],
    ]
    object.set("modeCause", status.modeCause.map { .string($0) })
    if let position = status.position {
      var fix: JSON = [
        "lat": .real(position.coordinate.latitude), "lon": .real(position.coordinate.longitude),
        "acc": .real(position.accuracy), "tst": .integer(Int64(position.time.wholeSeconds)),
      ]
      fix.set("age", status.fixAge.map { .real($0.seconds) })
      fix.set("vel", position.wholeSpeed.map { .integer(Int64($0)) })
      fix.set("cog", position.wholeCourse.map { .integer(Int64($0)) })
      fix.set("alt", position.wholeAltitude.map { .integer(Int64($0)) })
      object.set("fix", fix)
    }
    if let battery = status.battery {
      object.set("battery", ["level": .integer(Int64(battery.level)), "state": .string("\(battery.state)")])
    }
    status.journey.add(to: &object)
    if let vehicle = vehicle(status.vehicle) { object.set("vehicle", vehicle) }
    if status.leftDescriptions > 0 {
      object.set("leftDescriptions", .integer(Int64(status.leftDescriptions)))
    }
    if !status.remote.isEmpty { object.set("remote", remote(status)) }
    return object
  }

  /// What a reason says beside its word.
  public static func details(_ reason: Reason) -> JSON {
    .object(
      reason.details.map { name, detail in
        switch detail {
        case .number(let number): JSON.Member(name, .real(number))
        case .text(let text): JSON.Member(name, .string(text))
        }
      })
  }

  /// One entry of `why`. `number`: grows from each to the next, and over restarts where the daemon gives it.
  public static func reason(_ entry: Journal.Entry, number: UInt64) -> JSON {
    var object: JSON = [
      "number": .integer(Int64(clamping: number)), "published": .boolean(entry.isPublished),
      "word": .string(entry.reason.word),
      "text": .string(entry.reason.sentence), "count": .integer(Int64(entry.count)),
      "detail": details(entry.reason),
    ]
    object.set("time", entry.time.map { .real($0) })
    if entry.count > 1 { object.set("last", entry.last.map { .real($0) }) }
    return object
  }

  /// The waypoint object and, where it is known, whether the board is inside.
  private static func region(_ known: Snapshot.KnownRegion) -> JSON {
    var object = Waypoints.object(known.region)
    switch known.presence {
    case .inside: object.set("inside", true)
    case .outside, .dwelling: object.set("inside", false)
    case .unknown: break
    }
    return object
  }

  private static func queue(_ queue: QueueStatus) -> JSON {
    var object: JSON = [
      "count": .integer(Int64(queue.count)), "bytes": .integer(Int64(queue.bytes)),
      "inFlight": .integer(Int64(queue.inFlight)), "window": .integer(Int64(queue.window)),
      "dropped": .integer(Int64(queue.dropped)), "resent": .integer(Int64(queue.resent)),
      "refused": .integer(Int64(queue.refused)), "storeFailing": .boolean(queue.isStoreFailing),
    ]
    object.set("oldest", queue.oldest.map { .integer(Int64($0)) })
    object.set("lastConfirmed", queue.lastConfirmed.map { .integer(Int64($0)) })
    if queue.waitingOld > 0 { object.set("waitsForWifi", .integer(Int64(queue.waitingOld))) }
    if queue.droppedOld > 0 { object.set("notSent", .integer(Int64(queue.droppedOld))) }
    if !queue.passedBy.isEmpty { object.set("passedBy", .array(queue.passedBy.map { .string($0) })) }
    if !queue.held.isEmpty { object.set("held", .array(queue.held.map { .string($0) })) }
    return object
  }

  /// Nil where nothing is wired.
  private static func vehicle(_ vehicle: VehicleStatus) -> JSON? {
    guard vehicle.ignition != nil || vehicle.volts != nil else { return nil }
    var object: JSON = ["low": .boolean(vehicle.isLow), "halting": .boolean(vehicle.isHalting)]
    object.set("ignition", vehicle.ignition.map { .boolean($0) })
    object.set("volts", vehicle.volts.map { .real(($0 * 100).rounded() / 100) })
    return object
  }

  /// Secrets are hidden.
  private static func remote(_ status: TrackerStatus) -> JSON {
    var settings = JSON.object([])
    for setting in status.remote.settings {
      guard let key = ConfigurationKey.named(setting.name) else { continue }
      let shown = ConfigurationFile.json(
        RemoteSettings([setting]).applied(to: Configuration()), redacting: true)
      settings.set(key.name, shown[key.name] ?? "")
    }
    return ["settings": settings, "trial": .boolean(status.isOnTrial)]
  }

  private static func word(_ network: Network) -> String {
    switch network {
    case .unknown: "unknown"
    case .none: "none"
    case .wifi: "wifi"
    case .mobile: "mobile"
    case .wired: "wired"
    }
  }
}
