import Answers
import Core
import Model
import OwnTracks
import Timebase

/// Answers to people: the tracker's word, and for `status` what the adapters add.
extension Daemon {
  func reply(_ answer: ControlAnswer, to sender: UInt64) {
    let json: JSON =
      if case .status(let status) = answer {
        ["ok": true, "status": full(status)]
      } else {
        Answer.json(answer, encoder.topics)
      }
    control?.answer(sender, json.serialised())
  }

  /// In one word, and what waits where that matters.
  func standing() -> String {
    guard let status = tracker?.status(at: loop.now) else { return "starting" }
    let connection = poster?.status ?? broker?.status
    let standing = Standing(
      .init(
        isConfigured: status.isIdentityValid, fixAge: status.fixAge,
        fixPatience: .seconds(Double(configuration.fixTimeout + configuration.gpsDutyCycle)),
        isRadioDead: scanner.status.state == "waiting",
        isConnected: connection?.colour == .green || configuration.port == 0,
        waiting: status.queue.count, window: status.queue.window))
    return status.queue.count > 0
      ? "\(standing.rawValue); \(status.queue.count) messages wait" : standing.rawValue
  }

  private func full(_ status: TrackerStatus) -> JSON {
    var object = Answer.status(status, encoder.topics)
    object.set("connection", connection())
    object.set("gps", receiver())
    object.set("scanner", radio())
    var messages: JSON = [
      "received": .integer(Int64(traffic.received)), "malformed": .integer(Int64(traffic.malformed)),
    ]
    messages.set("lastMalformed", traffic.lastMalformed.map { .string($0) })
    messages.set("unopened", sealing.isOn ? .integer(Int64(sealing.unopened)) : nil)
    messages.set("lastUnopened", sealing.lastUnopened.map { .string($0) })
    object.set("messages", messages)
    if let gauge {
      object.set("batteryCause", gauge.cause.map { .string($0) })
      object.set("batteryHung", gauge.hung > 0 ? .integer(Int64(gauge.hung)) : nil)
    }
    object.set("store", storage())
    if let hook {
      object.set(
        "onEvent",
        [
          "run": .integer(Int64(hook.status.run)), "failed": .integer(Int64(hook.status.failed)),
          "killed": .integer(Int64(hook.status.killed)), "dropped": .integer(Int64(hook.status.dropped)),
        ])
    }
    object.set("version", .string(Main.version))
    object.set("uptime", .integer(Int64((loop.now.instant - started).seconds)))
    return object
  }

  private func connection() -> JSON {
    guard let status = poster?.status ?? broker?.status else {
      return ["colour": "blue", "state": "starting"]
    }
    var object: JSON = [
      "colour": .string(status.colour.rawValue), "state": .string(state(status.colour)),
      "cause": .string(status.text), "attempts": .integer(Int64(status.attempts)),
      "since": .real((loop.now.instant - status.since).seconds), "insecure": .boolean(status.isInsecure),
      "encrypted": .boolean(sealing.isOn),
      "acknowledged": .integer(Int64(status.counters.acknowledged)),
      "sent": .integer(Int64(status.counters.sent)),
    ]
    if !status.notSubscribed.isEmpty {
      let missing = status.notSubscribed.map { missing -> JSON in
        ["filter": .string(missing.filter), "word": .string(missing.word), "why": .string(missing.why)]
      }
      object.set("notSubscribed", .array(missing))
    }
    if isHTTP {
      object.set("endpoint", .string(server))
    } else {
      object.set("host", .string(configuration.host))
      object.set("port", .integer(Int64(configuration.port)))
    }
    if let statusConnection {
      var will: JSON = ["placed": .boolean(statusConnection.isStanding)]
      if !statusConnection.isStanding { will.set("cause", statusConnection.cause.map { .string($0) }) }
      object.set("statusWill", will)
    }
    object.set("nextAttempt", status.nextAttempt.map { .real(($0 - loop.now.instant).seconds) })
    return object
  }

  private func state(_ colour: ConnectionColour) -> String {
    switch colour {
    case .blue: "idle"
    case .green: "connected"
    case .amber: "waiting"
    case .red: "error"
    }
  }

  private func receiver() -> JSON {
    guard let status = gpsd?.status else { return ["reached": false] }
    var object: JSON = [
      "reached": .boolean(status.isConnected), "mode": .integer(Int64(status.mode)),
      "malformed": .integer(Int64(status.malformedLines)),
    ]
    object.set("version", status.version.map { .string($0) })
    object.set("device", status.device.map { .string($0) })
    object.set("driver", status.driver.map { .string($0) })
    object.set("satellites", status.satellitesUsed.map { .integer(Int64($0)) })
    object.set("cause", status.cause.map { .string($0) })
    object.set("lastReport", status.lastReport.map { .real((loop.now.instant - $0).seconds) })
    return object
  }

  func radio() -> JSON {
    let status = scanner.status
    var object: JSON = [
      "state": .string(status.state), "hearing": .boolean(status.isHearing),
      "duty": .integer(Int64(status.duty)), "reports": .integer(Int64(status.counters.reports)),
      "sightings": .integer(Int64(status.counters.sightings)), "steps": .integer(Int64(status.steps)),
      "hints": .array(status.hints.map { .string($0) }),
    ]
    object.set("way", status.method.map { .string($0) })
    object.set("reason", status.reason.map { .string($0) })
    object.set("cause", status.cause.map { .string($0) })
    object.set("adapter", status.adapter.map { .string($0) })
    object.set("address", status.address.map { .string($0) })
    object.set("yield", status.reception.map { .integer(Int64($0)) })
    object.set("lastHeard", status.lastHeard.map { .real((loop.now.instant - $0).seconds) })
    return object
  }

  private func storage() -> JSON {
    var object: JSON = ["path": .string(configuration.stateDir)]
    if let late {
      object.set("cause", .string("\(late.trouble); going on in memory, trying again"))
      object.set("nextAttempt", late.nextTry.map { .real(max(0, ($0 - loop.now.instant).seconds)) })
    } else if let status = store?.status {
      object.set("bytesWritten", .integer(Int64(status.bytesWritten)))
      object.set("size", .integer(Int64(status.size)))
      object.set("quarantined", .integer(Int64(status.quarantined)))
      object.set("cause", status.failure.map { .string($0) })
    }
    return object
  }
}
