/// `docs/behaviour.md` says what the tracker does. What tests it names the section that it holds in a comment,
/// `behaviour: Jumps`: above a test, a suite or an extension, or in the first lines of a situation or a program. A file
/// `behaviour` beside situations speaks for all of its folder.
enum Behaviour {
  static let path = "docs/behaviour.md"
  private static let sign = "behaviour: "

  struct Section {
    /// Without the marks of code.
    var title: String
    var line: Int
  }

  enum Holder {
    case test
    /// Prints figures, and fails for none.
    case measure
    /// Nothing that is run.
    case nothing
  }

  struct Tag {
    var title: String
    var line: Int
    var holder: Holder
  }

  /// The headings that have text of their own.
  static func sections(_ page: SourceFile) -> [Section] {
    var found: [Section] = []
    var isOpen = false
    for (number, line) in page.lines.enumerated() {
      if line.hasPrefix("##") {
        if !isOpen { _ = found.popLast() }
        let title = line.drop { $0 == "#" }.drop { $0 == " " }.filter { $0 != "`" }
        found.append(Section(title: String(title), line: number + 1))
        isOpen = false
      } else if !line.isEmpty {
        isOpen = true
      }
    }
    return found
  }

  /// The sections that a file says it holds. `paths`: of all files.
  static func tags(_ file: SourceFile, paths: [String]) -> [Tag] {
    guard file.path.hasPrefix("Tests/"), file.text.contains(sign) else { return [] }
    let lines = file.lines
    let mark = (file.isSwift ? "// " : "# ") + sign
    return lines.indices.compactMap { number in
      let line = file.isSwift ? lines[number].drop { $0 == " " } : lines[number]
      guard line.hasPrefix(mark) else { return nil }
      let holder = file.isSwift ? held(by: file, below: number) : held(by: file, lines[...number], paths)
      return Tag(title: String(line.dropFirst(mark.count)), line: number + 1, holder: holder)
    }
  }

  /// Sections that no test holds, and what names a section that is not there, or is at nothing that is run.
  static func faults(_ page: SourceFile, files: [SourceFile]) -> [String] {
    let sections = sections(page)
    let paths = files.map(\.path)
    let found = files.map { (path: $0.path, tags: tags($0, paths: paths)) }
    let titles = Set(sections.map(\.title))
    let held = Set(found.flatMap(\.tags).filter { $0.holder == .test }.map(\.title))
    let lost = found.flatMap { path, tags in
      tags.compactMap { tag -> String? in
        let place = "\(path):\(tag.line): "
        guard titles.contains(tag.title) else {
          return place + "\(Behaviour.path) has no section \(tag.title)"
        }
        return tag.holder == .nothing ? place + "no test that is run holds \(tag.title)" : nil
      }
    }
    return lost
      + sections.flatMap { section -> [String] in
        let place = "\(page.path):\(section.line): \(section.title)"
        let isTwice = sections.contains { $0.title == section.title && $0.line < section.line }
        return (held.contains(section.title) ? [] : ["\(place): no test holds it"])
          + (isTwice ? ["\(place): a second section of that title"] : [])
      }
  }

  /// Of a situation, a folder of them, or a program. `head`: up to the tag.
  private static func held(
    by file: SourceFile, _ head: ArraySlice<Substring>, _ paths: [String]
  ) -> Holder {
    guard head.allSatisfy({ $0.hasPrefix("#") }) else { return .nothing }
    if file.path.hasPrefix("Tests/Situations/") {
      let folder = file.path.dropLast(file.name.count)
      let isThere =
        file.name == "behaviour"
        ? paths.contains { $0.hasPrefix(folder) && $0.hasSuffix(".case") } : file.name.hasSuffix(".case")
      return isThere ? .test : .nothing
    }
    guard file.path.hasPrefix("Tests/Programs/") || file.path.hasPrefix("Tests/Outside/") else {
      return .nothing
    }
    return file.name.hasPrefix("test-") ? .test : file.name.hasPrefix("measure-") ? .measure : .nothing
  }

  /// Of Swift: what is declared right below the tag. One at the margin is a suite's.
  private static func held(by file: SourceFile, below number: Int) -> Holder {
    let lines = file.lines
    let start = lines.indices[number...].first { place in
      let line = lines[place].drop { $0 == " " }
      return !line.hasPrefix("// " + sign) && !line.hasPrefix("///")
    }
    guard let start, file.code[start].contains(where: { $0 != " " }) else { return .nothing }
    let isSuite = lines[number].hasPrefix("/")
    guard isSuite else { return isRun(file.code[start...]) ? .test : .nothing }
    let body = file.code[start...].prefix { !$0.hasPrefix("}") }
    let head = body.prefix { !$0.hasPrefix(" ") }
    guard !head.contains(where: { $0.contains(".disabled(") }) else { return .nothing }
    let tests = body.indices.filter { body[$0].contains("@Test") }
    return tests.contains { isRun(file.code[$0...]) } ? .test : .nothing
  }

  /// Whether a test begins there that is run.
  private static func isRun(_ code: ArraySlice<Substring>) -> Bool {
    let before = code.prefix { !$0.contains("func ") }
    let head = before.joined() + (code.dropFirst(before.count).first ?? "")
    return head.contains("@Test") && !head.contains(".disabled(")
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
