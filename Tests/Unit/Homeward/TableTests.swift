import Testing

@testable import homeward

/// Columns of text, of which others may have written a part.
struct TableTests {
  @Test func aColumnIsAsWideAsItsWidestCell() {
    var table = Table()
    table.add("id", "name")
    table.add("abcdef", "Home")
    table.add("x")
    #expect(table.text == "id      name\nabcdef  Home\nx")
  }

  @Test func aCellStaysOnItsLineAndSteersNoTerminal() {
    var table = Table()
    table.add("Name:", "a\nb\u{1B}[2J")
    #expect(table.text == "Name:  a\\nb\\u{1b}[2J")
  }

  @Test func aLightIsNothingThatACellCanBe() {
    var table = Table()
    table.add("Broker:", .green, "connected\u{1}")
    #expect(table.text == "Broker:  \u{1} connected\\u{1}")
  }

  @Test func withoutRowsItIsEmpty() {
    #expect(Table().text.isEmpty)
  }
}
