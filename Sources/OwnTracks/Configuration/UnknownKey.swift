import Model

/// A key of a configuration that neither this program nor one of the apps knows.
public struct UnknownKey: Hashable, Sendable, CustomStringConvertible {
  /// As it is written in the file.
  public var name: String
  /// `line 12`.
  public var place: String
  /// The key that was probably meant; nil: none is near.
  public var suggestion: String?

  init(_ name: String, place: String) {
    self.name = name
    self.place = place
    suggestion = Self.nearest(to: name)
  }

  /// One line for people.
  public var description: String {
    let hint = suggestion.map { " (did you mean \($0)?)" } ?? ""
    return "\(place): unknown key \(ConfigurationFile.brief(name)), ignored\(hint)".plainLine
  }

  /// The key that is at most a third of its letters away from `name`, no matter of which case they are.
  static func nearest(to name: String) -> String? {
    nearest(to: name, among: ConfigurationKey.all.map(\.name))
  }

  /// The same among other words; the first of those that are as near.
  public static func nearest(to name: String, among words: [String]) -> String? {
    guard name.utf8.count <= longest else { return nil }
    let letters = Array(name.lowercased().utf8)
    var best: (name: String, distance: Int)?
    for word in words {
      let other = Array(word.lowercased().utf8)
      let distance = distance(letters, other)
      guard distance <= max(1, min(letters.count, other.count) / 3), distance < best?.distance ?? .max else {
        continue
      }
      best = (word, distance)
    }
    return best?.name
  }

  /// Bytes; no key is nearly as long.
  private static let longest = 64

  /// How many letters have to be added, taken out, changed or swapped with their neighbour.
  private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var before: [Int] = []
    var above = Array(0...other.count)
    for row in one.indices {
      var line = [row + 1]
      for column in other.indices {
        let isSame = one[row] == other[column]
        var least = min(above[column] + (isSame ? 0 : 1), above[column + 1] + 1, line[column] + 1)
        if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
          least = min(least, before[column - 1] + 1)
        }
        line.append(least)
      }
      (before, above) = (above, line)
    }
    return above[other.count]
  }
}
