import Model
import Timebase

/// Answers to people.
extension Tracker {
  /// Nobody hears "done" before it would survive a power cut.
  mutating func controlled(
    _ request: ControlRequest, from sender: UInt64, byRoot isRoot: Bool, at now: Moment,
    into effects: inout [Effect]
  ) {
    if !request.isQuestion { keepOn(.order, at: now) }
    // Commands can lock a board: the way back must not be one of the things that are locked then.
    let isWayBack = isRoot && request == .settingsClear
    let isLocked = layers.inForce.commands.locked && request.isChange && !isWayBack
    let answer = isLocked ? Self.locked(request) : answer(to: request, at: now, into: &effects)
    // However slow the disk is: who asks how things are is told at once.
    if request.isQuestion { return effects.append(.answer(answer, to: sender)) }
    outbox.whenDurable(.answer(answer, to: sender))
  }

  /// The newest points may not have reached the store yet.
  mutating func recall(_ query: HistoryQuery, for sender: UInt64) {
    outbox.promoteLazyWrites()
    outbox.whenDurable(.recall(query, to: sender))
  }

  /// In memory alone they would be lost with the power, and be in no file either.
  func takeRefused(for sender: UInt64, into effects: inout [Effect]) {
    guard !outbox.isStoreFailing else {
      let answer = "nothing is sent again: the disk takes nothing, see `homeward doctor`"
      return effects.append(.answer(.failed(answer), to: sender))
    }
    effects.append(.takeRefused(first: outbox.firstOfRefused, for: sender))
  }

  mutating func sendAgain(_ refused: RefusedMessages, for sender: UInt64, at now: Moment) {
    outbox.takeAgain(refused, deadlines: &deadlines, at: now.instant)
    let count = refused.messages.count
    var text = count == 1 ? "1 message is in the queue again" : "\(count) messages are in the queue again"
    if let why = refused.leftBecause { text += "; \(refused.leftCount) cannot be sent again: \(why)" }
    outbox.whenDurable(.answer(.done(text), to: sender))
  }

  private static func locked(_ request: ControlRequest) -> ControlAnswer {
    guard request == .settingsClear else {
      return .failed("locked: the configuration allows no changes at the board")
    }
    return .failed("locked: only root may take back what commands have changed; use sudo")
  }

  private mutating func answer(
    to request: ControlRequest, at now: Moment, into effects: inout [Effect]
  ) -> ControlAnswer {
    switch request {
    case .publish(let poi, let image): return publishForUser(poi: poi, image: image, at: now, into: &effects)
    case .card(let card, _):
      switch publish(.people, at: now, into: &effects, { _ in .card(card) }) {
      case .published, .kept: return .done("the card is published")
      case .withheld(.offline): return .failed("offline: port is 0")
      case .withheld: return .failed("username or deviceId is not set")
      }
    case .mode(let mode):
      let before = modes.state.mode
      if modes.set(mode) { modeChanged(from: before, because: .people, at: now) }
      return .done("mode is \(modes.state.label)")
    case .tag(let tag):
      surroundings.tagged(tag)
      outbox.remember(.tag(surroundings.tag), isUrgent: true)
      return .done(surroundings.tag.map { "tag is \($0)" } ?? "no tag")
    case .status, .queue: return .status(status(at: now))
    case .queueClear:
      // Descriptions, or their removal, may have been among the dropped messages.
      announcement.forgetShown()
      announcement.discoveryDoubted()
      return .done("\(outbox.clear()) messages dropped")
    case .why: return .reasons(journal.entries)
    case .regionList: return .regions(knownRegions)
    case .regionAdd(let entry, let isHere): return add(entry, isHere: isHere, at: now, into: &effects)
    case .regionSet(let name, let changes): return edit(name, changes, at: now, into: &effects)
    case .regionRemove(let name):
      return withRegion(name) { tracker, region in
        tracker.remove(rid: region.rid, at: now)
        return .done("removed \(region.name) (\(region.rid))")
      }
    case .regionImport(let entries):
      let counts = merge(entries, at: now, into: &effects)
      let done = "\(counts.added) added, \(counts.changed) changed, \(counts.removed) removed"
      guard counts.refused > 0 else { return .done(done) }
      return .failed("\(done), \(counts.refused) refused: \(Self.noRoom)")
    case .historyClear:
      history.emptied()
      outbox.remember(.pruneHistory(keep: 0, since: nil), isUrgent: true)
      return .done("the history is empty")
    case .historyDelete(let part): return delete(part, at: now)
    case .settingsClear: return forgetSettings(at: now, into: &effects)
    case .settingsSet(let change): return take(change, at: now, into: &effects)
    case .friendForget(let topic):
      let outcome = publish(.people, at: now, into: &effects) { _ in .friendForgotten(topic: topic) }
      guard outcome.isPublishedOrKept else { return .failed("nothing is published: offline") }
      return .done("forgotten, and removed from the broker")
    case .sos(let isAcknowledged):
      return sosAsked(isAcknowledged: isAcknowledged, at: now, into: &effects)
    case .park:
      if let why = park(at: now, into: &effects) { return .failed("not parked: \(why)") }
      let hours = tenths(wakeHours)
      return .done("the board is switched off once everything is delivered, and wakes after \(hours) h")
    case .withdraw: return withdrawForGood(at: now, into: &effects)
    }
  }

