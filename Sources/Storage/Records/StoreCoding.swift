import Model
import Timebase

/// Values to records and back, all but the location of the history (`StoreHistoryCoding`).
///
/// A field is told by its place alone, so none is ever moved, taken out or given another meaning: boards are
/// updated with years of records on them, and may be taken back to the version before. What is new goes
/// behind all others, and counts as absent where a record ends before it.
extension StoreRecord {
  /// `historyID` numbers a point of the history, which `states` belong to; other writes ignore both.
  static func encoding(
    _ write: StoreWrite, revision: UInt32, historyID: Int64 = 0, states: PointStates = []
  ) -> StoreRecord {
    switch write {
    case .insert(let message): encoding(message, revision: revision)
    case .remove(let sequences):
      // Acknowledged messages are neighbours as a rule: a hundred of them are one run.
      StoreRecord(.remove, revision: revision) { $0.ranges(of: sequences) }
    case .removeRange(let after, let through):
      StoreRecord(.remove, revision: revision) { writer in
        writer.ranges(after < through ? [(after + 1)...through] : [])
      }
    case .region(let region, let presence):
      StoreRecord(.region, revision: revision) { $0.region(region, presence) }
    case .regionRemoved(let rid): StoreRecord(.regionRemoved, revision: revision) { $0.text(rid) }
    case .mode(let state):
      StoreRecord(.mode, revision: revision) { writer in
        writer.number(Int8(state.mode.rawValue))
        writer.flag(state.downgraded)
        writer.flag(state.adapted)
        writer.optional(state.configured) { $0.number(Int8($1.rawValue)) }
        // Later than the rest: records that end before it are those of boards without such rules.
        if state.isByRule || state.taken != RulesTaken() { writer.rules(state) }
      }
    case .position(let fix): StoreRecord(.position, revision: revision) { $0.ownFix(fix) }
    case .reference(let fix): StoreRecord(.reference, revision: revision) { $0.ownFix(fix) }
    case .history(let report):
      StoreRecord(.history, revision: revision, reserving: 160) { writer in
        writer.number(historyID)
        writer.location(report)
        // Later than the rest: a point that ends before it says nothing else.
        if !states.isEmpty { writer.number(states.rawValue) }
      }
    case .pruneHistory(let keep, let since):
      StoreRecord(.prune, revision: revision) { writer in
        writer.optional(keep) { $0.number(Int64($1)) }
        writer.optional(since)
      }
    case .removePoints(let part): StoreRecord(.pointsRemoved, revision: revision) { $0.part(part) }
    case .tag(let tag): StoreRecord(.tag, revision: revision) { $0.optional(tag) }
    case .imported(let digest): StoreRecord(.imported, revision: revision) { $0.optional(digest) }
    case .remoteSettings(let settings):
      StoreRecord(.remoteSettings, revision: revision) { $0.settings(settings) }
    case .commandsSeen(let seen): StoreRecord(.commandsSeen, revision: revision) { $0.commands(seen) }
    case .clientIDForm(let form): StoreRecord(.clientIDForm, revision: revision) { $0.form(form) }
    case .entered(let entered): StoreRecord(.entered, revision: revision) { $0.entered(entered) }
    case .announced(let topics): StoreRecord(.announced, revision: revision) { $0.texts(topics) }
    case .journey(let state):
      StoreRecord(.journey, revision: revision, reserving: 200) { $0.journey(state) }
    case .volume(let volume): StoreRecord(.volume, revision: revision) { $0.volume(volume) }
    case .sleep(let sleep): StoreRecord(.sleep, revision: revision) { $0.sleep(sleep) }
    case .batterySteps(let steps): StoreRecord(.batterySteps, revision: revision) { $0.steps(steps) }
    case .dropped(let count): StoreRecord(.dropped, revision: revision) { $0.number(Int64(count)) }
    }
  }

  /// Bytes of a message's record that are neither topic nor payload: header, sequence, time, flags, length of
  /// the topic. The outbox counts without them, and so must the store.
  static let messageOverhead = headerSize + 8 + 8 + 1 + 4

