import Model
import OwnTracks
import Timebase

extension Judge {
  /// All of them on one run. Those that have to see a thing happen have complained in the ledger already.
  static func all(_ ledger: Ledger, _ road: Road) -> [Complaint] {
    let consumer = Consumer(ledger)
    var court = Court(ledger: ledger, consumer: consumer, road: road)
    court.delivered()
    court.once()
    court.ordered()
    court.alternating()
    court.together()
    court.trips()
    court.quiet()
    court.times()
    court.calm()
    court.picture()
    court.announced()
    court.truth()
    return ledger.complaints + court.complaints
  }
}

/// One run before its judges.
struct Court {
  let ledger: Ledger
  let consumer: Consumer
  let road: Road
  private(set) var complaints: [Complaint] = []

  init(ledger: Ledger, consumer: Consumer, road: Road) {
    self.ledger = ledger
    self.consumer = consumer
    self.road = road
  }

  mutating func complain(_ judge: Judge, _ text: String, at: Instant? = nil) {
    guard complaints.count(where: { $0.judge == judge }) < 5 else { return }
    complaints.append(Complaint(judge: judge, text: text, at: at ?? ledger.ended))
  }

  private func text(_ payload: [UInt8]) -> String { String(decoding: payload, as: UTF8.self) }

  // MARK: What has to arrive

  mutating func delivered() {
    var missing = 0
    var example = 0
    var young: Int?
    for (index, made) in ledger.made.enumerated() where made.excuse == nil {
      let content = Ledger.Content(topic: made.topic, payload: made.payload)
      guard !consumer.arrived.contains(content), made.at + .seconds(30) < ledger.ended else { continue }
      if made.isEvent {
        complain(.delivered, "never arrived: \(text(made.payload)), made in life \(made.life)", at: made.at)
      } else {
        missing += 1
        example = index
        if !ledger.old.mayWait(index) { young = index }
      }
    }
    if let index = ledger.newestOfOverflow, case let newest = ledger.made[index], newest.excuse == nil,
      newest.at + .seconds(30) < ledger.ended, !ledger.old.mayBeMissing(index),
      !consumer.arrived.contains(.init(topic: newest.topic, payload: newest.payload))
    {
      complain(.window, "the newest location is gone, too: \(text(newest.payload))", at: newest.at)
    }
    if let young, ledger.dropped == 0, ledger.old.policy != .always {
      complain(
        .old, "not old, and never arrived: \(text(ledger.made[young].payload))", at: ledger.made[young].at)
    }
    if missing > ledger.dropped + ledger.old.missing {
      let made = ledger.made[example]
      let lost =
        "\(missing) locations never arrived, overflow counted \(ledger.dropped), \(ledger.old.missing) were old"
      complain(.window, "\(lost): \(text(made.payload)), made in life \(made.life)", at: made.at)
    }
  }

  mutating func once() {
    if consumer.unreadable > 0 { complain(.once, "\(consumer.unreadable) messages make no sense") }
    var crossings: [String: Int] = [:]
    for told in consumer.told {
      guard let made = told.made else {
        complain(.once, "nobody made this: \(told.payload)", at: told.at)
        continue
      }
      let happening: String
      switch told.kind {
      case "transition": happening = "\(told.topic) \(told.rid) \(told.event) \(told.time)"
      // A trip begins once and ends once, whatever happens meanwhile.
      case "trip": happening = "\(told.topic) \(told.payload["id"]?.text ?? "") \(told.event)"
      default: continue
      }
      if let before = crossings.updateValue(made, forKey: happening),
        !isForgotten(between: before, made, told), !isOfAnother(before)
      {
        complain(.once, "twice, in other words: \(told.payload)", at: told.at)
      }
    }
  }

  /// It told that a region was left which has been changed: that one is another, of the same `rid`.
  private func isOfAnother(_ made: Int) -> Bool {
    if case .leftSince(_, isChanged: true) = ledger.made[made].reason { true } else { false }
  }

  /// A trip was told as over and the disk took nothing of it: the next process knows it as still under way.
  private func isForgotten(between one: Int, _ other: Int, _ told: Consumer.Told) -> Bool {
    guard told.kind == "trip" else { return false }
    return ledger.undurable.contains { $0 > min(one, other) && $0 <= max(one, other) }
  }

  mutating func ordered() {
    var before: [String: [Int]] = [:]
    var newest: [String: Int] = [:]
    var arrivals: [Int: Instant] = [:]
    for told in consumer.told {
      guard let made = told.made else { continue }
      let content = Ledger.Content(topic: told.topic, payload: ledger.made[made].payload)
      // The manual names them: connections end over them, or they come from a store that could not be read while
      // newer ones were sent.
      if ledger.passed.contains(content) { continue }
      // Made twice in the same words, as after a start without a store: which one it is, nobody can say.
      if ledger.indices(of: content).count > 1 { continue }
      if newest[told.topic] ?? 0 > made,
        let before = before[told.topic]?.first(where: { isInverted(made, $0) })
      {
        let isBlind = ledger.blindLives.contains {
          $0 >= ledger.made[made].life && $0 <= ledger.made[before].life
        }
        let mayPass = ledger.old.mayPass(made, at: told.at, before, at: arrivals[before] ?? .zero)
        if !isBlind, !mayPass, !isBack(made, told) {
          let younger = text(ledger.made[before].payload)
          complain(.ordered, "after younger ones: \(told.payload), after \(younger)", at: told.at)
        }
      }
      before[told.topic, default: []].append(made)
      arrivals[made] = told.at
      newest[told.topic] = max(newest[told.topic] ?? 0, made)
    }
  }

  /// What was under way when it was turned away may have come before it.
  private func isInverted(_ made: Int, _ before: Int) -> Bool {
    before > made && ledger.turnedAway[content(made)]?.contains(content(before)) != true
  }

