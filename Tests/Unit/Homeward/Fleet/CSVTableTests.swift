import Testing

@testable import homeward

/// Tables as spreadsheets write them.
struct CSVTableTests {
  private static func cells(_ text: String) throws -> [[String]] {
    let table = try CSVTable(Array(text.utf8))
    return [table.header.cells] + table.rows.map(\.cells)
  }

  private static func fault(_ text: String) -> CSVTable.Fault? {
    do {
      _ = try CSVTable(Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["a,b\n1,2\n", "a,b\r\n1,2\r\n", "\u{FEFF}a,b\n1,2", "\n\na,b\r\n\r\n1,2\n\n"])
  func lineEndsAndBlankLinesDoNotMatter(_ text: String) throws {
    #expect(try Self.cells(text) == [["a", "b"], ["1", "2"]])
  }

  @Test func quotesKeepCommasQuotesAndLines() throws {
    let found = try Self.cells("a,b,c\n\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\"\n")
    #expect(found[1] == ["x,y", "say \"hi\"", "two\nlines"])
    #expect(try Self.cells("a,b\r\n\"1\",\"\"\r\n") == [["a", "b"], ["1", ""]])
  }

  @Test func rowsKnowTheLineTheyBeginOn() throws {
    let table = try CSVTable(Array("a\n\"1\n2\"\n\n3\n".utf8))
    #expect(table.rows.map(\.line) == [2, 5])
  }

  @Test func aRowWithOtherCellsCostsThatRowAlone() throws {
    let table = try CSVTable(Array("a,b\n1\n1,2\n1,2,3\n".utf8))
    let faults = table.rows.map { table.fault(of: $0)?.text }
    let expected = "expected 2 as in the first line"
    #expect(faults == ["1 cells, \(expected)", nil, "3 cells, \(expected)"])
  }

  @Test func faultsNameTheirLine() {
    #expect(Self.fault("")?.line == 1)
    #expect(Self.fault("a\n\"1\n2\n")?.line == 2)
    #expect(Self.fault("a\n1\n\"2\"x\n")?.line == 3)
    #expect(Self.fault("a\n1\"2\n")?.text.hasPrefix("a quote within a cell") == true)
    let latin: [UInt8] = [0x61, 0x0A, 0xFC, 0x0A]
    #expect(throws: CSVTable.Fault(line: 2, text: "letters in another encoding, expected UTF-8")) {
      _ = try CSVTable(latin)
    }
  }
}
