/// A test that expects nothing passes whatever happens; its name says what it expects, with the field's nouns.
enum Claims {
  private static let signs = ["#expect", "#require", "Issue.record", "confirmation(", "withKnownIssue"]

  private struct Function {
    var name: Substring
    var isTest: Bool
    var place: String
    var body: ArraySlice<Substring>

    func calls(_ name: Substring) -> Bool {
      body.dropFirst().contains { line in
        line.ranges(of: name + "(").contains { found in
          guard let before = line[..<found.lowerBound].last else { return true }
          return !(before.isLetter || before.isNumber || before == "_")
        }
      }
    }
  }

  /// The tests of one target that neither expect anything nor call a function of their target that does, by their
  /// names. What a helper expects on one of its ways counts as if it were on all.
  static func missing(in files: [SourceFile]) -> [String] {
    let functions = files.flatMap(functions)
    var expecting = Set(
      functions.indices.filter { index in
        functions[index].body.contains { line in signs.contains { line.contains($0) } }
      })
    while true {
      let names = Set(expecting.filter { !functions[$0].isTest }.map { functions[$0].name })
      let more = functions.indices.filter { index in
        !expecting.contains(index) && names.contains { functions[index].calls($0) }
      }
      if more.isEmpty { break }
      expecting.formUnion(more)
    }
    return functions.indices.filter { functions[$0].isTest && !expecting.contains($0) }.map {
      "\(functions[$0].place): \(functions[$0].name) expects nothing"
    }
  }

  /// Stand for a noun that is missing, or for "report", "publish" and "sender".
  private static let nounless: Set<String> = [
    "What", "Who", "Whom", "Whose", "Whoever", "Told", "Tell", "Tells", "Nobody", "Somebody",
  ]

  /// Tests with such a word in their name.
  static func withoutNoun(in file: SourceFile) -> [String] {
    functions(file).filter(\.isTest).compactMap { test in
      var words: [String] = []
      for letter in test.name {
        if letter.isUppercase || words.isEmpty { words.append("") }
        words[words.count - 1] += words[words.count - 1].isEmpty ? letter.uppercased() : String(letter)
      }
      guard let word = words.first(where: nounless.contains) else { return nil }
      return "\(test.place): \(test.name) says \"\(word.lowercased())\" where a noun belongs"
    }
  }

  private static func functions(_ file: SourceFile) -> [Function] {
    var isTest = false
    return file.code.indices.compactMap { number in
      let line = file.code[number]
      if line.contains("@Test") { isTest = true }
      guard let place = line.firstRange(of: "func ") else { return nil }
      defer { isTest = false }
      let name = line[place.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      return Function(
        name: name, isTest: isTest, place: "\(file.path):\(number + 1)",
        body: file.code[number...].prefix(Sizes.bodyLength(file.code[number...])))
    }
  }
}
