/// Words that the house does not use.
enum Words {
  /// Put together here so that this file does not contain them.
  static let notes = ["TO" + "DO", "FIX" + "ME"]
  /// Paths that exist on one machine only.
  static let places = ["/wor" + "k/", "/tmp" + "/kit", "/fa" + "rm/"]
  static let documents = ["SPE" + "C", "CAS" + "ES"]
  static let vagueEndings = [
    "Manager", "Helper", "Helpers", "Util", "Utils", "Utility", "Utilities", "Service",
  ]
  /// The field says region.
  static let foreign = ["geofence", "Geofence", "geoFence", "GeoFence"]

  /// Comments hang on these where their noun is missing: "What waits" is the queue.
  private static let nounless = ["What ", "Who ", "Whoever ", "Those who ", "That which "]

  /// Comment lines of Sources that begin with a relative clause without its noun.
  static func withoutNoun(_ file: SourceFile) -> [String] {
    guard file.isInSources, file.isCode else { return [] }
    return file.lines.enumerated().compactMap { number, line in
      let text = line.drop { $0 == " " }
      guard text.hasPrefix("//") else { return nil }
      let words = text.drop { $0 == "/" }.drop { $0 == " " }
      guard nounless.contains(where: words.hasPrefix) else { return nil }
      return "\(file.path):\(number + 1): begins without a noun: \(words.prefix(40))"
    }
  }

  static func unfinished(_ file: SourceFile) -> [String] {
    file.isCode ? search(notes, in: file.lines, of: file) { $0.contains($1) } : []
  }

  /// References to documents that are not in the repository: their sections, numbered requirements and rulings.
  static func outsideReferences(_ file: SourceFile) -> [String] {
    file.lines.enumerated().flatMap { number, line in
      // Hyphens stay, so that the groups of a UUID are no words.
      let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
      return words.indices.filter { isOutside(words, $0, in: line) }.map {
        "\(file.path):\(number + 1): \(words[$0]) is in no document of this repository"
      }
    }
  }

  private static func isOutside(_ words: [Substring], _ index: Int, in line: Substring) -> Bool {
    func isNumbered(_ word: Substring, _ prefix: String) -> Bool {
      let digits = word.dropFirst(prefix.count)
      return word.hasPrefix(prefix) && !digits.isEmpty && digits.allSatisfy(\.isNumber)
    }
    let word = words[index]
    if documents.contains(String(word)) || isNumbered(word, "D-") { return true }
    guard isNumbered(word, "R") else { return false }
    return line.contains("(\(word))") || (index > 0 && words[index - 1].hasPrefix("ruling"))
  }

  static func machinePaths(_ file: SourceFile) -> [String] {
    search(places, in: file.lines, of: file) { $0.contains($1) }
  }

  /// What ends the program at a fault of the world, or without a word, in Sources: `releaseAssert` says why.
  static func traps(_ file: SourceFile) -> [String] {
    guard file.isInSources, file.isSwift, file.path != "Sources/Timebase/ReleaseAssert.swift" else {
      return []
    }
    let silent = ["precondition(", "preconditionFailure("]
    return containing(silent + ["fatalError(", "try!", "as!", "unsafelyUnwrapped"], in: file)
  }

  static func vagueTypes(_ file: SourceFile) -> [String] {
    guard file.isSwift else { return [] }
    return file.code.enumerated().compactMap { number, line in
      let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      let keywords: Set<Substring> = ["class", "struct", "enum", "protocol", "actor", "typealias"]
      guard let index = words.firstIndex(where: keywords.contains), words.count > index + 1 else {
        return nil
      }
      guard let ending = vagueEndings.first(where: { words[index + 1].hasSuffix($0) }) else { return nil }
      return "\(file.path):\(number + 1): \(words[index + 1]) says \(ending), not what it is"
    }
  }

  static func foreignTerms(_ file: SourceFile) -> [String] {
    file.isInSources && file.isSwift ? containing(foreign, in: file) : []
  }

  // How the rules look

  /// These as whole words of the code.
  static func found(_ words: [String], in file: SourceFile) -> [String] {
    search(words, in: file.code, of: file) { line, word in
      line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0 == word }
    }
  }

  /// These anywhere in the code.
  static func containing(_ texts: [String], in file: SourceFile) -> [String] {
    search(texts, in: file.code, of: file) { $0.contains($1) }
  }

  /// Calls of these; declarations do not count.
  static func calls(of names: [String], in file: SourceFile) -> [String] {
    search(names, in: file.code, of: file) { line, name in
      guard !line.contains("func "), let place = line.firstRange(of: name + "(") else { return false }
      guard let before = line[..<place.lowerBound].last else { return true }
      return !(before.isLetter || before.isNumber || before == "_")
    }
  }

  private static func search(
    _ texts: [String], in lines: [Substring], of file: SourceFile, _ matches: (Substring, String) -> Bool
  ) -> [String] {
    lines.enumerated().flatMap { number, line in
      texts.filter { matches(line, $0) }.map { "\(file.path):\(number + 1): \($0)" }
    }
  }
}