  private func content(_ made: Int) -> Ledger.Content {
    Ledger.Content(topic: ledger.made[made].topic, payload: ledger.made[made].payload)
  }

  /// A location that overflow took, and a crash brought back before the disk knew of that.
  private func isBack(_ made: Int, _ told: Consumer.Told) -> Bool {
    guard ledger.dropped > 0, !ledger.made[made].isEvent else { return false }
    return ledger.crashes.contains { $0 <= told.at && $0 > ledger.made[made].at }
  }

  mutating func alternating() {
    var last: [String: (event: String, made: Int)] = [:]
    let breaks = ledger.breaks
    for told in consumer.transitions {
      guard let made = told.made else { continue }
      if let before = last[told.rid], before.event == told.event {
        // To a consumer a region of another name is another one.
        let isRenamed = ledger.made[before.made].eventName != ledger.made[made].eventName
        let isBroken = breaks.contains {
          $0.made > before.made && $0.made <= made && ($0.rid == nil || $0.rid == told.rid)
        }
        let isExcused = ledger.made[before.made...made].contains {
          guard case .transition(let report) = $0.report, report.region.rid == told.rid else { return false }
          return $0.excuse == .cleared || $0.excuse == .refused || $0.excuse == .flipped
        }
        // What was changed or removed inside of a private region is left when that ends, and may be there anew by then.
        let isAnew =
          if case .leftSince(_, isChanged: true) = ledger.made[before.made].reason { true } else { false }
        if !isBroken, !isExcused, !isRenamed, !isAnew {
          complain(.alternating, "\(told.event) after \(before.event): \(told.payload)", at: told.at)
        }
      }
      last[told.rid] = (told.event, made)
    }
  }

  /// What one fix leaves is told before what it enters.
  mutating func together() {
    var entered: (wakeup: Int, time: WallTime, name: String)?
    for made in ledger.made {
      // Who waits (-Name) is left when its time has come.
      guard case .transition(let report) = made.report, report.region.kind == .circular,
        !report.region.isHoldDown
      else { continue }
      guard report.crossing == .leave else {
        entered = (made.wakeup, report.time, report.region.name)
        continue
      }
      if let before = entered, before.wakeup == made.wakeup, before.time == report.time {
        complain(
          .ordered, "\(report.region.name) is left after \(before.name) was entered, with one fix",
          at: made.at)
      }
    }
  }

  /// A trip that has begun ends before the next one begins.
  mutating func trips() {
    var open: (id: String, made: Int)?
    let told = consumer.told.filter { $0.kind == "trip" && $0.made != nil }
    for told in told.sorted(by: { ($0.made ?? 0) < ($1.made ?? 0) }) {
      guard let made = told.made else { continue }
      let id = told.payload["id"]?.text ?? ""
      if told.event == "stop" {
        if open?.id == id { open = nil }
        continue
      }
      if let before = open, before.id != id, !isInterrupted(between: before.made, made) {
        complain(.alternating, "a trip begins, and \(before.id) never ended: \(told.payload)", at: told.at)
      }
      open = (id, made)
    }
  }

  /// People changed something, nobody might be told, or a message of the trip came to nothing.
  private func isInterrupted(between one: Int, _ other: Int) -> Bool {
    if ledger.breaks.contains(where: { $0.rid == nil && $0.made > one && $0.made <= other }) { return true }
    return ledger.made[one...other].contains {
      guard case .trip = $0.report else { return false }
      return $0.excuse != nil
    }
  }

  // MARK: What must not

  mutating func quiet() {
    for told in consumer.told {
      guard let made = told.made, ledger.made[made].mode == .quiet else { continue }
      // It is told as quiet ends: the judge of reasons looks whether it has.
      if case .leftSince = ledger.made[made].reason { continue }
      let isAsked = told.kind == "location" && ["u", "r"].contains(told.trigger)
      let isAnswer = ["dump", "status", "waypoints", "steps"].contains(told.kind)
      if !isAsked, !isAnswer, told.kind != "waypoint" {
        complain(.quiet, "published in quiet: \(told.payload)", at: told.at)
      }
    }
  }

  /// What one process has told no process may tell again as news; a ping without a fix, and what people ask for, may
  /// after a crash, which can cost it the knowledge.
  mutating func times() {
    let first = Int(BoardClock.epoch) - 1
    var known: [Int: (payload: JSON, life: Int)] = [:]
    for told in consumer.told where told.kind == "location" || told.kind == "transition" {
      let arrived = BoardClock.truth(told.at).wholeSeconds
      if let made = told.made, ledger.made[made].isOfUnknownTime { continue }
      if told.time < first || told.time > arrived + 1 {
        complain(.times, "of another time than \(arrived): \(told.payload)", at: told.at)
      }
    }
    for told in consumer.locations.sorted(by: { ($0.made ?? .max) < ($1.made ?? .max) }) {
      let life = told.made.map { ledger.made[$0].life } ?? 0
      if let before = known[told.time], before.life == life || ["-", "t"].contains(told.trigger) {
        complain(.times, "the tst of \(before.payload) again: \(told.payload)", at: told.at)
      }
      known[told.time] = (told.payload, life)
    }
  }

  // MARK: The end

  mutating func calm() {
    let late = ledger.deliveries.filter { $0.at + .seconds(60) > ledger.ended }
    var known: Set<Ledger.Content> = []
    for delivery in ledger.deliveries.dropLast(late.count) {
      known.insert(.init(topic: delivery.topic, payload: delivery.payload))
    }
    for delivery in late where known.contains(.init(topic: delivery.topic, payload: delivery.payload)) {
      complain(.calm, "repeated when all was still: \(text(delivery.payload))", at: delivery.at)
    }
  }
}
