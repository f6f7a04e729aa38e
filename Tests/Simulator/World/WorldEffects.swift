import Core
import Model
import OwnTracks
import Timebase

/// What the tracker asks for, done by a disk, a radio and a wire that fail.
extension World: EffectWorld {
  public func published(_ report: Report, as made: Message) {
    hurryClient(isAsked: false)
    var message = made
    // What is owed is what it truly is.
    if breakage == .eventsAreNotDurable { message.isEvent = encoder.encode(report).isEvent }
    let isRanging = if case .beacon = report { true } else { false }
    let reason = isRanging ? nil : judging.nextReason()
    tell("made, \(reason.map { "\($0)" } ?? "?"): \(String(decoding: message.payload, as: UTF8.self))")
    judge(published: report, because: reason)
    judge(mode: report, because: reason)
    judge(accuracyOf: report)
    judge(coldStartOf: report, because: reason)
    upkeep.told(report, because: reason)
    owed.made(report, configuration, at: now)
    judge(confirmationOf: report, because: reason)
    judge(leaveOf: report, because: reason)
    judge(beacon: report, because: reason)
    judge(heardOf: report, because: reason)
    judge(timeOf: report)
    judge(crossing: report, because: reason)
    judge(dwellOf: report, because: reason)
    judge(passingOf: report, because: reason)
    judge(secretsOf: report)
    judge(voltsOf: report)
    judge(choiceOf: report, because: reason)
    judge(limitOf: report, because: reason)
    follows.told(report)
    dwells.told(report)
    regionWatch.told(report, because: reason, isPlaceKnown: judging.lastPublish != nil)
    ledger.made(report, message, because: reason, mode: judging.modeBefore, life: life, at: now)
    if !isTimeKnown || isReturnUnseen(report, because: reason) { ledger.lastIsOfUnknownTime() }
    tellAgain(report)
  }

  public func announce(_ report: Report, as message: Message) { say(report) }

  public func takeBack(over message: Message?) {
    tell(
      "takes back what is under way" + (message.map { ", the connection ended over \($0.sequence)" } ?? ""))
    takeBackFromClient(isOverMessage: message != nil)
  }

  public func keep(_ message: Message, because reason: String) {}
  public func takeRefused(first: UInt64, for sender: UInt64) {}
  public func forgetRefused(first: UInt64) {}

  public func write(_ batch: UInt64, _ writes: [StoreWrite]) {
    guard let desk else { return post(.storeFailed(batch: batch)) }
    if breakage == .storeLies, faultDice.chance(0.2) { return post(.stored(batch: batch)) }
    batches[batch] = writes
    owed.ordered(writes)
    noteOrdered(batch, writes)
    tell("to the disk, batch \(batch): \(writes.map(\.summary).joined(separator: ", "))")
    for write in writes {
      if case .insert(let message) = write { known[message.sequence] = message }
      if case .remove(let sequences) = write { removed(sequences) }
      if case .removeRange(let after, let through) = write { removed(after: after, through: through) }
      // The disk may do it and the answer never come.
      if case .regionRemoved(let rid) = write { ledger.regions.remove(rid) }
    }
    desk.write(batch: batch, writes)
    runDesk()
  }

  public func load(after sequence: UInt64, limit: Int) {
    desk?.load(after: sequence, limit: limit)
    runDesk()
  }

  public func loadIndex(after sequence: UInt64, limit: Int) {
    if desk?.isIndexAsked == true {
      ledger.complain(.limits, "another page of the index is asked for, and one is on its way", at: now)
    }
    desk?.loadIndex(after: sequence, limit: limit)
    runDesk()
  }

  public func recall(_ query: HistoryQuery, for sender: UInt64) {}
  public func reply(_ answer: ControlAnswer, to sender: UInt64) { judge(answer, to: sender) }

  public func explain(withheld reason: Reason) {
    if !reason.isEveryday { tell("withheld: \(reason)") }
    judge(withheld: reason)
    if case .backlogDropped(let count) = reason, let tracker,
      let lie = ledger.old.told(count, of: tracker.status(at: clock.moment(at: now)).queue.droppedOld)
    {
      ledger.complain(.old, lie, at: now)
    }
    judge(hidden: reason)
    noteChoice(reason)
    regionWatch.withheld(reason)
    upkeep.withheld(reason)
    if reason.isNobodysToBeTold {
      follows.forget()
      dwells.forget()
    }
  }

  public func tell(_ news: SettingsNews) { tell("journal: \(news.sentence)") }

  /// The settings in force: those of the file, and over them what was ordered.
  public func adopt(_ settings: Configuration) {
    guard breakage == nil else { return }
    configuration = settings
    encoder = Encoder(configuration, hostName: "board")
    configureClient()
  }

  public func setScan(_ plan: ScanPlan) { radio.plan = plan }
  public func setReceiver(isAwake: Bool) { receiver.isAwake = isAwake }

  public func switchOff(_ cause: HaltCause?) {
    judge(halt: cause)
    guard let cause else { return tell("no longer asks to be switched off") }
    tell("asks to be switched off: \(cause)")
    schedule.add(.switchesOff(life: life), at: now + .seconds(2))
  }

  /// A person has cleared the queue: what is under way stays.
  private func removed(after: UInt64, through: UInt64) {
    let taken = client.inFlight.map(\.message).first {
      $0.qos > 0 && $0.sequence > after && $0.sequence <= through
    }
    guard let taken else { return }
    ledger.complain(
      .delivered, "\(taken.sequence) is cleared from the disk, and the broker has not answered", at: now)
  }

  /// Removed and never acknowledged: overflow took it, and a power cut may bring it back. Nothing takes what is under
  /// way.
  private func removed(_ sequences: [UInt64]) {
    for sequence in sequences {
      if let sent = client.inFlight.first(where: { $0.message.sequence == sequence }), sent.message.qos > 0 {
        ledger.complain(
          .delivered, "\(sequence) is taken from the disk, and the broker has not answered", at: now)
      }
      if let message = known.removeValue(forKey: sequence) { ledger.passed(message) }
    }
  }
}
