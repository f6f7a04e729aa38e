import Model
import Timebase

/// Messages of a held topic (`HeldTopics`) must not fill the head, or those that may go could no longer be
/// loaded. All but the first of them, its probes, leave the head and wait on the disk alone until their
/// topic is open again. So do old locations (`OldLocations`) until they may go.
///
///       head    probe probe ─ ─ ─ ready ready    ─ set aside: on the disk, before `loadedThrough`
extension Outbox {
  /// Room in the head for probes, shared by the held topics; messages in their cooldown are not counted.
  static let probeLimit = 192
  static let betweenReadings = Span.minutes(5)

  struct SetAside {
    var count = 0
    /// The oldest of each topic.
    var first: [String: UInt64] = [:]
    /// Old locations, and the first of them. Newer ones may overtake them.
    var old: (count: Int, first: UInt64)?

    /// The oldest of all.
    var oldest: UInt64? { [first.values.min(), old?.first].compactMap(\.self).min() }
  }

  /// Older ones of its topic are set aside: it must not overtake them.
  func isBehindSetAside(_ message: Message) -> Bool {
    guard let first = setAside?.first[message.topic] else { return false }
    return first < message.sequence
  }

  /// Messages in their cooldown, and those that were in the head before older ones were reloaded, take no room.
  func hasRoomForPage(at now: Instant) -> Bool {
    let room = Self.headLimit - Self.pageSize
    if head.count <= room { return true }
    let newest = head.last?.message.sequence ?? 0
    if newest <= backlog.loadedThrough, holds.isQuiet, !old.isWaiting { return false }
    let taken = head.count {
      $0.message.sequence <= backlog.loadedThrough && !holds.isCoolingDown($0.message.sequence, at: now)
        && !waits($0)
    }
    return taken <= room
  }

  /// Makes room in a full head.
  mutating func makeHeadroom(at now: Instant) {
    guard !holds.isEmpty || old.isWaiting else { return }
    let share = max(1, Self.probeLimit / max(1, holds.count))
    var places: [String: Int] = [:]
    var stay: [Entry] = []
    for entry in head {
      let message = entry.message
      if entry.mayLeave, waits(entry) {
        leaveToDisk(message, isOld: true)
        continue
      }
      if entry.mayLeave, holds.isHeld(message.topic), !holds.isCoolingDown(message.sequence, at: now) {
        places[message.topic, default: 0] += 1
        if places[message.topic, default: 0] > share {
          leaveToDisk(message)
          continue
        }
      }
      stay.append(entry)
    }
    head = stay
    settle()
  }

  private mutating func leaveToDisk(_ message: Message, isOld: Bool = false) {
    // One that stayed in the head at a `reload` is still to be read from the disk.
    if message.sequence > backlog.loadedThrough {
      backlog.leave(1)
      return
    }
    if isOld { return setOldAside(message) }
    // Its topic is held: a topic that was opened before has nothing to do with it.
    if setAside == nil { holds.hasOpened = false }
    var setAside = setAside ?? SetAside()
    setAside.count += 1
    setAside.first[message.topic] = min(setAside.first[message.topic] ?? .max, message.sequence)
    self.setAside = setAside
  }

  mutating func setOldAside(_ message: Message) {
    if setAside == nil { holds.hasOpened = false }
    var setAside = setAside ?? SetAside()
    setAside.count += 1
    let before = setAside.old ?? (0, message.sequence)
    setAside.old = (before.count + 1, min(before.first, message.sequence))
    self.setAside = setAside
  }

  /// Reads the messages set aside once more if that is of use: old locations may go, a topic was opened, or may be
  /// probed and was not (all that stayed as probes are cooling down, or are gone). Not often: a broker that takes
  /// something every few seconds is not worth reading the whole queue each time. And not from a disk that takes
  /// nothing: messages in memory go without it.
  mutating func considerReloading(isWithoutProbe: Bool, _ deadlines: inout Deadlines, at now: Instant) {
    let isReleased = setAside?.old != nil && !old.isWaiting
    guard holds.hasOpened || isWithoutProbe || isReleased, !isStoreFailing else { return }
    if !isReleased, let again = reloadedAt.map({ $0 + Self.betweenReadings }), now < again {
      deadlines.arm(.askAgain, by: again)
      return
    }
    reloadedAt = now
    reload()
  }

  /// Whether a topic with messages set aside may be probed, and has no probe.
  func isWithoutProbe(at now: Instant) -> Bool {
    setAside?.first.keys.contains { holds.isWaitingForProbe($0, at: now) } ?? false
  }

  func nextProbe(after now: Instant) -> Instant? {
    let reading = setAside == nil ? nil : reloadedAt.map { $0 + Self.betweenReadings }
    return [holds.next(after: now), reading].compactMap(\.self).filter { $0 > now }.min()
  }

  /// A topic is open again, or all messages are needed: those set aside, and those loaded after them, are read
  /// once more, so that each topic stays in order. Messages in flight, or not on the disk, keep their place.
  mutating func reload() {
    guard let setAside, let first = setAside.oldest else { return }
    let before = head.count
    head.removeAll { $0.message.sequence >= first && $0.mayLeave }
    backlog.readAgain(before - head.count + setAside.count, from: first)
    self.setAside = nil
    settle()
  }

  /// In order: messages that kept their place may be newer than those read once more.
  mutating func join(_ entries: some Collection<Entry>) {
    guard let first = entries.first else { return }
    let isBehind = (head.last?.message.sequence ?? 0) < first.message.sequence
    head.append(contentsOf: entries)
    if !isBehind { head.sort { $0.message.sequence < $1.message.sequence } }
  }
}
