import Core
import Model
import OwnTracks

/// Answers for the control socket, one JSON object each: the daemon gives them, and a replay prints the same.
public enum Answer {
  /// Not done; `text` says why and what to do.
  public static func failure(_ text: String) -> JSON { ["ok": false, "error": .string(text)] }
  /// The command was not understood. Names the version that did not: client and daemon may be of different versions.
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
    case .status(let status): Self.status(StatusRecord(status, topics))
    }
  }

  /// The answer to `status` and to `queue`: each shows its part.
  public static func status(_ status: StatusRecord) -> JSON { ["ok": true, "status": status.answer] }

  /// The details of a reason, without its name.
  public static func details(_ reason: Reason) -> JSON {
    .object(
      reason.details.map { name, detail in
        switch detail {
        case .number(let number): JSON.Member(name, .real(number))
        case .text(let text): JSON.Member(name, .string(text))
        }
      })
  }

  /// One entry of `why`. `number`: increases from entry to entry, and across restarts if the daemon supplies it.
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

  /// The waypoint object and, if known, whether the board is inside.
  private static func region(_ known: Snapshot.KnownRegion) -> JSON {
    var object = Waypoints.object(known.region)
    switch known.presence {
    case .inside: object.set("inside", true)
    case .outside, .dwelling: object.set("inside", false)
    case .unknown: break
    }
    return object
  }
}
