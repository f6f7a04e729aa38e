/// `docs/behaviour.md` says what the tracker does and which tests hold it; what it names has to be there.
enum Behaviour {
  static let path = "docs/behaviour.md"

  struct Section {
    var title: String
    var line: Int
    /// In the paragraph that begins with "Held by".
    var tests: [String]
  }

  /// The headings that have text of their own, with the tests that each names.
  static func sections(_ page: SourceFile) -> [Section] {
    var found: [Section] = []
    var isOpen = false
    var isList = false
    for (number, line) in page.lines.enumerated() {
      if line.hasPrefix("##") {
        if !isOpen { _ = found.popLast() }
        let title = line.drop { $0 == "#" }.drop { $0 == " " }
        found.append(Section(title: String(title), line: number + 1, tests: []))
        (isOpen, isList) = (false, false)
      } else if line.isEmpty {
        isList = false
      } else {
        isOpen = true
        if line.hasPrefix("Held by ") { isList = true }
        guard isList, !found.isEmpty else { continue }
        let parts = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        found[found.count - 1].tests += parts.filter { !$0.offset.isMultiple(of: 2) }.map {
          String($0.element)
        }
      }
    }
    return found
  }

  /// Sections that no test holds, and tests that do not exist. `functions`: the names of test functions; `paths`: of
  /// all files.
  static func faults(_ page: SourceFile, functions: Set<String>, paths: [String]) -> [String] {
    sections(page).flatMap { section in
      let place = "\(page.path):\(section.line): \(section.title)"
      if section.tests.isEmpty { return ["\(place): no test holds it"] }
      return section.tests.filter { name in
        guard name.contains("/") else { return !functions.contains(name) }
        return !paths.contains { $0 == "Tests/" + name || $0.hasPrefix("Tests/\(name)/") }
      }.map { "\(place): there is no test \($0)" }
    }
  }

  /// Places that name a section which the page does not have, as in `docs/behaviour.md, "Clock"`.
  static func lostReferences(_ file: SourceFile, titles: Set<String>) -> [String] {
    file.lines.enumerated().flatMap { number, line in
      line.ranges(of: path + ", \"").compactMap { found in
        let title = String(line[found.upperBound...].prefix { $0 != "\"" })
        return titles.contains(title)
          ? nil : "\(file.path):\(number + 1): \(path) has no section \"\(title)\""
      }
    }
  }
}
