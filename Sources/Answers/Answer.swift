import Core
import Model
import OwnTracks

/// Answers for the control socket, one JSON object each: the daemon gives them, and a replay prints the same.
public enum Answer {
  /// Not done; `text` says why and what to do.
  public static func failure(_ text: String) -> JSON {
    var outcome = OutcomeRecord()
    (outcome.isDone, outcome.error) = (false, text)
    return outcome.answer
  }
  /// The command was not understood. Names the version that did not: client and daemon may be of different versions.
  public static func notUnderstood(_ error: ControlError, by version: String) -> JSON {
    var outcome = OutcomeRecord()
    (outcome.isDone, outcome.error) = (false, error.description)
    (outcome.version, outcome.protocolNumber) = (version, Request.protocolNumber)
    return outcome.answer
  }
  /// Done; `text` says what was done.
  public static func done(_ text: String) -> JSON {
    var outcome = OutcomeRecord()
    (outcome.isDone, outcome.text) = (true, text)
    return outcome.answer
  }

  /// `topics` are those that the tracker publishes on. A status is the tracker's part only.
  public static func json(_ answer: ControlAnswer, _ topics: Topics) -> JSON {
    switch answer {
    case .done(let text): done(text)
    case .failed(let text): failure(text)
    case .regions(let known): regions(known)
    case .reasons(let entries): reasons(entries)
    case .status(let status): Self.status(StatusRecord(status, topics))
    }
  }

  /// The answer to `status` and to `queue`: each shows its part.
  public static func status(_ status: StatusRecord) -> JSON {
    var reply = StatusReply()
    reply.status = status.answer
    return reply.done
  }

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
  public static func reason(_ entry: Journal.Entry, number: UInt64) -> ReasonRecord {
    var record = ReasonRecord()
    (record.number, record.published) = (Int64(clamping: number), entry.isPublished)
    (record.word, record.text) = (entry.reason.word, entry.reason.sentence)
    (record.count, record.detail) = (entry.count, details(entry.reason))
    (record.time, record.last) = (entry.time, entry.count > 1 ? entry.last : nil)
    return record
  }

  private static func reasons(_ entries: [Journal.Entry]) -> JSON {
    var list = ReasonList()
    list.newest = Int64(entries.last?.number ?? 0)
    list.reasons = entries.filter { !$0.isCompanion }.map { reason($0, number: $0.number).answer }
    return list.done
  }

  /// Each a waypoint object and, if known, whether the board is inside.
  private static func regions(_ known: [Snapshot.KnownRegion]) -> JSON {
    var list = RegionList()
    list.regions = known.map { one in
      let inside = one.presence == .unknown ? nil : one.presence == .inside
      return Waypoints.object(one.region, inside: inside)
    }
    return list.done
  }
}
