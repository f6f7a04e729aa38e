import Model

/// Orders and contents as JSON, each value as a sum over all of its fields: the judge compares sums and need not know
/// what they are of.
enum Words {
  /// The same in every process, with deterministic hashing.
  static func sum<Value: Hashable>(_ value: Value) -> String {
    var hasher = Hasher()
    hasher.combine(value)
    return "\"" + String(UInt(bitPattern: hasher.finalize()), radix: 16) + "\""
  }

  static func list(_ items: [String]) -> String { "[" + items.joined(separator: ",") + "]" }

  static func text(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 32: quoted += " "
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// What the judge's model carries out, see model.py.
  static func order(_ write: StoreWrite) -> String {
    switch write {
    case .insert(let message): list(["\"insert\"", "\(message.sequence)", sum(message), "\(message.size)"])
    case .remove(let sequences): list(["\"remove\"", list(sequences.map(String.init))])
    case .removeRange(let after, let through): list(["\"removeRange\"", "\(after)", "\(through)"])
    case .region(let region, let presence):
      list(["\"region\"", text(region.rid), sum(Snapshot.KnownRegion(region: region, presence: presence))])
    case .regionRemoved(let rid): list(["\"regionRemoved\"", text(rid)])
    case .history(let report): list(["\"history\"", sum(report), "\(report.time.seconds)"])
    case .pruneHistory(let keep, let since):
      list(["\"prune\"", keep.map(String.init) ?? "null", since.map { "\($0)" } ?? "null"])
    case .removePoints(let part):
      list(["\"removePoints\"", "\(part.numbers.lowerBound)", "\(part.numbers.upperBound)"])
    case .mode(let mode): state("mode", Optional(mode))
    case .position(let fix): state("position", Optional(fix))
    case .reference(let fix): state("reference", Optional(fix))
    case .tag(let tag): state("tag", tag)
    case .imported(let word): state("imported", Optional(word))
    case .remoteSettings(let settings): state("remote", settings)
    case .commandsSeen(let seen): state("seen", seen)
    case .clientIDForm(let form): state("form", form)
    case .journey(let journey): state("journey", journey)
    case .entered(let regions): state("entered", Optional(regions))
    case .announced(let topics): state("announced", topics)
    case .volume(let volume): state("volume", volume)
    case .sleep(let sleep): state("sleep", sleep)
    case .batterySteps(let steps): state("steps", Optional(steps))
    case .dropped(let count): state("dropped", count)
    }
  }

  private static func state<Value: Hashable>(_ name: String, _ value: Value) -> String {
    list(["\"state\"", "\"\(name)\"", sum(value)])
  }

  /// All that `state` orders can change.
  static func states(_ snapshot: Snapshot) -> String {
    let pairs = [
      ("mode", sum(snapshot.mode)), ("position", sum(snapshot.position)),
      ("reference", sum(snapshot.reference)), ("tag", sum(snapshot.tag)),
      ("imported", sum(snapshot.imported)), ("remote", sum(snapshot.remote)),
      ("seen", sum(snapshot.commandsSeen)), ("form", sum(snapshot.clientIDForm)),
      ("journey", sum(snapshot.journey)), ("entered", sum(snapshot.entered)),
      ("announced", sum(snapshot.announced)), ("dropped", sum(snapshot.dropped)),
      ("volume", sum(snapshot.volume)), ("sleep", sum(snapshot.sleep)), ("steps", sum(snapshot.batterySteps)),
    ]
    return "{" + pairs.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }
}
