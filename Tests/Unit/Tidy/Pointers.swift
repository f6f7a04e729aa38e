/// References of pages to the tree: paths, code and commands, which move on without the pages.
enum Pointers {
  /// Paths in backquotes that begin with a folder of the tree, names of Swift files, and targets of links, which are
  /// not there. `paths`: of all text files.
  static func lost(_ page: SourceFile, paths: [String], isThere: (String) -> Bool) -> [String] {
    let folders = Set(paths.compactMap { $0.contains("/") ? $0.split(separator: "/").first : nil })
    return page.lines.enumerated().flatMap { number, line -> [String] in
      // Placeholders and patterns are no paths.
      let words = spans(line).flatMap { $0.split(separator: " ") }.map(trimmed).filter(isPlain)
      let files = words.filter { isPath($0, in: folders) && !isThere(String($0)) }
      let names = words.filter { word in
        word.hasSuffix(".swift") && !paths.contains { $0 == word || $0.hasSuffix("/" + word) }
      }
      let links = targets(line).filter { !isThere(place(of: $0, from: page.path)) }
      return Set(files + names + links).sorted().map { "\(page.path):\(number + 1): there is no \($0)" }
    }
  }

  /// The text between backquotes; a line of a block of commands has none.
  static func spans(_ line: Substring) -> [Substring] {
    let parts = line.split(separator: "`", omittingEmptySubsequences: false)
    return parts.indices.filter { $0 % 2 == 1 && $0 + 1 < parts.count }.map { parts[$0] }
  }

  private static func trimmed(_ word: Substring) -> Substring {
    var word = word
    while let last = word.last, "/:,.".contains(last) { word.removeLast() }
    return word
  }

  private static func isPlain(_ word: Substring) -> Bool {
    word.allSatisfy { $0.isLetter || $0.isNumber || "/._+-".contains($0) }
  }

  private static func isPath(_ word: Substring, in folders: Set<Substring>) -> Bool {
    guard let slash = word.firstIndex(of: "/") else { return false }
    return folders.contains(word[..<slash])
  }

  /// Files that a line links to, relative to its page.
  private static func targets(_ line: Substring) -> [Substring] {
    line.split(separator: "]", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
      guard rest.hasPrefix("(") else { return nil }
      let target = rest.dropFirst().prefix { $0 != ")" && $0 != "#" && $0 != " " }
      return target.isEmpty || target.contains(":") ? nil : target
    }
  }

  private static func place(of target: Substring, from page: String) -> String {
    var parts = page.split(separator: "/").dropLast()
    for part in target.split(separator: "/") where part != "." {
      if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  /// The actions of commands, as the table of `Command.action` has them.
  static func actions(_ source: SourceFile) -> [String] {
    source.lines.compactMap { line in
      guard line.hasPrefix("    case ."), line.hasSuffix("\""), let colon = line.firstIndex(of: ":") else {
        return nil
      }
      return line[colon...].filter(\.isLetter)
    }
  }

  /// The words of these that a text does not have.
  static func untold(_ words: [String], in text: Substring) -> [String] {
    let told = Set(text.split { !($0.isLetter || $0.isNumber) })
    return words.filter { !told.contains(Substring($0)) }
  }
}
