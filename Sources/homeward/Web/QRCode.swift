import CQRCode
import OwnTracks

/// A picture for a phone's camera (ISO/IEC 18004), drawn by libqrencode.
struct QRCode {
  /// The library is missing or unusable.
  struct Missing: Error, CustomStringConvertible {
    /// The loader's message.
    let why: String

    var description: String {
      "no picture for the camera: it needs libqrencode, which cannot be loaded (\(why)); fix it with: "
        + "sudo apt install libqrencode4"
    }
  }

  /// Modules of light around it that every reader wants.
  private static let quietZone = 2

  /// By row, without the quiet zone; true is dark.
  let modules: [[Bool]]

  /// Nil: it cannot be drawn of so many bytes.
  init?(_ bytes: [UInt8]) throws(Missing) {
    if let why = cqrcode_load() { throw Missing(why: String(cString: why).plainLine) }
    guard let code = cqrcode_make(bytes, Int32(bytes.count)) else { return nil }
    defer { cqrcode_free(code) }
    let side = cqrcode_side(code)
    modules = (0..<side).map { row in (0..<side).map { cqrcode_is_dark(code, row, $0) } }
  }

  /// For a terminal, whose letters are twice as high as wide: a line has two rows. What is light is drawn.
  var lines: [String] {
    let range = -Self.quietZone..<(modules.count + Self.quietZone)
    func isLight(_ row: Int, _ column: Int) -> Bool {
      guard modules.indices.contains(row), modules.indices.contains(column) else { return true }
      return !modules[row][column]
    }
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      range.map { column in
        let isLower = row + 1 < range.upperBound && isLight(row + 1, column)
        return switch (isLight(row, column), isLower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }.joined()
    }
  }
}
