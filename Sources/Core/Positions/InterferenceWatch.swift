import Model
import Timebase

/// Whether the receiver is jammed or spoofed, by what it says itself each time that it is asked. One answer is none: a
/// truck with a jammer that comes the other way is gone with the next one.
///
///     calm ──two answers in a row that say so──▶ told ──two in a row that it is over──▶ calm, told as well
///      ▲                                          │ ▲
///      │                                          └─┘ two in a row that it is worse: told again
///      └──a look finds nothing of it, the receiver is gone or is not asked any more: silently
struct InterferenceWatch {
  /// Two answers are in a row that are as far apart: nearer ones may be of the same moment, others of two occasions.
  static let apart = Span.seconds(10)...Span.minutes(3)

  enum Change: Hashable {
    case began(InterferenceState)
    case worsened(InterferenceState)
    case ended(InterferenceState, after: Span)

    /// One of the two kinds.
    var kind: Interference.Kind {
      switch self {
      case .began(let state), .worsened(let state), .ended(let state, after: _): state.kind
      }
    }
  }

  /// One of the two kinds.
  private struct Line {
    var before: (level: Interference.Level, at: Instant)?
    var told: (state: InterferenceState, at: Instant)?
    /// It began where nobody may be told: shown here, and told as soon as somebody may be.
    var isUntold = false

    mutating func said(_ level: Interference.Level, _ start: InterferenceState, at now: Instant) -> Change? {
      guard level != .unknown else {
        before = nil
        return nil
      }
      let earlier = before.flatMap { now - $0.at > apart.upperBound ? nil : $0 }
      if let earlier, now - earlier.at < apart.lowerBound { return nil }
      before = (level, now)
      guard let earlier else { return nil }
      let lasting = min(level, earlier.level)
      guard let told else {
        guard lasting.isDisturbed else { return nil }
        var state = start
        state.level = lasting
        self.told = (state, now)
        return .began(state)
      }
      if max(level, earlier.level) == .none {
        self.told = nil
        return .ended(told.state, after: now - told.at)
      }
      guard lasting > told.state.level else { return nil }
      self.told?.state.level = lasting
      return self.told.map { .worsened($0.state) }
    }

    /// True: it is over, silently.
    mutating func rest() -> Bool {
      let isOver = told != nil && before?.level.isDisturbed != true
      if isOver { (told, isUntold) = (nil, false) }
      before = nil
      return isOver
    }
  }

  private var jamming = Line()
  private var spoofing = Line()

  /// `place` and `wall` of now, where they are known.
  mutating func said(_ found: Interference, place: TrackPoint?, wall: WallTime?, at now: Instant) -> [Change]
  {
    let jammed = InterferenceState(kind: .jamming, level: found.jamming, start: place, since: wall)
    let spoofed = InterferenceState(kind: .spoofing, level: found.spoofing, start: place, since: wall)
    return [
      jamming.said(found.jamming, jammed, at: now), spoofing.said(found.spoofing, spoofed, at: now),
    ]
    .compactMap { $0 }
  }

  /// The receiver rests until its next look: what the last word of this one was about goes on, so that it is not told anew
  /// with each. True: something that had been told is over.
  mutating func rest() -> Bool {
    let isOver = (jamming: jamming.rest(), spoofing: spoofing.rest())
    return isOver.jamming || isOver.spoofing
  }

  /// It is no longer known. True: something had been told.
  mutating func forget() -> Bool {
    defer { self = InterferenceWatch() }
    return jamming.told != nil || spoofing.told != nil
  }

  /// Nobody could be told that it began.
  mutating func beganUntold(_ kind: Interference.Kind) { self[kind].isUntold = true }

  /// Somebody was told later on, or it is over.
  mutating func toldLater(_ kind: Interference.Kind) { self[kind].isUntold = false }

  /// Whether it began so, and lasts.
  func isUntold(_ kind: Interference.Kind) -> Bool { self[kind].isUntold }

  /// Disturbances that last and that nobody could be told of.
  var untold: [InterferenceState] {
    [jamming, spoofing].compactMap { $0.isUntold ? $0.told?.state : nil }
  }

  /// Nil: it is not disturbed so, or that is not told.
  func told(_ kind: Interference.Kind) -> InterferenceState? { self[kind].told?.state }

  private subscript(kind: Interference.Kind) -> Line {
    get { kind == .jamming ? jamming : spoofing }
    set { if kind == .jamming { jamming = newValue } else { spoofing = newValue } }
  }
}
