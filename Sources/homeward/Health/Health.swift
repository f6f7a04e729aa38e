import Model
import OwnTracks

/// Whether the tracker itself is in order. What only the world can fix (no sky, no coverage, a broker that
/// refuses) is a note: taking an update back would not help.
struct Health {
  /// The fault, one word each, so that scripts can tell one from another.
  enum Kind: String, CaseIterable {
    /// No answer: it is not running, or it ends as soon as it starts.
    case daemon
    /// It takes questions and answers none: its loop is stuck.
    case loop
    /// The next start would be refused, a file that it names is not there, or there is nothing to start with.
    case configuration
    /// Messages that cannot be sent are not kept.
    case store
    /// No position can come: their source is not reached.
    case source = "gpsd"
    /// It starts again and again.
    case restarts
  }

  struct Fault {
    var kind: Kind
    var text: String
  }

  var faults: [Fault] = []
  var notes: [Fault] = []
  /// Seconds since the daemon's start; nil where it did not say.
  var uptime: Double?

  /// One check. `except`: faults that were there before, reported as notes.
  init(configurationPath: String, socketPath: String, except: [Kind] = []) {
    look(at: configurationPath)
    do {
      judge(try DaemonConnection(path: socketPath).status())
    } catch let failure as Failure {
      faults.append(Fault(kind: failure.isSilence ? .loop : .daemon, text: failure.text))
    } catch {
      faults.append(Fault(kind: .daemon, text: "\(error)"))
    }
    notes += faults.filter { except.contains($0.kind) }
    faults.removeAll { except.contains($0.kind) }
  }

  var isGood: Bool { faults.isEmpty }

  var lines: [String] {
    (isGood ? ["good"] : faults.map { "fault \($0.kind.rawValue): \($0.text)" })
      + notes.map { "note \($0.kind.rawValue): \($0.text)" }
  }

  var json: JSON {
    func list(_ faults: [Fault]) -> JSON {
      .array(faults.map { ["kind": .string($0.kind.rawValue), "text": .string($0.text)] })
    }
    var object: JSON = ["healthy": .boolean(isGood), "faults": list(faults), "notes": list(notes)]
    object.set("uptime", uptime.map { .real($0) })
    return object
  }

  private mutating func look(at path: String) {
    do {
      let problems = try ConfigurationText(path).problemLines
      faults += problems.map { Fault(kind: .configuration, text: $0) }
    } catch let failure as Failure {
      faults.append(Fault(kind: .configuration, text: failure.text))
    } catch {
      faults.append(Fault(kind: .configuration, text: "\(path): \(error)"))
    }
  }

  private mutating func judge(_ status: StatusRecord) {
    uptime = status.uptime.map { Double($0) }
    let store = status.store
    if let cause = store?.cause {
      faults.append(Fault(kind: .store, text: cause))
    } else if status.queue?.storeFailing == true || store?.size == nil {
      faults.append(Fault(kind: .store, text: "\(store?.path ?? "?"): it is not open"))
    }
    let gps = status.gps
    if gps?.reached != true {
      let cause = gps?.cause.map { ": \($0)" } ?? ""
      faults.append(Fault(kind: .source, text: "\(gps?.sourceName ?? "the receiver") is not reached\(cause)"))
    } else if status.fix?.age == nil {
      notes.append(Fault(kind: .source, text: "no position since the start"))
    }
    if let connection = status.connection, connection.colour != "green" {
      let words = [connection.state, connection.cause].compactMap(\.self)
      notes.append(Fault(kind: .daemon, text: "broker: " + words.joined(separator: ", ")))
    }
  }
}
