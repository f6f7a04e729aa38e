/// Lines of columns for people: each column as wide as its widest cell, two blanks between.
struct Table {
  private var rows: [[String]] = []

  mutating func add(_ cells: String...) { rows.append(cells) }
  mutating func add(_ cells: [String]) { rows.append(cells) }

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