  private static func encoding(_ message: Message, revision: UInt32) -> StoreRecord {
    StoreRecord(.message, revision: revision, reserving: message.size + 32) { writer in
      // Bits 0 and 1 are the quality of service, 2 is retained, 3 an event.
      writer.number(message.sequence)
      writer.number(Int64(message.time))
      writer.number(
        UInt8(message.qos) | (message.isRetained ? 4 : 0) | (message.isEvent ? 8 : 0))
      writer.text(message.topic)
      writer.raw(message.payload)
    }
  }

  /// A message without its topic and payload. Nil for other kinds.
  var messageHead: QueueEntry? {
    guard kind == .message else { return nil }
    return bytes.withUnsafeBytes { Self.messageHead($0, length: bytes.count) }
  }

  /// The same from the first bytes of a record that is `length` long, unchecked: thinning looks at thousands
  /// of messages, and reading their payloads would take the disk for minutes.
  static func messageHead(_ bytes: UnsafeRawBufferPointer, length: Int) -> QueueEntry? {
    guard bytes.count >= headerSize + 17, length >= messageOverhead else { return nil }
    return QueueEntry(
      sequence: bytes.loadUnaligned(fromByteOffset: headerSize, as: UInt64.self).littleEndian,
      time: Int(bytes.loadUnaligned(fromByteOffset: headerSize + 8, as: Int64.self).littleEndian),
      isEvent: bytes[headerSize + 16] & 8 != 0, size: length - messageOverhead)
  }

  /// Nil for other kinds, and where a field holds what no message has.
  var message: Message? {
    guard kind == .message else { return nil }
    var fields = fields
    let sequence = fields.number(UInt64.self)
    let time = Int(fields.number(Int64.self))
    let flags = fields.number(UInt8.self)
    let topic = fields.text()
    let payload = fields.rest()
    guard !fields.isShort, flags & 3 < 3 else { return nil }
    return Message(
      sequence: sequence, topic: topic, payload: payload, qos: Int(flags & 3), isRetained: flags & 4 != 0,
      isEvent: flags & 8 != 0, time: time)
  }

  /// The sequence numbers to remove, as runs.
  var removedRanges: [ClosedRange<UInt64>]? {
    guard kind == .remove else { return nil }
    var fields = fields
    let count = Int(fields.number(UInt32.self))
    // No more than the bytes can hold: a count that is damaged must not reserve memory.
    guard count <= fields.left / 16 else { return nil }
    let ranges = (0..<count).map { _ in
      let first = fields.number(UInt64.self)
      // Bounds the wrong way round would stop the program.
      return first...max(first, fields.number(UInt64.self))
    }
    return fields.isShort ? nil : ranges
  }

  /// Nil for other kinds, and where it is at no place or of no size.
  var knownRegion: Snapshot.KnownRegion? {
    guard kind == .region else { return nil }
    var fields = fields
    let known = fields.region()
    return fields.isShort ? nil : known
  }

  /// The key of a region, or of one removed.
  var rid: String? {
    guard kind == .region || kind == .regionRemoved else { return nil }
    var fields = fields
    let rid = fields.text()
    return fields.isShort ? nil : rid
  }

  var modeState: ModeState? {
    guard kind == .mode else { return nil }
    var fields = fields
    // One of a later version: what the configuration says counts then.
    guard let mode = MonitoringMode(rawValue: Int(fields.number(Int8.self))) else { return nil }
    var state = ModeState(
      mode: mode, downgraded: fields.flag(), adapted: fields.flag(),
      configured: fields.optional { MonitoringMode(rawValue: Int($0.number(Int8.self))) } ?? nil)
    if fields.left > 0 {
      state.isByRule = fields.flag()
      state.taken = RulesTaken(
        network: fields.optionalText(), time: fields.optionalText(), timeModes: fields.text(),
        minute: fields.optional { Int($0.number(Int64.self)) })
    }
    return fields.isShort ? nil : state
  }

