/// A table as spreadsheets write it (RFC 4180): commas between the cells, quotes around those that need them. Lines may
/// end in either way, and blank ones do not count.
struct CSVTable {
  struct Row: Equatable {
    /// That it begins on, from 1.
    var line: Int
    var cells: [String]
  }

  /// A place where it is no table.
  struct Fault: Error, Equatable {
    var line: Int
    var text: String
  }

  /// The first row, which names the columns.
  let header: Row
  let rows: [Row]

  init(_ bytes: [UInt8]) throws(Fault) {
    var reader = Reader()
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for byte in bytes.starts(with: mark) ? bytes[3...] : bytes[...] { try reader.take(byte) }
    try reader.end()
    guard let first = reader.rows.first else {
      throw Fault(line: 1, text: "the table is empty, expected a line with the names of the columns")
    }
    header = first
    rows = Array(reader.rows.dropFirst())
  }

  /// The fault of a row that has not as many cells as the first one. It costs that row alone.
  func fault(of row: Row) -> Fault? {
    guard row.cells.count != header.cells.count else { return nil }
    return Fault(
      line: row.line,
      text: "\(row.cells.count) cells, expected \(header.cells.count) as in the first line")
  }

  private struct Reader {
    private enum Place { case start, bare, quoted, behindQuote }

    var rows: [Row] = []
    private var place = Place.start
    private var cells: [String] = []
    private var cell: [UInt8] = []
    private var line = 1
    private var firstLine = 1
    private var quoteLine = 1

    mutating func take(_ byte: UInt8) throws(Fault) {
      switch (place, byte) {
      case (.quoted, UInt8(ascii: "\"")): place = .behindQuote
      case (.quoted, _):
        cell.append(byte)
        if byte == UInt8(ascii: "\n") { line += 1 }
      case (.behindQuote, UInt8(ascii: "\"")):
        cell.append(byte)
        place = .quoted
      case (.start, UInt8(ascii: "\"")): (place, quoteLine) = (.quoted, line)
      case (_, UInt8(ascii: ",")): try endCell()
      case (_, UInt8(ascii: "\n")): try endRow()
      // The first of a line's two ends.
      case (.behindQuote, UInt8(ascii: "\r")): break
      case (.behindQuote, _):
        throw Fault(line: line, text: "text behind a closing quote, expected a comma or the end of the line")
      case (.bare, UInt8(ascii: "\"")):
        throw Fault(
          line: line, text: "a quote within a cell, expected quotes around the whole cell and this one twice")
      default:
        cell.append(byte)
        place = .bare
      }
    }

    mutating func end() throws(Fault) {
      guard place != .quoted else {
        throw Fault(line: quoteLine, text: "a quote that does not end, expected another one")
      }
      if place != .start || !cells.isEmpty || !cell.isEmpty { try endRow() }
    }

    private mutating func endCell() throws(Fault) {
      if place == .bare, cell.last == UInt8(ascii: "\r") { cell.removeLast() }
      guard let text = String(validating: cell, as: UTF8.self) else {
        throw Fault(line: line, text: "letters in another encoding, expected UTF-8")
      }
      cells.append(text)
      cell = []
      place = .start
    }

    private mutating func endRow() throws(Fault) {
      try endCell()
      if cells != [""] { rows.append(Row(line: firstLine, cells: cells)) }
      cells = []
      line += 1
      firstLine = line
    }
  }
}
