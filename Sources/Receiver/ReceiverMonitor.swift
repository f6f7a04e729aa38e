import Model
import Timebase

/// Asks a receiver of u-blox what it notices of jamming and spoofing (`jammingWatch`), through gpsd: with a report of its
/// own, so that nothing is woken for that, and gpsd repeats its packets only until the answers are there.
///
/// ```
///   quiet ──a report, 60 s after the last time; 10 s where it is disturbed──▶ asking ──both answers, or 3 s──▶ quiet
/// ```
final class ReceiverMonitor {
  /// From an answer to the next question.
  static let (seldom, often) = (Span.minutes(1), Span.seconds(10))
  /// A question that has not been answered by then will not be.
  static let patience = Span.seconds(3)

  /// When it was asked last, or has answered, or was found to be none that can be asked.
  private var last: Instant?
  private var gap = ReceiverMonitor.seldom
  private(set) var isAsking = false
  /// Packets that gpsd repeats may still be under way.
  private(set) var hasAsked = false
  /// gpsd has to be told to ask.
  private var isQuestionOwed = false
  /// The answers of this time.
  private var jamming: Interference.Level?
  private var spoofing: Interference.Level?
  /// Not posted yet.
  private var news: Interference?
  /// The last answer; nil: none yet, or not the last time.
  private(set) var latest: Interference?
  /// The last question was not answered.
  private(set) var isSilent = false

  /// The receiver that is used has reported. `canAsk`: it understands the question, and the answer can only be its own.
  func reported(at now: Instant, canAsk: @autoclosure () -> Bool) {
    if let last, now - last < (isAsking ? Self.patience : gap) { return }
    if isAsking { return settle(at: now) }
    last = now
    guard canAsk() else {
      gap = Self.often
      return
    }
    (isAsking, hasAsked, isQuestionOwed) = (true, true, true)
    (jamming, spoofing) = (nil, nil)
  }

  /// A line that gpsd repeats.
  func hear(_ line: UnsafeRawBufferPointer, at now: Instant) {
    guard isAsking else { return }
    switch InterferencePacket(line) {
    case .jamming(let level): jamming = max(level, jamming ?? level)
    case .spoofing(let level): spoofing = level
    case nil: return
    }
    if jamming != nil, spoofing != nil { settle(at: now) }
  }

  private func settle(at now: Instant) {
    (isAsking, last, isSilent) = (false, now, jamming == nil)
    let wasDisturbed = latest?.isDisturbed ?? false
    let isAnswered = jamming != nil || spoofing != nil
    latest = isAnswered ? Interference(jamming: jamming ?? .unknown, spoofing: spoofing ?? .unknown) : nil
    news = latest
    // Soon it is known whether that lasts, and whether it is over.
    gap = wasDisturbed || latest?.isDisturbed ?? false ? Self.often : Self.seldom
  }

  /// Another connection: nothing is known of its receiver.
  func reset() {
    rest()
    (last, jamming, spoofing, hasAsked, isSilent) = (nil, nil, nil, false, false)
  }

  /// Nobody watches: what was said before says nothing of what follows.
  func rest() {
    (isAsking, isQuestionOwed, news, latest, gap) = (false, false, nil, nil, Self.seldom)
  }

  /// True: gpsd is to be told now.
  func takeQuestion() -> Bool {
    defer { isQuestionOwed = false }
    return isQuestionOwed
  }

  /// An answer that was not posted.
  func takeNews() -> Interference? {
    defer { news = nil }
    return news
  }
}
