/// A judge of simulated worlds that stands in no table is never asked, and nothing else says so.
enum Judges {
  /// Types that are judges, each named as its file is, and that the table does not make.
  static func unasked(_ files: [SourceFile], table: SourceFile) -> [String] {
    files.filter { file in file.code.contains { $0.contains(": Judge {") } }
      .map { String($0.name.dropLast(".swift".count)) }
      .filter { name in !table.code.contains { $0.contains("\(name)()") } }
  }
}
