/// Who may import whom, and what the pure and the small targets never contain.
enum Arrows {
  /// Of the C library the pure targets may use mathematics, the clock only where it is read.
  static let filesWithLibc = [
    "Sources/Model/Observations/Coordinate.swift": ["Glibc", "Musl"],
    "Sources/Model/Observations/Polygon.swift": ["Glibc", "Musl"],
    "Sources/Model/Observations/Proximity.swift": ["Glibc", "Musl"],
    "Sources/Timebase/SystemClock.swift": ["Glibc", "Musl", "CLinux"],
  ]

  static let allowed: [String: Set<String>] = [
    "Timebase": [],
    "Model": ["Timebase"],
    "Core": ["Model", "Timebase"],
    "OwnTracks": ["Model", "Timebase", "CJansson", "CSodium", "Glibc", "Musl"],
    "Loop": ["CLinux", "Timebase", "Glibc", "Musl"],
    "Host": ["OwnTracks", "Model", "Timebase", "Loop", "CLinux", "Glibc", "Musl"],
    "Uplink": [
      "OwnTracks", "Model", "Timebase", "Loop", "CMosquitto", "CPacketGate", "CCurl", "Glibc", "Musl",
    ],
    "Storage": ["OwnTracks", "Model", "Timebase", "Loop", "CSQLite", "CLinux", "Glibc", "Musl"],
    "Radio": ["Host", "Model", "Timebase", "Loop", "CBlueZ", "Glibc", "Musl"],
    "Receiver": ["Model", "Timebase", "Loop", "CGPS", "Glibc", "Musl"],
    "homewardd": [
      "Answers", "Core", "OwnTracks", "Model", "Timebase", "Loop", "Uplink", "Storage", "Radio", "Receiver",
      "Host",
      "CLinux",
      "Glibc", "Musl",
    ],
    "Answers": ["Core", "OwnTracks", "Model", "Timebase"],
    "Access": ["OwnTracks", "Timebase", "CSodium"],
    "Web": [
      "Access", "OwnTracks", "Timebase", "Loop", "CMicroHTTPD", "CSQLite", "CZlib", "CLinux", "Glibc",
      "Musl",
    ],
    "homeward-web": ["Web", "Glibc", "Musl"],
    "Replay": ["Answers", "Core", "OwnTracks", "Model", "Timebase", "CExpat"],
    "homeward": [
      "Replay", "Access", "OwnTracks", "Model", "Timebase", "CQRCode", "CClient", "ArgumentParser",
      "Foundation",
      "FoundationEssentials", "Glibc", "Musl",
    ],
  ]

  /// All but the commands for people.
  static let withoutConcurrency = Set(allowed.keys).subtracting(["homeward", "Replay"])
  /// Those that use the loop, and are neither the daemon nor the page's server.
  static let adapters = Set(allowed.filter { $0.value.contains("Loop") }.keys).subtracting([
    "homewardd", "Web",
  ])
  static let pure: Set<String> = ["Timebase", "Model", "Core"]
  static let clock = "Sources/Timebase/SystemClock.swift"
  /// What Swift cannot import of the clocks; the functions that only `clock` may call.
  static let clockMacros = ["Sources/CLinux/clinux.c", "Sources/CLinux/include/clinux.h"]
  static let clockFunctions = ["clinux_boot_nanoseconds(", "clinux_wall_seconds("]

  static func imports(_ file: SourceFile) -> [String] {
    file.code.compactMap { line in
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(of: "import"), words.count > index + 1 else { return nil }
      // `import struct Foundation.Date`: the module is what stands before the dot.
      let kinds: Set<Substring> = ["struct", "class", "enum", "func", "var", "let", "typealias", "protocol"]
      let name = kinds.contains(words[index + 1]) ? words[index + 2] : words[index + 1]
      return String(name.prefix { $0 != "." })
    }
  }

  static func wrongImports(_ file: SourceFile) -> [String] {
    guard file.isInSources, let target = file.target, let may = allowed[target] else { return [] }
    return imports(file).filter { !may.contains($0) && !(filesWithLibc[file.path] ?? []).contains($0) }
      .map { "\(file.path) imports \($0), which \(target) may not" }
  }

  static func concurrency(_ file: SourceFile) -> [String] {
    guard file.isInSources, let target = file.target, withoutConcurrency.contains(target) else { return [] }
    return Words.found(["Task", "async", "await", "actor", "DispatchQueue"], in: file)
  }

  /// Calls that read a clock, in any file but the one that may.
  static func clockReads(_ file: SourceFile) -> [String] {
    guard file.isInSources, file.isCode, file.path != clock, !clockMacros.contains(file.path) else {
      return []
    }
    let calls =
      clockFunctions + [
        "clock_gettime(", "gettimeofday(", " time(nil", "(time(nil", " time(NULL", "(time(NULL", "Date()",
        "Date.now", "ContinuousClock", "SuspendingClock", "timespec_get(",
      ]
    return Words.containing(calls, in: file)
  }

  /// Adapters that tell something through a closure that is set after they are made.
  static func lateClosures(_ file: SourceFile) -> [String] {
    guard file.isInSources, let target = file.target, adapters.contains(target) else { return [] }
    return file.code.enumerated().filter { _, line in
      guard let name = line.firstRange(of: "var ") else { return false }
      return line[name.upperBound...].contains(") -> Void = {")
    }.map { "\(file.path):\($0.offset + 1): \($0.element): give it to init" }
  }

  /// Input, output and chance in the targets that decide.
  static func impurity(_ file: SourceFile) -> [String] {
    guard file.isInSources, let target = file.target, pure.contains(target), file.path != clock else {
      return []
    }
    let names = [
      "print", "readLine", "random", "shuffled", "randomElement", "SystemRandomNumberGenerator", "open",
      "fopen",
      "socket", "getenv",
    ]
    return Words.calls(of: names, in: file)
  }
}
