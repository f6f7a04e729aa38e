import OwnTracks

/// Commands that a page may give the tracker: these of the control line, and no others.
public enum AllowedWords {
  /// Words of a command, and UTF-8 bytes of a word: a picture in base64 is the longest.
  static let limits = (words: 64, bytes: 60_000)

  /// Those that the tracker does on a board that is locked: nothing is changed by them.
  private static let free: Set<String> = ["publish", "sos"]
  private static let commands: Set<String> = [
    "publish", "sos", "mode", "tag", "card", "connect", "disconnect", "reconnect",
  ]
  private static let pairs: [String: Set<String>] = [
    "region": ["add", "set", "move", "rm"],
    "history": ["delete", "clear"],
    "friend": ["forget"],
    "queue": ["clear", "resend"],
    "settings": ["set", "clear"],
  ]

  /// Why a request is not passed on.
  public enum Refusal: Error, Hashable {
    /// No array of words in JSON.
    case malformed
    /// Another command.
    case forbidden
  }

  /// The words of a request's body, a JSON array of texts.
  public static func words(_ body: [UInt8]) throws(Refusal) -> [String] {
    guard let elements = (try? JSON.parse(body, values: 2 * limits.words))?.elements else { throw .malformed }
    let words = elements.compactMap(\.text)
    guard words.count == elements.count, (1...limits.words).contains(words.count),
      words.allSatisfy({ $0.utf8.count <= limits.bytes && !$0.utf8.contains(0) })
    else { throw .malformed }
    guard isAllowed(words) else { throw .forbidden }
    return words
  }

  /// Whether a board that is locked does it, too.
  static func isFree(_ words: [String]) -> Bool { words.first.map(free.contains) ?? false }

  private static func isAllowed(_ words: [String]) -> Bool {
    if commands.contains(words[0]) { return true }
    guard words.count > 1, let second = pairs[words[0]] else { return false }
    return second.contains(words[1])
  }
}
