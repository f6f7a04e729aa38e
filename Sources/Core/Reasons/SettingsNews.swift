import Model
import Timebase

/// Lines for the journal about settings and those who change them. A person at a board that does something else
/// than the file says can read there since when, and who changed it.
public enum SettingsNews: Hashable, Sendable {
  /// The origin of a change.
  public enum Source: Hashable, Sendable {
    /// The topic on which the command arrived; nil: in an answer over HTTP.
    case command(topic: String?)
    /// The changed settings were on trial, and no server was reached with them.
    case rollback
    /// The file was edited, and read again.
    case file
    /// `homeward`, at the board.
    case people

    var isOutside: Bool {
      switch self {
      case .command, .rollback: true
      case .file, .people: false
      }
    }
  }

  /// Both values as people may read them.
  case changed(key: String, from: String, to: String, Source)
  /// These keys of the file are kept from a server that is not the file's own.
  case withheld(keys: [String], Source)
  /// Stored by a version that let commands set them.
  case dropped(keys: [String])
  /// How many regions of a list did not fit.
  case regionsRefused(Int, Source)
  /// How many more lines were not written.
  case more(Int)

  /// Without the secrets. It may hold text of others: the daemon escapes it.
  public var sentence: String {
    switch self {
    case .changed(let key, let from, let to, let source):
      "\(key) changed from \(from) to \(to) by \(source.words)"
    case .withheld(let keys, let source):
      "\(keys.joined(separator: ", ")) of the file \(keys.count == 1 ? "is" : "are") for the file's own server, "
        + "and kept from the one that was set by \(source.words); setConfiguration can give others along"
    case .dropped(let keys):
      "\(keys.joined(separator: ", ")): what a command had set counts no more; only the board itself sets this"
    case .regionsRefused(let count, let source):
      "\(count) region\(count == 1 ? "" : "s") refused that came by \(source.words): a board keeps at most "
        + "\(Region.room); remove some: homeward region rm NAME"
    case .more(let count):
      "\(count) more line\(count == 1 ? "" : "s") about changed settings; see: homeward config remote"
    }
  }

  /// Whether the change did not come from people at the board.
  public var isOutside: Bool {
    switch self {
    case .changed(_, _, _, let source), .withheld(_, let source), .regionsRefused(_, let source):
      source.isOutside
    case .dropped: false
    case .more: true
    }
  }
}

extension SettingsNews.Source {
  var isPeople: Bool { self == .people }

  var words: String {
    switch self {
    case .command(let topic?): "a command on \(topic)"
    case .command(nil): "a command in an answer over HTTP"
    case .rollback: "the end of a trial: no server was reached with it"
    case .file: "the file"
    case .people: "a local user"
    }
  }
}

extension ConfigurationKey {
  /// Most characters of a value that a line shows.
  private static let shownLimit = 60

  /// For the journal: secrets are hidden, long texts cut.
  func shown(in configuration: Configuration) -> String {
    switch value(in: configuration) {
    case .flag(let flag): return "\(flag)"
    case .number(let number): return "\(number)"
    case .real(let number): return "\(number)"
    case .text(let text):
      if text.isEmpty { return "nothing" }
      if isSecret { return "(hidden)" }
      let letters = text.unicodeScalars.prefix(Self.shownLimit + 1)
      guard letters.count > Self.shownLimit else { return text }
      return String(String.UnicodeScalarView(letters.prefix(Self.shownLimit))) + "…"
    }
  }
}

/// Keeps changes of settings from filling the journal: ten lines a minute, and then the number of the others.
struct NewsBudget {
  static let lines = 10
  static let span = Span.minutes(1)

  private var since: Instant?
  private var written = 0
  private var skipped = 0

  /// Whether one more line may be written. False: it is counted, and the count is reported when it is `due`.
  mutating func admits(_ news: SettingsNews, at now: Instant) -> Bool {
    guard news.isOutside else { return true }
    if since.map({ now - $0 >= Self.span }) ?? true { (since, written) = (now, 0) }
    guard written < Self.lines else {
      skipped += 1
      return false
    }
    written += 1
    assert(written <= Self.lines && since != nil, "\(written) lines in a minute")
    return true
  }

  /// When the count of the lines not written is reported; nil: there are none.
  var due: Instant? { skipped > 0 ? since.map { $0 + Self.span } : nil }

  mutating func takeSkipped() -> Int {
    defer { skipped = 0 }
    assert(skipped == 0 || since != nil, "lines of no minute are missing")
    return skipped
  }
}
