import Core
import Model
import Timebase

/// What the tracker asks for, done by a disk, a radio and a wire that fail.
extension World: EffectWorld {
  public func published(_ report: Report, as made: Message) {
    hurryClient(isAsked: false)
    var message = made
    // What is owed is what it truly is.
    if breakage == .eventsAreNotDurable { message.isEvent = process.encoder.encode(report).isEvent }
    let isRanging = if case .beacon = report { true } else { false }
    let reason = isRanging ? nil : evidence.telling.nextReason()
    tell("made, \(reason.map { "\($0)" } ?? "?"): \(String(decoding: message.payload, as: UTF8.self))")
    show(.told(report, because: reason))
    ledger.made(report, message, because: reason, mode: evidence.telling.modeBefore, life: life, at: now)
    if !isTimeKnown || isReturnUnseen(report, because: reason) { ledger.lastIsOfUnknownTime() }
    tellAgain(report)
  }

  public func announce(_ report: Report, as message: Message) {
    if case .status(let status) = report, let isOnline = status.isOnline {
      tell("says that it is \(isOnline ? "online" : "offline")")
    }
    show(.announced(report))
  }

  public func takeBack(over message: Message?) {
    tell(
      "takes back what is under way" + (message.map { ", the connection ended over \($0.sequence)" } ?? ""))
    takeBackFromClient(isOverMessage: message != nil)
  }

  public func keep(_ message: Message, because reason: String) { post(.letterKept(message.sequence)) }
  public func takeRefused(first: UInt64, for sender: UInt64) {}
  public func forgetRefused(first: UInt64) {}
  public func renew(_ order: CertificateOrder) {}

  public func write(_ batch: UInt64, _ writes: [StoreWrite]) {
    guard let desk = process.desk else { return post(.storeFailed(batch: batch)) }
    if breakage == .storeLies, faults.dice.chance(0.2) { return post(.stored(batch: batch)) }
    process.writing.batches[batch] = writes
    show(.ordered(batch, writes))
    tell("to the disk, batch \(batch): \(writes.map(\.summary).joined(separator: ", "))")
    for write in writes {
      if case .insert(let message) = write { process.writing.known[message.sequence] = message }
      if case .remove(let sequences) = write { removed(sequences) }
      // The disk may do it and the answer never come.
      if case .regionRemoved(let rid) = write { ledger.regions.remove(rid) }
    }
    desk.write(batch: batch, writes)
    runDesk()
  }

  public func load(after sequence: UInt64, limit: Int) {
    process.desk?.load(after: sequence, limit: limit)
    runDesk()
  }

  public func loadIndex(after sequence: UInt64, limit: Int) {
    show(.pageAsked)
    process.desk?.loadIndex(after: sequence, limit: limit)
    runDesk()
  }

  public func recall(_ query: HistoryQuery, for sender: UInt64) {}
  public func reply(_ answer: ControlAnswer, to sender: UInt64) { show(.answered(answer, to: sender)) }

  public func explain(withheld reason: Reason) {
    if !reason.isEveryday { tell("withheld: \(reason)") }
    show(.withheld(reason))
    switch reason {
    // Crossings that nobody was told of.
    case .modeIsQuiet, .clockUntrusted, .offline, .noIdentity: ledger.note(breakOf: nil, at: now)
    case .insidePrivateRegion: ledger.hidden(at: now)
    default: break
    }
  }

  public func journal(_ news: SettingsNews) { tell("journal: \(news.sentence)") }

  /// The settings in force: those of the file, and over them what was ordered.
  public func adopt(_ settings: Configuration) {
    guard breakage == nil else { return }
    process.adopt(settings)
    configureClient()
  }

  public func setScan(_ plan: ScanPlan) { air.radio.plan = plan }
  public func setReceiver(isAwake: Bool, rest: Span?) { receiver.isAwake = isAwake }

  public func switchOff(_ cause: HaltCause?, wakeAfter: Int?) {
    if cause != nil { board.alarm = wakeAfter.map { now + .seconds($0 + 2) } }
    show(.halts(cause))
    guard let cause else { return tell("no longer asks to be switched off") }
    tell("asks to be switched off: \(cause)" + (wakeAfter.map { ", and to be woken after \($0) s" } ?? ""))
    schedule.add(.switchesOff(life: life), at: now + .seconds(2))
  }

  /// Removed and never acknowledged: overflow took it, and a power cut may bring it back.
  private func removed(_ sequences: [UInt64]) {
    for sequence in sequences {
      if let message = process.writing.known.removeValue(forKey: sequence) { ledger.passing.passed(message) }
    }
  }

  /// A leave that was held down, of who has come back meanwhile with fixes too vague to say so.
  private func isReturnUnseen(_ report: Report, because reason: Reason?) -> Bool {
    guard case .crossed(_, .leave, .some(0)) = reason, case .transition = report else { return false }
    return receiver.haze.isSeen(since: now - .seconds(configuration.regions.holdDown))
  }
}
