/// On which lines of a configuration's text its keys stand: a person looks for a line, not for a
/// JSON pointer. The text has been parsed already, so brackets and quotes match.
struct ConfigurationPlaces {
  private var lines: [String: Int] = [:]
  private var waypointLines: [Int] = []

  init(_ bytes: [UInt8]) {
    var line = 1
    var depth = 0
    var offset = 0
    var current = ""
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if depth == 2, current == "waypoints" { waypointLines.append(line) }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        let end = Self.endOfString(bytes, from: offset + 1)
        if depth == 1, Self.isKey(bytes, after: end) {
          current = String(decoding: bytes[(offset + 1)..<end], as: UTF8.self)
          lines[current] = line
        }
        offset = end
      default: break
      }
      offset += 1
    }
  }

  func place(of key: String) -> String {
    lines[key].map { "line \($0)" } ?? "not in the file"
  }

  func place(ofWaypoint index: Int) -> String {
    waypointLines.indices.contains(index) ? "line \(waypointLines[index])" : "/waypoints/\(index)"
  }

  /// The index of the closing quote.
  private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
    var offset = start
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
      offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(offset, bytes.count)
  }

  private static func isKey(_ bytes: [UInt8], after quote: Int) -> Bool {
    let next = bytes.dropFirst(quote + 1).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return next == UInt8(ascii: ":")
  }
}
