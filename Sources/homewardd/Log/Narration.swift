import Core
import Timebase

/// Which of what the tracker notes has a line in the journal, and how many of them there are.
struct Narration {
  /// Of each kind that comes all day, and of everything together.
  static let span = Span.minutes(1)
  /// Lines in a span, of what happens rarely: a list of a thousand regions tells of each.
  static let limit = 20

  private var everyday: [String: (next: Instant, untold: Int)] = [:]
  private var since: Instant?
  private var told = 0
  private var untold = 0

  /// Nil: it has none.
  mutating func line(about entry: Journal.Entry, at now: Instant) -> String? {
    switch Kind(entry) {
    case .none: return nil
    case .everyday:
      let kind = everyday[entry.reason.word]
      if let kind, now < kind.next {
        everyday[entry.reason.word]?.untold += 1
        return nil
      }
      everyday[entry.reason.word] = (now + Self.span, 0)
      return Self.sentence(entry) + Self.others(kind?.untold ?? 0)
    case .event:
      if since.map({ now - $0 >= Self.span }) ?? true { (since, told) = (now, 0) }
      guard told < Self.limit else {
        untold += 1
        return nil
      }
      told += 1
      defer { untold = 0 }
      return Self.sentence(entry) + Self.others(untold)
    }
  }

  private static func sentence(_ entry: Journal.Entry) -> String {
    (entry.isPublished ? "published: " : "") + entry.reason.sentence
  }

  private static func others(_ count: Int) -> String {
    count == 0 ? "" : " (and \(count) more since the last such line)"
  }

  private enum Kind {
    case none
    /// Published all day, or as often as others want it.
    case everyday
    case event

    init(_ entry: Journal.Entry) {
      switch entry.reason {
      // A command that changes the mode has a line of its own, like all settings.
      case .modeChanged(_, _, .command): self = .none
      case .modeChanged, .modeByNetwork, .modeByTime, .receiverSilent, .receiverBack: self = .event
      case .moved, .movedAndWaited, .stopped, .intervalElapsed, .turned, .speedChanged, .pingDue, .ranged,
        .askedRemotely, .commandAnswered, .resultTold, .introduced:
        self = entry.isPublished ? .everyday : .none
      case _: self = entry.isPublished ? .event : .none
      }
    }
  }
}
