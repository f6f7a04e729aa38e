/// What a page says is missing, held against the tree: such a sentence is forgotten when the thing comes.
enum Promises {
  private static let sign = "Not there yet:"
  private static let column = "Not tested yet"

  /// What may be said to be missing, and the path that is there when it no longer is.
  static let missing = ["the tours of the OwnTracks apps": "Sources/OwnTracks/Tours"]

  /// What may stand in the column of what was not tested, as a test of it would have it in its path.
  static let untested = ["EMQX": "emqx", "HiveMQ": "hivemq", "Node-RED": "node-red", "Traccar": "traccar"]

  /// What a page says is missing and is there, or is not known by `missing`.
  static func stale(_ page: SourceFile, paths: [String], missing: [String: String] = missing) -> [String] {
    page.lines.enumerated().flatMap { number, line -> [String] in
      guard let found = line.firstRange(of: sign) else { return [] }
      let things = line[found.upperBound...].split { $0 == "," || $0 == "." }
      return things.map { thing in String(thing.drop { $0 == " " }) }.compactMap { thing in
        guard let path = missing[thing] else {
          return "\(page.path):\(number + 1): no path says when \(thing) comes"
        }
        guard paths.contains(where: { $0 == path || $0.hasPrefix(path + "/") || $0.hasPrefix(path + ".") })
        else {
          return nil
        }
        return "\(page.path):\(number + 1): \(thing) is there: \(path)"
      }
    }
  }

  /// What the last column says was not tested, and a test names.
  static func tested(_ page: SourceFile, paths: [String]) -> [String] {
    var isInTable = false
    return page.lines.enumerated().flatMap { number, line -> [String] in
      if line.contains("| \(column) |") { isInTable = true }
      if !line.hasPrefix("|") { isInTable = false }
      guard isInTable, let last = line.split(separator: "|", omittingEmptySubsequences: false).dropLast().last
      else {
        return []
      }
      return untested.compactMap { word, name in
        let isTested = paths.contains { $0.hasPrefix("Tests/") && $0.lowercased().contains(name) }
        return last.contains(word) && isTested ? "\(page.path):\(number + 1): \(word) is tested" : nil
      }
    }
  }
}
