/// Keys that the owner adds to locations, from files of a directory: the name is the key.
public enum ExtraValue {
  /// Files that are looked at, in the order of their names: a location stays a small message.
  public static let fileLimit = 32
  /// Bytes of each that are taken; a longer one is left out.
  public static let byteLimit = 1024

  /// Our own keys are reserved, and so are names that begin with `_` or `.`.
  public static func isAllowed(_ name: String) -> Bool {
    guard let first = name.utf8.first, first != UInt8(ascii: "_"), first != UInt8(ascii: ".") else {
      return false
    }
    return name.utf8.count <= 64
      && name.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 32 && $0.value < 127 }
      && !taken.contains(name)
  }

  /// JSON where it is some, else the text without the white space around it; nil: nothing, or too much.
  public static func value(_ bytes: [UInt8]) -> JSON? {
    guard bytes.count <= byteLimit else { return nil }
    if let json = try? JSON.parse(bytes) { return json }
    let text = String(decoding: bytes, as: UTF8.self)
    let trimmed = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
    // A lone value is not a JSON document to every reader: numbers and words are read as elements.
    let word = String(trimmed)
    if let list = try? JSON.parse(Array("[\(word)]".utf8)), list.elements?.count == 1 { return list[0] }
    return word.isEmpty ? nil : .string(word)
  }

  /// Why there is no value.
  public static func reason(for bytes: [UInt8]) -> String {
    bytes.count > byteLimit
      ? "more than \(byteLimit) bytes: left out" : "nothing in it: left out"
  }

  private static let taken: Set<String> = [
    "_demo", "_type", "BSSID", "SSID", "acc", "alt", "batt", "bs", "cog", "conn", "created_at", "image",
    "imagename",
    "inregions", "inrids", "lat", "lon", "m", "motionactivities", "odometer", "p", "poi", "rad", "t", "tag",
    "tid", "topic", "tst", "vac", "vel",
  ]
}