  /// The last position known, or the one that displacement is measured from.
  var fix: Fix? {
    guard kind == .position || kind == .reference else { return nil }
    var fields = fields
    let fix = fields.ownFix()
    return fields.isShort ? nil : fix
  }

  /// Of a tag, and of the digest of imported regions: both are a text or none.
  var tag: String? {
    guard kind == .tag || kind == .imported else { return nil }
    var fields = fields
    return fields.optionalText()
  }

  /// How many messages overflow has cost so far.
  var dropped: Int? {
    guard kind == .dropped else { return nil }
    var fields = fields
    return Int(fields.number(Int64.self))
  }

  /// How many points stay, and the oldest time that does, Unix seconds; nil: no such limit.
  var pruning: (keep: Int?, since: Double?)? {
    guard kind == .prune else { return nil }
    var fields = fields
    let keep = fields.optional { Int($0.number(Int64.self)) }
    return (keep, fields.optionalDouble())
  }
}

extension ByteWriter {
  fileprivate mutating func rules(_ state: ModeState) {
    flag(state.isByRule)
    optional(state.taken.network)
    optional(state.taken.time)
    text(state.taken.timeModes)
    optional(state.taken.minute) { $0.number(Int64($1)) }
  }

  /// Sequence numbers as the runs that they form.
  fileprivate mutating func ranges(of sequences: [UInt64]) {
    var ranges: [ClosedRange<UInt64>] = []
    for sequence in sequences.sorted() {
      guard let last = ranges.last, sequence <= last.upperBound + 1 else {
        ranges.append(sequence...sequence)
        continue
      }
      ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, sequence)
    }
    self.ranges(ranges)
  }

  fileprivate mutating func ranges(_ ranges: [ClosedRange<UInt64>]) {
    number(UInt32(ranges.count))
    for range in ranges {
      number(range.lowerBound)
      number(range.upperBound)
    }
  }

  mutating func identity(_ beacon: BeaconIdentity?) {
    optional(beacon) { writer, beacon in
      writer.text(beacon.uuid)
      // 0 stands for any: no region asks for that very number.
      writer.number(beacon.major ?? 0)
      writer.number(beacon.minor ?? 0)
    }
  }

  fileprivate mutating func region(_ region: Region, _ presence: Presence) {
    text(region.rid)
    number(UInt8(presence.code))
    text(region.name)
    double(region.coordinate.latitude)
    double(region.coordinate.longitude)
    double(region.radius)
    identity(region.beacon)
    number(Int64(region.created))
    flag(region.isShared)
    // Later than the rest: records that end before one are those of regions without it. 0 is no limit.
    var dwellsSince: WallTime?
    if case .dwelling(let since) = presence { dwellsSince = since }
    guard
      region.speedLimit != nil || region.polygon != nil || region.isPrivate || region.dwell != nil
        || dwellsSince != nil
    else { return }
    number(Int32(clamping: region.speedLimit ?? 0))
    if region.isPrivate { number(RegionExtra.isPrivate.rawValue) }
    if let polygon = region.polygon {
      number(RegionExtra.polygon.rawValue)
      edges(polygon.corners)
    }
    // Behind what the versions before them know: these stop reading here.
    if let dwell = region.dwell {
      number(RegionExtra.dwell.rawValue)
      number(Int32(clamping: dwell))
    }
    if let dwellsSince {
      number(RegionExtra.dwellsSince.rawValue)
      double(dwellsSince.seconds)
    }
  }

  private mutating func edges(_ corners: [Coordinate]) {
    number(UInt32(corners.count))
    for corner in corners {
      double(corner.latitude)
      double(corner.longitude)
    }
  }

  /// In a record of its own: what a later version puts behind it is passed over.
  mutating func ownFix(_ fix: Fix) {
    self.fix(fix)
    if fix.isHidden { number(UInt8(1)) }
  }

  mutating func fix(_ fix: Fix) {
    double(fix.time.seconds)
    double(fix.coordinate.latitude)
    double(fix.coordinate.longitude)
    double(fix.accuracy)
    optional(fix.altitude)
    optional(fix.verticalAccuracy)
    optional(fix.speed)
    optional(fix.speedError)
    optional(fix.course)
  }
}

