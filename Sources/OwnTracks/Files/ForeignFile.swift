/// Files of places that other programs write and that are not read here: a person hears what it is, and what reads it.
public enum ForeignFile {
  /// The kind of file, and how to get regions out of it; nil: unknown.
  public static func sentence(_ bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes.prefix(2000), as: UTF8.self)
    let beginning = text.trimmed
    let convert =
      "regions are read from .otrw, .otrc and GeoJSON: convert it, with ogr2ogr -f GeoJSON (Debian: gdal-bin)"
    if bytes.starts(with: [0x50, 0x4B, 3, 4]) {
      return "it is a zip archive, as KMZ files are; \(convert)"
    }
    if beginning.hasPrefix("<") {
      let tags = text.lowercased().split(separator: "<").map { String($0.prefix { $0.isLetter }) }
      if tags.contains("kml") { return "it is KML; \(convert)" }
      if tags.contains("gpx") {
        return "it is GPX, whose waypoints have no radius; \(convert), and give each point a radius"
      }
      return "it is XML; \(convert)"
    }
    guard let first = beginning.split(whereSeparator: \.isNewline).first, !"{[".contains(first.first ?? "{")
    else {
      return nil
    }
    let isTable = [",", ";", "\t"].contains { separator in
      first.split(separator: Character(separator)).count > 1
    }
    return isTable ? "it is a table of values, as CSV files are; \(convert)" : nil
  }
}
