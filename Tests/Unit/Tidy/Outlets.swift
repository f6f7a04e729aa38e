/// Where text leaves the programs for people.
enum Outlets {
  /// The other two know only what the owner has written: the words of a start that fails.
  static let files = [
    "Sources/homeward/Basis/Terminal.swift", "Sources/homewardd/Main.swift",
    "Sources/homeward-web/main.swift",
  ]
  private static let ways = [
    "print(", "debugPrint(", "puts(", "fputs(", "fwrite(", "printf(", "perror(", "to: STDOUT_FILENO",
    "to: STDERR_FILENO", "write(STDOUT_FILENO", "write(STDERR_FILENO", "write(1,", "write(2,", "FileHandle",
    "TextOutputStream",
  ]

  static func others(_ file: SourceFile) -> [String] {
    guard file.isInSources, file.isSwift, !files.contains(file.path) else { return [] }
    return file.code.enumerated().flatMap { number, line in
      ways.filter { way in
        line.ranges(of: way).contains { range in
          let before = line[..<range.lowerBound].last
          return before.map { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") } ?? true
        }
      }.map { "\(file.path):\(number + 1): \($0) beside \(files[0])" }
    }
  }
}