/// Optional parts of a region, each with its mark before it. An unknown mark, of a later version, ends the
/// reading.
private enum RegionExtra: UInt8 {
  /// Its mark is all that there is of it.
  case isPrivate = 1
  case polygon = 2
  case dwell = 3
  /// Of a presence that is `dwelling`.
  case dwellsSince = 4
}

extension ByteReader {
  /// Nil for corners that were no polygon when they were written, in a damaged record.
  private mutating func polygon() -> Polygon? {
    let count = Int(number(UInt32.self))
    // No more than the bytes can hold: a count that is damaged must not reserve memory.
    guard count <= left / 16 else { return nil }
    let corners = (0..<count).compactMap { _ in Coordinate(latitude: double(), longitude: double()) }
    return corners.count == count ? try? Polygon(corners) : nil
  }

  private mutating func extras(of known: inout Snapshot.KnownRegion, isDwelling: Bool) {
    while left > 0, let extra = RegionExtra(rawValue: number(UInt8.self)) {
      switch extra {
      case .isPrivate: known.region.isPrivate = true
      case .polygon: known.region.polygon = polygon()
      case .dwell:
        let dwell = Int(number(Int32.self))
        known.region.dwell = (1...86_400).contains(dwell) ? dwell : nil
      case .dwellsSince:
        if let since = time(), isDwelling { known.presence = .dwelling(since: since) }
      }
    }
  }

  /// One that is none any more, of a damaged record, is nil.
  mutating func identity() -> BeaconIdentity? {
    let beacon = optional { reader in
      BeaconIdentity(
        uuid: reader.text(), major: reader.number(UInt16.self), minor: reader.number(UInt16.self))
    }
    return beacon ?? nil
  }

  fileprivate mutating func region() -> Snapshot.KnownRegion? {
    let rid = text()
    // A presence that is not understood is found out anew, silently.
    let code = Int(number(UInt8.self))
    let name = text()
    guard let coordinate = Coordinate(latitude: double(), longitude: double()) else { return nil }
    let radius = double()
    guard radius.isFinite else { return nil }
    let beacon = identity()
    let region = Region(
      rid: rid, name: name, coordinate: coordinate, radius: radius, beacon: beacon,
      created: Int(number(Int64.self)), isShared: flag(),
      speedLimit: left > 0 ? speedLimit() : nil)
    let presence = [Presence.unknown, .outside, .inside].first { $0.code == code }
    var known = Snapshot.KnownRegion(region: region, presence: presence ?? .unknown)
    extras(of: &known, isDwelling: code == 3)
    return known
  }

  private mutating func speedLimit() -> Int? {
    let limit = Int(number(Int32.self))
    return (1...500).contains(limit) ? limit : nil
  }

  /// Nil where it is none up to the year 5138: whole seconds of it are numbers that an Int holds.
  mutating func time() -> WallTime? {
    let seconds = double()
    return seconds.magnitude < 1e11 ? WallTime(seconds: seconds) : nil
  }

  mutating func ownFix() -> Fix? {
    guard var fix = fix() else { return nil }
    fix.isHidden = left > 0 && number(UInt8.self) == 1
    return fix
  }

  mutating func fix() -> Fix? {
    guard let time = time(), let coordinate = Coordinate(latitude: double(), longitude: double())
    else { return nil }
    let accuracy = double()
    // Without time, place or accuracy it is no fix; all else may be missing.
    guard accuracy.isFinite else { return nil }
    return Fix(
      time: time, coordinate: coordinate, accuracy: accuracy, altitude: optionalDouble(),
      verticalAccuracy: optionalDouble(), speed: optionalDouble(), speedError: optionalDouble(),
      course: optionalDouble())
  }
}
