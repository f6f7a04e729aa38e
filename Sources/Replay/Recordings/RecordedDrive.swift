import OwnTracks

/// A tracker's recording of one drive, in one file or in several: from the board's start, or from where the
/// oldest file that is still there begins.
///
/// Each file begins with a mark, `{"recording":{"begins":…,"goesOn":…,"head":…}}`: whether the tracker was started just
/// then, whether nothing is missing since the file before, and how many lines follow that say what it knew and what
/// stood around it. Its times count from the board's start, so those
/// of one drive only grow. One that ends with `{"stopped":true}` was written by a tracker that ended in order.
public struct RecordedDrive {
  private struct File {
    var begins: Bool
    var goesOn: Bool
    var head: [Line]
    var body: [Line]
    var isStopped = false

    var first: Int64? { head.first?.micros ?? body.first?.micros }
    var last: Int64? { body.last?.micros ?? head.last?.micros }
  }

  private struct Line {
    /// Since the board's start.
    var micros: Int64
    /// The rest of the line, after the time.
    var rest: Substring
  }

  private var files: [File]
  /// Seconds from its first line to its last.
  public var seconds: Double { Double((files.last?.last ?? 0) - (files.first?.first ?? 0)) / 1e6 }
  /// Positions that the receiver told.
  public var positions: Int { lines.count { $0.rest.hasPrefix("\"tpv\":{\"mode\":2") || isThree($0) } }

  private func isThree(_ line: Line) -> Bool { line.rest.hasPrefix("\"tpv\":{\"mode\":3") }
  private var lines: [Line] { files.flatMap { $0.head + $0.body } }

  /// Unix seconds of the first position or word of the clock; nil: there is none.
  public var begin: Double? {
    for line in lines {
      let json = try? JSON.parse(Array("{\(line.rest)".utf8))
      if let time = json?["clock"]?.double ?? json?["tpv"]?["time"]?.double { return time }
    }
    return nil
  }

  /// The drives in these files, which are given in the order in which they were written. What is no such file is
  /// passed over; a last line without its end was cut by a loss of power.
  public static func drives(in files: [[UInt8]]) -> [RecordedDrive] {
    var drives: [RecordedDrive] = []
    for file in files.compactMap(file) {
      guard let first = file.first else { continue }
      // A board that was started anew counts from 0 again.
      if let last = drives.last?.files.last?.last, first >= last {
        drives[drives.count - 1].files.append(file)
      } else {
        drives.append(RecordedDrive(files: [file]))
      }
    }
    return drives
  }

  /// For `homeward replay`, from second 0 on.
  public var timeline: [UInt8] {
    guard let zero = files.first?.first else { return [] }
    var bytes: [UInt8] = []
    func write(_ micros: Int64, _ rest: Substring) {
      let since = micros - zero
      let fraction = String(1_000_000 + since % 1_000_000).dropFirst()
      bytes += "{\"at\":\(since / 1_000_000).\(fraction),\(rest)\n".utf8
    }
    var wasStopped = false
    for (index, file) in files.enumerated() {
      let start = file.first ?? zero
      if index > 0, file.begins {
        write(start, "\"broker\":\"down\"}")
        write(start, wasStopped ? "\"restart\":true}" : "\"restart\":\"kill\"}")
      }
      // The state is the replay's own by then, and so is what stands around it where nothing is missing.
      let head = index == 0 ? file.head : file.head.filter { !$0.rest.hasPrefix("\"state\"") }
      for line in (index > 0 && file.goesOn ? [] : head) + file.body { write(line.micros, line.rest) }
      wasStopped = file.isStopped
    }
    if let last = files.last?.last { write(last, "\"end\":true}") }
    return bytes
  }

  private static func file(_ bytes: [UInt8]) -> File? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.lastIndex(of: "\n") else { return nil }
    let lines = text[..<end].split(separator: "\n")
    let mark = lines.first.flatMap { try? JSON.parse(Array($0.utf8)) }?["recording"]
    guard let begins = mark?["begins"]?.flag, let head = mark?["head"]?.int, head >= 0 else { return nil }
    let rest = lines.dropFirst()
    let isStopped = rest.last == "{\"stopped\":true}"
    return File(
      begins: begins, goesOn: mark?["goesOn"]?.flag == true, head: rest.prefix(head).compactMap(line),
      body: rest.dropFirst(head).compactMap(line),
      isStopped: isStopped)
  }

  /// `{"at":12.345678,…`.
  private static func line(_ text: Substring) -> Line? {
    guard text.hasPrefix("{\"at\":"), let comma = text.firstIndex(of: ",") else { return nil }
    let parts = text[..<comma].dropFirst(6).split(separator: ".")
    guard parts.count == 2, parts[1].utf8.count == 6, let seconds = Int64(parts[0]),
      let micros = Int64(parts[1]),
      (0..<1_000_000_000).contains(seconds), micros >= 0
    else { return nil }
    return Line(micros: seconds * 1_000_000 + micros, rest: text[text.index(after: comma)...])
  }
}
