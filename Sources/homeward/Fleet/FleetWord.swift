import OwnTracks

/// Words of one board's message on `status` as it was retained, or as a line of a file has it.
struct FleetWord {
  static let suffix = "/status"
  /// Seconds, of the epoch or of a span. What is beyond is neither, and could not be added to another one.
  private static let possible = 1..<100_000_000_000

  /// Without the suffix: `owntracks/truck-0001/tracker`.
  var topic: String
  /// Unix seconds; nil: no clock could be trusted.
  var time: Int?
  var isOnline = true
  /// Of one that has gone by itself.
  var reason: String?
  /// Seconds after which it speaks again at the latest.
  var interval: Int?
  var version: String?
  /// The board's own message, and not what the broker was to say of it.
  var isOwn = true
  var battery: Int?
  var waiting: Int?
  var waitingBytes: Int?
  var disk: (free: Int, percent: Int)?
  var certificateEnd: Int?
  var update: (result: String, version: String, time: Int?)?
  var lastEnd: String?
  /// Of one that is switched off and wakes by itself: when, Unix seconds.
  var nextCheckIn: Int?
  /// Check-ins in a row before this word that were incomplete.
  var missedCheckIns: Int?
  /// How often a call for help was published that nobody has acknowledged; nil: there is none.
  var sos: Int?

  /// A line of JSON: an object with `topic`, and the message's own keys beside it or in `payload`. Nil: it is about
  /// something else than a status.
  init?(line bytes: [UInt8]) throws(FleetLineFault) {
    let line: JSON
    do {
      line = try JSON.parse(bytes, values: 10_000)
    } catch {
      throw FleetLineFault("no JSON (\(error))")
    }
    guard let topic = line["topic"]?.text, !topic.isEmpty else { throw FleetLineFault("no topic") }
    guard topic.hasSuffix(Self.suffix) else { return nil }
    self.topic = String(topic.dropLast(Self.suffix.count))
    let message = try Self.message(in: line)
    if message["_type"]?.text == "encrypted" {
      throw FleetLineFault("encrypted, and nobody here has the key")
    }
    guard message["_type"]?.text == "status", let linux = message["linux"] else {
      throw FleetLineFault("no status of a board")
    }
    time = Self.seconds(message["tst"])
    read(linux)
  }

  /// It is text where a program has passed it on as it came.
  private static func message(in line: JSON) throws(FleetLineFault) -> JSON {
    guard let payload = line["payload"], !payload.isNull else { return line }
    guard let text = payload.text else { return payload }
    guard let message = try? JSON.parse(Array(text.utf8), values: 10_000) else {
      throw FleetLineFault("a payload that is no JSON")
    }
    return message
  }

  private static func seconds(_ value: JSON?) -> Int? {
    value?.int.flatMap { possible.contains($0) ? $0 : nil }
  }

  private mutating func read(_ linux: JSON) {
    isOnline = linux["online"]?.flag ?? true
    reason = linux["reason"]?.text
    interval = Self.seconds(linux["interval"])
    version = linux["version"]?.text
    isOwn = version != nil || linux["queueLength"] != nil
    battery = linux["battery"]?["level"]?.int
    (waiting, waitingBytes) = (linux["queueLength"]?.int, linux["queueBytes"]?.int)
    if let free = linux["disk"]?["free"]?.int, let percent = linux["disk"]?["percent"]?.int {
      disk = (free, percent)
    }
    certificateEnd = linux["certificateEnd"]?.int
    if let told = linux["update"], let result = told["result"]?.text, let version = told["version"]?.text {
      update = (result, version, told["tst"]?.int)
    }
    lastEnd = linux["lastEnd"]?["word"]?.text
    nextCheckIn = Self.seconds(linux["nextCheckIn"])
    missedCheckIns = linux["missedCheckIns"]?["count"]?.int
    sos = linux["sos"]?.int
  }
}

/// Fault of a line, after "line 3: ".
struct FleetLineFault: Error {
  var text: String
  init(_ text: String) { self.text = text }
}
