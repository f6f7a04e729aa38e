/// Upper limits in elapsed time, which hold or fail by what else a machine does. A test says "not before", or "in the
/// end" with a generous limit; what measures is told apart by its name, and never fails for its figure.
enum TimeLimits {
  /// Seconds, from which on a limit is generous.
  static let generous = 60.0

  /// What is compared where time is: names and calls, and units in what is said of it.
  private static let elapsed = [
    "elapsed", "took", "waited", "duration", "secondsNow", "secondsOfWork", "SystemClock", "longest",
    "wakeUps(in",
  ]
  private static let elapsedInScripts = ["worst", "late", "monotonic", "time.time()", "wake-ups"]

  /// `suites`: patterns of those that measure, from Tests/Runner/slow-units.
  static func found(_ file: SourceFile, measures suites: [String] = []) -> [String] {
    guard isTest(file), !isMeasure(file, suites) else { return [] }
    let lines = file.isSwift ? file.code : file.lines
    let comparisons = lines.indices.filter { isLimit(lines[$0], isSwift: file.isSwift) }.map { $0 + 1 }
    let polls = file.isSwift ? swiftPolls(lines) : polls(lines)
    return Set(comparisons + polls).sorted().map {
      "\(file.path):\($0): \(file.lines[$0 - 1].drop { $0 == " " })"
    }
  }

  /// What `slow-units` lists as measures.
  static func measures(_ list: SourceFile) -> [String] {
    list.lines.compactMap { line in
      let words = line.split(separator: " ")
      return words.count == 2 && words[0] == "measures" ? String(words[1]) : nil
    }
  }

  private static func isTest(_ file: SourceFile) -> Bool {
    (file.path.hasPrefix("Tests/Unit/") && file.isSwift)
      || (file.path.hasPrefix("Tests/Programs/") && file.isCode)
  }

  private static func isMeasure(_ file: SourceFile, _ suites: [String]) -> Bool {
    let name = file.name.split(separator: ".").first ?? ""
    if name.hasPrefix("measure-") { return true }
    return suites.contains { suite in
      (try? Regex(suite)).map { name.wholeMatch(of: $0) != nil } ?? false
    }
  }

  /// An expectation that some time, or a rate, stays below a number that is not generous, or below a constant.
  private static func isLimit(_ line: Substring, isSwift: Bool) -> Bool {
    let signs = isSwift ? ["#expect", "#require"] : ["expect(", "assert ", " -lt ", " -le "]
    let names = isSwift ? elapsed : elapsed + elapsedInScripts
    guard signs.contains(where: { line.contains($0) }), names.contains(where: { has($0, line) }) else {
      return false
    }
    let below = isSwift ? ["< ", "<= "] : ["< ", "<= ", "-lt ", "-le "]
    return below.contains { sign in
      line.ranges(of: sign).contains { isShort(line[$0.upperBound...], isSwift: isSwift) }
    }
  }

  /// As a word of its own where it is one.
  private static func has(_ name: String, _ line: Substring) -> Bool {
    line.ranges(of: name).contains { found in
      let isJoined = { (letter: Character?) in letter.map { $0.isLetter || $0.isNumber } ?? false }
      let before = found.lowerBound > line.startIndex ? line[line.index(before: found.lowerBound)] : nil
      return !isJoined(before) && !isJoined(line[found.upperBound...].first)
    }
  }

  /// Whether what a comparison ends with is a time that is not generous: a number, `.seconds(2)`, a constant of Python.
  private static func isShort(_ limit: Substring, isSwift: Bool) -> Bool {
    let units: [(String, Double)] = [
      (".seconds(", 1), (".milliseconds(", 0.001), (".minutes(", 60), ("Span.seconds(", 1),
    ]
    for (unit, factor) in units where limit.hasPrefix(unit) {
      return number(limit.dropFirst(unit.count)).map { $0 * factor < generous } ?? false
    }
    if let seconds = number(limit) { return seconds < generous }
    return !isSwift && limit.prefix { $0.isUppercase || $0 == "_" }.count > 2
  }

  private static func number(_ text: Substring) -> Double? {
    Double(text.prefix { $0.isNumber || $0 == "." })
  }

  // MARK: Polls

  /// `runs(5) { isSo }` and `run(within: .seconds(5)) { isSo }`, where that is to become so.
  private static func swiftPolls(_ lines: [Substring]) -> [Int] {
    lines.indices.filter { number in
      let line = lines[number]
      return ["runs(", "run(within: "].contains { call in
        line.contains(call)
          && line.ranges(of: call).contains { found in
            let rest = line[found.upperBound...]
            guard isShort(rest, isSwift: true), !rest.contains("{ false }") else { return false }
            let word = line[..<found.lowerBound].reversed().drop { $0.isLetter || $0.isNumber || $0 == "." }
            return word.first != "!"
          }
      }
    }.map { $0 + 1 }
  }

  /// `poll(condition, 5)` and what is built on it, where that is to become so.
  private static func polls(_ lines: [Substring]) -> [Int] {
    lines.indices.filter { number in
      let line = lines[number]
      return ["poll(", "wait_for_status(", "wait_for_locations("].contains { call in
        line.contains(call)
          && line.ranges(of: call).contains { found in
            let word = line[..<found.lowerBound].reversed().drop {
              $0.isLetter || $0.isNumber || $0 == "." || $0 == "_"
            }
            // Of "not" and "def".
            if ["ton", "fed"].contains(String(word.drop { $0 == " " }.prefix(3))) { return false }
            let rest = [line[found.upperBound...]] + lines[(number + 1)...].prefix(12)
            let others = arguments(rest.joined(separator: "\n"))
            let named = others.first { $0.hasPrefix("seconds=") }.map { $0.dropFirst(8) }
            return (named ?? others.first?[...]).flatMap { self.number($0) }.map { $0 < generous } ?? false
          }
      }
    }.map { $0 + 1 }
  }

  /// Those behind the first one, up to the parenthesis that closes the call.
  private static func arguments(_ text: String) -> [String] {
    var (found, depth, quote): ([[UInt8]], Int, UInt8?) = ([[]], 0, nil)
    for letter in text.utf8 {
      if let open = quote {
        if letter == open { quote = nil }
      } else {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = letter
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        case UInt8(ascii: ")") where depth > 0: depth -= 1
        case UInt8(ascii: ")"): return found.dropFirst().map(Self.trimmed)
        case UInt8(ascii: ",") where depth == 0:
          found.append([])
          continue
        default: break
        }
      }
      found[found.count - 1].append(letter)
    }
    return []
  }

  private static func trimmed(_ bytes: [UInt8]) -> String {
    String(String(decoding: bytes, as: UTF8.self).drop { $0 == " " || $0 == "\n" })
  }
}
