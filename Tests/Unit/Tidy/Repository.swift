import Foundation
import Testing

/// The checkout that these tests were compiled from.
enum Repository {
  static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    return folder
  }()

  /// Every text file that people wrote, by path from the root; what tools made is left out.
  static let files: [SourceFile] = {
    guard let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil) else {
      return []
    }
    var found: [SourceFile] = []
    for case let file as URL in walk {
      let name = file.lastPathComponent
      if name.hasPrefix(".build") || name == ".git" || name == "__pycache__" || name == "DerivedData" {
        walk.skipDescendants()
      } else if let text = try? String(contentsOf: file, encoding: .utf8) {
        found.append(SourceFile(path: String(file.path.dropFirst(root.path.count + 1)), text: text))
      }
    }
    return found.sorted { $0.path < $1.path }
  }()

  static func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }

  static func isExecutable(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: root.appendingPathComponent(path).path)
  }

  /// Pictures and folders too.
  static func isThere(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
  }

  static let swift = files.filter(\.isSwift)
}

/// One file, as text and as code.
struct SourceFile: Sendable, CustomTestStringConvertible {
  let path: String
  let text: String
  /// The lines without comments and without what stands in quotes.
  let code: [Substring]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    let isScanned = [".swift", ".c", ".h"].contains { path.hasSuffix($0) }
    code = (isScanned ? Self.withoutProse(text) : text).split(
      separator: "\n", omittingEmptySubsequences: false)
  }

  var testDescription: String { path }
  var isSwift: Bool { path.hasSuffix(".swift") }
  var isCode: Bool {
    isSwift || [".py", ".c", ".h", ".sh"].contains { path.hasSuffix($0) } || text.hasPrefix("#!")
  }

  /// The module of a file in Sources, or what a folder of Tests is about; nil for what belongs to none.
  var target: String? {
    let parts = path.split(separator: "/")
    if parts.count > 3, parts[0] == "Tests", parts[1] == "Unit" { return parts[2] + "Tests" }
    return parts.count > 2 && (parts[0] == "Sources" || parts[0] == "Tests") ? String(parts[1]) : nil
  }

  var isInSources: Bool { path.hasPrefix("Sources/") }
  var name: String { String(path.split(separator: "/").last ?? "") }
  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  /// As `wc -l` counts.
  var lineCount: Int { text.utf8.reduce(0) { $1 == 10 ? $0 + 1 : $0 } }

  /// Blanks out comments and string literals; every line stays where it was.
  static func withoutProse(_ text: String) -> String {
    var scanner = ProseScanner(Array(text.utf8))
    return String(decoding: scanner.blanked(), as: UTF8.self)
  }
}
