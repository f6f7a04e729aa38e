// many TARGET FIRST..LAST CORPUS [FOLDER]
//
// Puts these inputs through a target, and says which one a trap or a broken claim is of. With FOLDER each is
// kept there first, as TARGET-NUMBER. Tests/Instruments/Fuzz/many builds and starts it.
import Foundation

@testable import FuzzTargets

enum Many {
  static func run(_ words: [String]) -> Int32 {
    let bounds = words.count > 3 ? words[2].split(separator: ".").compactMap { UInt64($0) } : []
    guard bounds.count == 2, bounds[0] <= bounds[1], let feed = Targets.all[words[1]] else {
      print("usage: many \(Targets.all.keys.sorted().joined(separator: "|")) FIRST..LAST CORPUS [FOLDER]")
      return 64
    }
    guard let mutations = Mutations(words[1], corpus: corpus(words[3])) else {
      print("no corpus in \(words[3])")
      return 66
    }
    let kept = words.count > 4 ? URL(fileURLWithPath: words[4]) : nil
    Watch.start(words[1])
    for number in bounds[0]...bounds[1] {
      Watch.input = number
      let input = mutations.input(number)
      if let kept { try? Data(input).write(to: kept.appendingPathComponent("\(words[1])-\(number)")) }
      feed(input)
    }
    return 0
  }

  /// By name: their order decides what input N is.
  private static func corpus(_ folder: String) -> [[UInt8]] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().compactMap { name in
      (try? Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent(name))).map { Array($0) }
    }
  }
}

exit(Many.run(CommandLine.arguments))
