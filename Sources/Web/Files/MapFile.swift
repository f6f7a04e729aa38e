import CSQLite
import Glibc

/// A map that the owner has put on the board: tiles in an SQLite file (MBTiles), or one file that the page reads parts
/// of by itself (PMTiles).
final class MapFile {
  enum Form: String {
    case tiles = "mbtiles"
    case parts = "pmtiles"
  }

  /// Bytes of a tile.
  private static let tileLimit = 1 << 20
  private static let finest = 24

  let form: Form
  private let path: String
  /// Of what the file has; browsers ask for nothing else.
  private(set) var zooms = 0...finest
  private var database: OpaquePointer?
  private var statement: OpaquePointer?

  /// Nil: there is no such file, or it is no map that a page can show.
  init?(path: String) {
    self.path = path
    if path.hasSuffix(".pmtiles") {
      form = .parts
      guard access(path, R_OK) == 0 else { return nil }
      return
    }
    form = .tiles
    homeward_sqlite_lean()
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
    let query = "SELECT tile_data FROM tiles WHERE zoom_level=?1 AND tile_column=?2 AND tile_row=?3"
    guard sqlite3_open_v2(path, &database, flags, nil) == SQLITE_OK,
      sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK
    else { return nil }
    let words = ["png", "jpg", "jpeg", "webp"]
    guard let format = metadata("format"), words.contains(format.lowercased()) else { return nil }
    let low = metadata("minzoom").flatMap { Int($0) } ?? 0
    let high = metadata("maxzoom").flatMap { Int($0) } ?? Self.finest
    if low >= 0, low <= high, high <= Self.finest { zooms = low...high }
  }

  deinit {
    sqlite3_finalize(statement)
    sqlite3_close(database)
  }

  private func metadata(_ name: String) -> String? {
    var statement: OpaquePointer?
    let query = "SELECT value FROM metadata WHERE name='\(name)'"
    guard sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK else { return nil }
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
    return sqlite3_column_text(statement, 0).map { String(cString: $0) }
  }

  /// The picture; nil: the file has none there.
  func tile(_ place: TilePath) -> (bytes: [UInt8], kind: String)? {
    guard form == .tiles, let statement else { return nil }
    defer { sqlite3_reset(statement) }
    sqlite3_bind_int(statement, 1, Int32(place.zoom))
    sqlite3_bind_int(statement, 2, Int32(place.column))
    sqlite3_bind_int(statement, 3, Int32(place.rowFromSouth))
    guard sqlite3_step(statement) == SQLITE_ROW, let blob = sqlite3_column_blob(statement, 0) else {
      return nil
    }
    let count = Int(sqlite3_column_bytes(statement, 0))
    guard count <= Self.tileLimit else { return nil }
    let bytes = Array(UnsafeRawBufferPointer(start: blob, count: count))
    return Self.kind(of: bytes).map { (bytes, $0) }
  }

  /// By its first bytes; nil: it is no picture.
  private static func kind(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      return "image/webp"
    }
    return nil
  }

  /// The file itself, and its size; nil: it is gone, or of the other form.
  func opened() -> (descriptor: Int32, size: Int)? {
    guard form == .parts else { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    return (descriptor, Int(status.st_size))
  }
}