  /// Unwritten points go to the disk before the deletion; later ones stay.
  private mutating func delete(_ part: HistoryPart, at now: Moment) -> ControlAnswer {
    var part = part
    if let wall = clock.wall(at: now), part.times.contains(wall.seconds) {
      part.times = part.times.lowerBound...wall.seconds
    }
    outbox.promoteLazyWrites()
    outbox.remember(.removePoints(part), isUrgent: true)
    return .done("deleted")
  }

  private mutating func publishForUser(
    poi: String?, image: AttachedImage?, at now: Moment, into effects: inout [Effect]
  ) -> ControlAnswer {
    let outcome = publish(
      .user, positioning.position, remark: Remark(poi: poi, image: image), at: now, into: &effects)
    if askForLook(.user) { return .done("\(Self.known(outcome)); the receiver is woken for one look") }
    return switch outcome {
    case .published: .done("published")
    case .kept: .done("kept in the history (offline)")
    case .withheld(.neverAnyFix):
      .failed("no position yet: check the receiver with `homeward doctor`")
    case .withheld(.sameTime) where poi == nil && image == nil: .done("published a moment ago")
    case .withheld(.sameTime): .failed("not published: two places of one second; try again in a second")
    case .withheld(let reason): .failed("not published: \(reason.sentence)")
    }
  }

  /// While the receiver is off.
  private static func known(_ outcome: Outcome) -> String {
    switch outcome {
    case .published: "the last known place is published"
    case .kept: "the last known place is kept in the history (offline)"
    case .withheld(let reason): "not published yet: \(reason.sentence)"
    }
  }

  private mutating func add(
    _ entry: WaypointEntry, isHere: Bool, at now: Moment, into effects: inout [Effect]
  ) -> ControlAnswer {
    guard let coordinate = isHere ? positioning.position?.coordinate : entry.coordinate else {
      return .failed("no position is known yet: give --lat and --lon instead of --here")
    }
    guard let created = entry.created ?? clock.wall(at: now)?.wholeSeconds else {
      return .failed("the time is not known yet, and a region is dated by it: wait for a fix or give --tst")
    }
    let rid = entry.rid ?? freshIdentity(of: entry.name, created: created)
    if regions.region(rid: rid) != nil {
      return .failed("a region with the id \(rid) exists; to change it: homeward region set \(rid)")
    }
    guard hasRoomForRegion else { return .failed("not added: \(Self.noRoom)") }
    let name = entry.name.isEmpty ? "Here-\(rid)" : entry.name
    let region = Region(
      rid: rid, name: name, coordinate: coordinate, radius: entry.radius, beacon: entry.beacon,
      created: created, isShared: entry.isShared, speedLimit: Self.limit(entry.speedLimit),
      isPrivate: entry.isPrivate ?? false, dwell: Self.limit(entry.dwell))
    guard region.dwell == nil || region.canDwell else { return .failed("not added: \(Self.noDwell(region))") }
    if isHere, let secret = secretPlace(of: region) { return .failed("not added: \(secret)") }
    let namesake = regions.tracked.first { $0.region.name == name }?.region
    put(region, at: now, into: &effects)
    return .done("added \(name) (\(rid))" + Self.remark(on: region, beside: namesake))
  }

  /// A name that is taken, though it may be meant otherwise.
  private static func switchNote(_ name: String) -> String {
    Region.switchNote(on: name).map { "; note: \($0)" } ?? ""
  }

  /// A remark on a region that may not be what the person meant.
  private static func remark(on region: Region, beside namesake: Region?) -> String {
    var remark = switchNote(region.name)
    if region.radius == 0, region.beacon == nil, region.polygon == nil, !region.isFollow {
      remark += "; without --radius or --uuid it is a pin that is never entered"
    }
    if let namesake {
      remark += "; \(namesake.rid) has the same name, and each reports its own crossings"
    }
    return remark
  }

  private static let noRoom =
    "a board keeps at most \(Region.room); remove some: homeward region rm NAME"

  /// Why a region must not be where the board is: everyone who is told of it would know a place that is hidden. Nil: it
  /// may. In a private circle it may, too: there it is told to nobody.
  private func secretPlace(of region: Region) -> String? {
    guard region.isShared, !region.hidesReports, let here = positioning.position,
      regions.circle(hiding: here.coordinate) == nil, let hiding = regions.hidingRegion(at: here)
    else { return nil }
    return
      "the board is inside the private region \(hiding.name), and a shared region would tell where that is: "
      + "add --no-share, or give a place"
  }

