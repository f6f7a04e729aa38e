import Glibc
import Model
import OwnTracks
import Timebase

/// Writes lines for people to the journal or a terminal.
///
/// A line is one `write`, so that lines of several programs never mix. Writing never waits: if the reader has stopped
/// reading, lines are lost, counted and reported, but the loop is never delayed.
public final class Log {
  /// How much a line matters; the raw value is syslog's, where less is more.
  public enum Level: Int, Comparable, Hashable, Sendable {
    // The numbers are those of syslog.
    /// Something does not work, and a person has to look.
    case error = 3
    /// A fault that passes by itself, or that has an outside cause.
    case warning = 4
    /// Of interest to a reader of the journal on a normal day.
    case info = 6
    /// For troubleshooting.
    case debug = 7

    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

    /// As the configuration names it.
    public init(_ level: Configuration.LogLevel) {
      switch level {
      case .error: self = .error
      case .warning: self = .warning
      case .info: self = .info
      case .debug: self = .debug
      }
    }

    /// As `logLevel` in the configuration names it.
    public var word: String {
      switch self {
      case .error: "error"
      case .warning: "warning"
      case .info: "info"
      case .debug: "debug"
      }
    }
  }

  /// The same line again within this time is counted, not written.
  public static let repeatSpan = Span.seconds(60)
  /// Number of different lines remembered: two or three alternating faults must not evade the limit.
  private static let memory = 8
  /// Bytes of a line. A pipe takes up to 4096 at once.
  private static let lineLimit = 2000

  /// Lines less important than this are not written.
  public var level: Level

  private struct Recent {
    var level: Level
    var text: String
    var since: Instant
    var repeats = 0
  }

  private let descriptor: Int32
  private let isJournal: Bool
  private var recent: [Recent] = []
  private var lost = 0

  /// `journalStream`: what systemd puts into JOURNAL_STREAM, "device:inode" of the journal's socket. Where
  /// `descriptor` is that socket, lines carry the journal's priority marks, otherwise the level in words.
  public init(
    level: Level = .info, descriptor: Int32 = 2,
    journalStream: String? = getenv("JOURNAL_STREAM").map { String(cString: $0) }
  ) {
    self.level = level
    self.descriptor = descriptor
    isJournal = journalStream.map { Self.isSame(descriptor, $0) } ?? false
  }

  /// `now` only serves to recognise repeats; the journal dates the line itself.
  public func write(_ level: Level, _ text: String, at now: Instant) {
    guard level <= self.level else { return }
    forget(olderThan: now - Self.repeatSpan)
    if let index = recent.firstIndex(where: { $0.level == level && $0.text == text }) {
      recent[index].repeats += 1
      return
    }
    if recent.count == Self.memory { writeRepeats(of: recent.removeFirst()) }
    recent.append(Recent(level: level, text: text, since: now))
    emit(level, text)
  }

  /// Writes the counts that have not been reported yet. For the end of the program.
  public func flush() {
    forget(olderThan: nil)
  }

  private func forget(olderThan limit: Instant?) {
    while let first = recent.first, limit.map({ first.since <= $0 }) ?? true {
      writeRepeats(of: recent.removeFirst())
    }
  }

  private func writeRepeats(of line: Recent) {
    guard line.repeats > 0 else { return }
    emit(line.level, "\(line.text) (\(line.repeats) more of these)")
  }

  private func emit(_ level: Level, _ text: String) {
    if lost > 0 {
      guard put(.warning, "\(lost) lines of this log were lost: their reader was too slow") else {
        lost += 1
        return
      }
      lost = 0
    }
    if !put(level, text) { lost += 1 }
  }

  private func put(_ level: Level, _ text: String) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return false }
    var line = Array((isJournal ? "<\(level.rawValue)>" : "\(level.word): ").utf8)
    line += Self.escaped(text)
    line.append(UInt8(ascii: "\n"))
    return Glibc.write(descriptor, line, line.count) == line.count
  }

  /// Text comes from receivers and brokers too: nothing in it may end a line or move a cursor.
  static func escaped(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      guard bytes.count < lineLimit else { return bytes + Array("…".utf8) }
      bytes += Array((scalar.escaped ?? String(scalar)).utf8)
    }
    return bytes
  }

  private static func isSame(_ descriptor: Int32, _ stream: String) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}
