/// Where something is called.
enum Calls {
  /// The lines, each with its place.
  static func of(_ call: String, in files: [SourceFile]) -> [String] {
    files.flatMap { file in
      file.code.enumerated().filter { $0.element.contains(call) }.map {
        "\(file.path):\($0.offset + 1): \($0.element)"
      }
    }
  }
}

/// How long files and functions may be.
enum Sizes {
  static let mostLines = 400
  static let medianLines = 150
  static let mostLinesOfFunction = 70
  static let mostFilesOfFolder = 20

  static func longFile(_ file: SourceFile) -> String? {
    file.lineCount > mostLines ? "\(file.path): \(file.lineCount) lines, at most \(mostLines)" : nil
  }

  static func median(_ files: [SourceFile]) -> Int {
    let counts = files.map(\.lineCount).sorted()
    return counts.isEmpty ? 0 : counts[counts.count / 2]
  }

  /// Folders that hold more files side by side than anybody reads through; `exempt` for what tools made.
  static func crowdedFolders(_ files: [SourceFile], exempt: [String] = []) -> [String] {
    let all = Dictionary(grouping: files) { $0.path.split(separator: "/").dropLast().joined(separator: "/") }
    return all.compactMap { folder, files in
      let isOurs = folder.hasPrefix("Sources") || folder.hasPrefix("Tests")
      guard isOurs, files.count > mostFilesOfFolder, !exempt.contains(where: folder.hasPrefix) else {
        return nil
      }
      return "\(folder): \(files.count) files, at most \(mostFilesOfFolder)"
    }.sorted()
  }

  /// Names that several files have: an editor and a reader ask which of them is meant.
  static func repeatedNames(_ files: [SourceFile]) -> [String] {
    let all = Dictionary(grouping: files) { String($0.path.split(separator: "/").last ?? "") }
    return all.filter { $0.value.count > 1 }.map { name, files in
      "\(name): \(files.map(\.path).sorted().joined(separator: ", "))"
    }.sorted()
  }

  /// Functions, initialisers and computed properties that are too long, by the line they start at; but for tables.
  static func longFunctions(_ file: SourceFile) -> [String] {
    var found: [String] = []
    let code = file.code
    for (number, line) in code.enumerated() where startsBody(line) {
      let length = bodyLength(code[number...])
      if length > mostLinesOfFunction, !Tables.isTable(code[number..<(number + length)]) {
        found.append("\(file.path):\(number + 1): \(length) lines, at most \(mostLinesOfFunction)")
      }
    }
    return found
  }

  private static func startsBody(_ line: Substring) -> Bool {
    let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }
    if words.contains("func") || words.contains("deinit") || words.contains("subscript") { return true }
    if words.contains("init") && line.contains("init") && !line.contains(".init") { return true }
    return words.contains("var") && line.last == "{"
  }

  /// Lines from here to the brace that closes the first one; 0 where there is no body.
  static func bodyLength(_ lines: ArraySlice<Substring>) -> Int {
    var depth = 0
    var parentheses = 0
    for (count, line) in lines.enumerated() {
      for byte in line.utf8 {
        switch byte {
        case UInt8(ascii: "("): parentheses += 1
        case UInt8(ascii: ")"): parentheses -= 1
        case UInt8(ascii: "{") where parentheses == 0: depth += 1
        case UInt8(ascii: "}") where parentheses == 0:
          depth -= 1
          if depth == 0 { return count + 1 }
          // A requirement of a protocol: the brace closes what stands around it.
          if depth < 0 { return 0 }
        default: break
        }
      }
      // A declaration without a body ends with its signature.
      if depth == 0 && parentheses == 0 && count > 0 && line.allSatisfy(\.isWhitespace) { return 0 }
    }
    return 0
  }
}