  private static func noDwell(_ region: Region) -> String {
    "\(region.name) cannot have a dwell: that is only for a circle (--radius above 0) or an area that does not follow "
      + "the board"
  }

  /// Two regions of one name made in one second still need two ids.
  private func freshIdentity(of name: String, created: Int) -> String {
    var rid = RegionIdentity.computed(name: name, created: created)
    var attempt = 1
    while regions.region(rid: rid) != nil {
      rid = RegionIdentity.computed(name: "\(name)#\(attempt)", created: created)
      attempt += 1
    }
    return rid
  }

  private mutating func edit(
    _ name: String, _ edit: ControlRequest.RegionEdit, at now: Moment, into effects: inout [Effect]
  ) -> ControlAnswer {
    if edit.isHere, positioning.position == nil {
      return .failed("no position is known yet: give --lat and --lon")
    }
    var changes: [Effect] = []
    let answer = withRegion(name) { tracker, region in
      var changed = region
      changed.name = edit.name ?? region.name
      let place = edit.isHere ? tracker.positioning.position?.coordinate : edit.coordinate
      changed.coordinate = place ?? region.coordinate
      changed.radius = edit.radius ?? region.radius
      changed.beacon = edit.beacon ?? region.beacon
      if let radius = edit.radius, radius < 0, changed.beacon == nil {
        return .failed("not changed: only a region with a beacon may have a radius below 0")
      }
      // Another place or size is that of a circle.
      if place != nil || edit.radius != nil || changed.isFollow || changed.beacon != nil {
        changed.polygon = nil
      }
      changed.isShared = edit.isShared ?? region.isShared
      changed.speedLimit = Self.limit(edit.speedLimit ?? region.speedLimit)
      changed.isPrivate = edit.isPrivate ?? region.isPrivate
      changed.dwell = Self.limit(edit.dwell ?? region.dwell)
      if !changed.canDwell, changed.dwell != nil {
        if edit.dwell != nil { return .failed("not changed: \(Self.noDwell(changed))") }
        changed.dwell = nil
      }
      if edit.isHere, let secret = tracker.secretPlace(of: changed) {
        return .failed("not changed: \(secret)")
      }
      if changed == region { return .done("nothing to change") }
      tracker.put(changed, at: now, into: &changes)
      return .done(
        "changed \(changed.name) (\(changed.rid))" + (edit.name == nil ? "" : Self.switchNote(changed.name)))
    }
    effects += changes
    return answer
  }

  /// By id, else by full name, else by the name that events use; two of one name have to be told apart by id.
  private mutating func withRegion(
    _ name: String, _ change: (inout Tracker, Region) -> ControlAnswer
  ) -> ControlAnswer {
    if let known = regions.region(rid: name) { return change(&self, known.region) }
    var matches = regions.tracked.map(\.region).filter { $0.name == name }
    if matches.isEmpty { matches = regions.tracked.map(\.region).filter { $0.eventName == name } }
    guard let region = matches.first else { return .failed("no region is called \(name)") }
    guard matches.count == 1 else {
      return .failed(
        "\(matches.count) regions are called \(name): use an id (\(matches.map(\.rid).joined(separator: ", ")))"
      )
    }
    return change(&self, region)
  }

  // MARK: Status

  private var vehicleStatus: VehicleStatus {
    var status = shutDown.status
    status.step = stepStatus
    return status
  }

  private var stepStatus: BatteryStepStatus? {
    guard shutDown.battery.isOn else { return nil }
    let rest: Span? =
      switch receiverRest {
      case .never: .zero
      case .between(let cycle): cycle
      case .untilAsked: nil
      }
    return BatteryStepStatus(step: shutDown.battery.step, rest: rest)
  }

  /// Where everything stands; it changes nothing, and so may be asked at any time.
  public func status(at now: Moment) -> TrackerStatus {
    TrackerStatus(
      mode: modes.state, modeCause: modes.reason?.modeCause, position: positioning.position,
      fixAge: positioning.age(at: now.instant),
      isClockTrusted: clock.wall(at: now) != nil, isSourceReached: surroundings.isSourceReached,
      regionCount: regions.tracked.count, inside: regions.inside.map(\.name),
      queue: outbox.status(at: now.instant),
      battery: surroundings.battery, network: surroundings.network,
      isIdentityValid: isIdentityValid, historyCount: history.count,
      scan: station.plan, scanner: station.scanner, journey: journeyStatus,
      vehicle: vehicleStatus, leftDescriptions: leftDescriptions, remote: layers.remote,
      isOnTrial: layers.isOnTrial)
  }
}
