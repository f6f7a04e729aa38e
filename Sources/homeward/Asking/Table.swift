import OwnTracks

/// Lines of columns for people: each column as wide as its widest cell, two blanks between. A cell may hold what
/// others have written: it stays on its line, and steers no terminal.
struct Table {
  private var rows: [[String]] = []

  mutating func add(_ cells: String...) { add(cells) }
  mutating func add(_ cells: [String]) { rows.append(cells.map(\.plainLine)) }

  /// The light stands before the words; nil: there is none.
  mutating func add(_ title: String, _ light: Light?, _ words: String) {
    rows.append([title.plainLine, (light.map { $0.mark + " " } ?? "") + words.plainLine])
  }

  var text: String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in line(row, widths) }.joined(separator: "\n")
  }

  private func line(_ row: [String], _ widths: [Int]) -> String {
    var text = ""
    for (column, cell) in row.enumerated() {
      text += cell
      guard column + 1 < row.count else { break }
      text += String(repeating: " ", count: widths[column] - cell.count + 2)
    }
    return text
  }
}
