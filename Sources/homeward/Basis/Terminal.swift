// The C library's standard output is a variable, which nobody here changes.
@preconcurrency import Glibc
import OwnTracks

/// The one way out of this program for what people and programs read. Names of friends, regions and devices come from
/// others: nothing of them may steer the terminal that they are shown on.
enum Terminal {
  /// Lines for people. What ends a line is ours: a text from outside goes through `plainLine` (or a `Table`) first.
  static func say(_ text: String, terminator: String = "\n") { print(text.plainText, terminator: terminator) }

  /// The same, with the lights that a `Table` has put in.
  static func show(_ text: String) {
    print(text.unicodeScalars.reduce(into: "") { $0 += Light(mark: $1)?.sequence ?? String($1).plainText })
  }

  /// One value on one line, for programs; what a terminal would obey is written as `\u001b`.
  static func say(_ json: JSON, sortingKeys: Bool = false) {
    say(json: String(decoding: json.serialised(sortingKeys: sortingKeys), as: UTF8.self))
  }

  /// JSON that is text already.
  static func say(json: String, terminator: String = "\n") { print(json.plainJSON, terminator: terminator) }

  /// One line, or what the parser has to teach, on standard error.
  static func warn(_ text: String) {
    Descriptor.writeAll(Array((text.plainText + "\n").utf8), to: STDERR_FILENO)
  }

  /// A document that was asked for; text of others in it must be escaped in the document's own way.
  static func write(_ document: [UInt8]) throws {
    flush()
    guard Descriptor.writeAll(document, to: STDOUT_FILENO) else { throw lost(lastError()) }
  }

  /// The end of a command that has done its part: throws where a full disk has taken less than all that was said.
  static func finish() throws {
    guard fflush(nil) == 0 else { throw lost(lastError()) }
    // The end of what was long may find room again; why there was none before is no longer known.
    guard ferror(stdout) == 0 else { throw lost("not all of it was taken: is the disk full?") }
  }

  private static func lost(_ why: String) -> Failure { Failure(.failed, "standard output: \(why)") }

  /// A picture of blocks, light on dark whatever the terminal's own colours are: a camera has to read it.
  static func draw(_ lines: [String]) {
    for line in lines { print(isColoured ? "\u{1B}[97;40m\(line.plainLine)\u{1B}[0m" : line.plainLine) }
  }

  /// Back by so many lines, and what stands there goes.
  static func goBack(lines: Int) { if lines > 0 { print("\u{1B}[\(lines)A\u{1B}[J", terminator: "") } }

  /// To the top left, and clear to the end: less flicker than clearing the screen first.
  static func goToTop() { print("\u{1B}[H\u{1B}[J", terminator: "") }

  static func flush() { fflush(nil) }

  /// Standard output is a terminal that can move its cursor.
  static var isLive: Bool { isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb" }

  /// Standard output is a terminal, and colours are not switched off (no-color.org).
  static var isColoured: Bool {
    isLive && takesColours(["NO_COLOR": environment("NO_COLOR"), "TERM": environment("TERM")])
  }

  static func takesColours(_ environment: [String: String]) -> Bool {
    environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  private static func environment(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }

  /// The line that is typed after the question, which is on standard error; nil: there is none.
  static func ask(_ question: String) -> String? {
    Descriptor.writeAll(Array(question.plainText.utf8), to: STDERR_FILENO)
    return readLine()
  }

  /// Asks where there is somebody to ask, and takes yes alone; a script is not held up. Throws where it is not to be.
  static func confirm(_ question: String, isAnswered: Bool) throws {
    guard !isAnswered, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return }
    say("\(question) Type yes: ", terminator: "")
    flush()
    guard readLine() == "yes" else { throw Failure(.failed, "nothing was done") }
  }
}

/// A coloured dot. Between a `Table` and the terminal it is a control character, which no text from outside can be:
/// a table's cells have none left.
enum Light: UInt8, CaseIterable {
  case green = 1
  case amber = 2
  case red = 3
  case blue = 4

  init?(word: String) {
    guard let light = Light.allCases.first(where: { "\($0)" == word }) else { return nil }
    self = light
  }

  init?(mark: Unicode.Scalar) {
    guard mark.value < 8, let light = Light(rawValue: UInt8(mark.value)) else { return nil }
    self = light
  }

  var mark: String { String(Unicode.Scalar(rawValue)) }

  fileprivate var sequence: String {
    let code =
      switch self {
      case .green: 32
      case .amber: 33
      case .red: 31
      case .blue: 34
      }
    return "\u{1B}[\(code)m●\u{1B}[0m"
  }
}
