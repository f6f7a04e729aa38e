import OwnTracks
import Testing

/// What people get wrong who write a configuration by hand.
struct JSONMistakeTests {
  private func mistake(_ bytes: [UInt8]) -> String? {
    do {
      _ = try JSON.parseByHand(bytes, refusingDuplicates: true)
      return nil
    } catch {
      return error.description
    }
  }

  private static let mistakes: [(String, String)] = [
    ("{\"a\": 1,\n \"b\": 2,\n}\n", "line 2, column 8: a comma after the last entry: take it out"),
    ("[1, 2, ]", "line 1, column 6: a comma after the last entry: take it out"),
    ("{\"a\": 1\n \"b\": 2}", "line 1, column 8: a comma is missing here"),
    ("{\"a\": {}\n \"b\": 2}", "line 1, column 9: a comma is missing here"),
    ("{\"a\" 1}", "line 1, column 5: a colon is missing here, after the key"),
    ("{\n // mine\n \"a\": 1}", "line 2, column 2: a comment: JSON has none, take it out"),
    ("{\n # mine\n \"a\": 1}", "line 2, column 2: a comment: JSON has none, take it out"),
    ("{'a': 1}", "line 1, column 2: a single quote: texts stand in double quotes"),
    (
      "{“a”: 1}",
      "line 1, column 2: a curved quote, as web pages and word processors set them: texts stand in straight double quotes"
    ),
    (
      "{\"ä\": „x“}",
      "line 1, column 7: a curved quote, as web pages and word processors set them: texts stand in straight double quotes"
    ),
    (
      "{\"lat\": 48,154}",
      "line 1, column 12: a number where a key is expected: is the comma before it a decimal comma? Write a point"
    ),
    ("{\"a\": False}", "line 1, column 7: expected false, in small letters and without quotes"),
    ("{\"a\": yes}", "line 1, column 7: expected true, in small letters and without quotes"),
    ("{\"a\": None}", "line 1, column 7: expected null, in small letters and without quotes"),
    ("{\"a\": van}", "line 1, column 7: a text without double quotes"),
    ("{host: \"h\"}", "line 1, column 2: a key without double quotes"),
    ("{\"a\": \"open\n}", "line 1, column 7: this text has no closing quote in its line"),
    ("{\"a\": \"open", "line 1, column 7: this text has no closing quote"),
    (
      "{\"a\": [1, 2",
      "line 1, column 12: the text ends before its last bracket is closed: is a part of it missing?"
    ),
    ("{\"\u{800}\": 1,}", "line 1, column 8: a comma after the last entry: take it out"),
    ("{\"a\": 1]", "line 1, column 8: this bracket closes nothing that is open"),
    ("a: 1\n", "line 1, column 1: a text without double quotes"),
    ("{\"a\": ~}", "line 1, column 7: a character that stands in no JSON outside of quotes"),
  ]

  @Test(arguments: mistakes.indices) func eachHasItsPlaceAndWords(_ index: Int) {
    let (text, words) = Self.mistakes[index]
    #expect(mistake(Array(text.utf8)) == words)
  }

  @Test func otherEncodingsAreNamed() {
    let text = Array("{\"a\": 1}".utf8)
    let wide: [UInt8] = text.flatMap { [$0, 0] }
    for bytes in [[0xFF, 0xFE] + wide, wide] {
      #expect(mistake(bytes) == "line 1, column 1: the text is UTF-16: save it as UTF-8")
    }
    let latin: [UInt8] = Array("{\"a\":\n \"M".utf8) + [0xFC] + Array("nchen\"}".utf8)
    let words = "a character here is not UTF-8, but Latin-1 perhaps: save the text as UTF-8"
    #expect(mistake(latin) == "line 2, column 4: \(words)")
    #expect(mistake([0x7B, 0xFC]) == "line 1, column 2: \(words)")
    // Latin-1 that begins like a character of three bytes, and one that is cut short.
    for cut in [[0xE4, 0x62, 0x84], [0xE4, 0x84, 0x62], [0xF0, 0x9F, 0x9A]] as [[UInt8]] {
      #expect(mistake([0x7B, 0x22] + cut + [0x22]) == "line 1, column 3: \(words)")
    }
  }

  /// What it cannot name keeps the words of the parser, and what is right is read.
  @Test func theRestIsTheParsers() {
    #expect(mistake(Array("{\"a\": 1, \"a\": 2}".utf8))?.contains("duplicate") == true)
    #expect(mistake(Array("{\"a\": 1.}".utf8)) != nil)
    for text in ["", " \r\n\t"] {
      #expect(mistake(Array(text.utf8)) == "line 1, column 1: there is nothing in it")
    }
    for text in ["{\"a\": [1, -2.5e3, true, null, \"x, y: {\\\"z\\\"}\"], \"ü\": {}}", "[]", " 5 "] {
      #expect(mistake(Array(text.utf8)) == nil, "\(text)")
    }
  }

  /// Whatever the text is: no place beyond it, no trap.
  @Test func everyBeginningOfATextHasAPlaceInIt() {
    let text = Array("{\"a\": [1, 2.5, {\"b\": \"ü\\\"\"}], \"c\": true, // \u{201C}\n 'd': None,}".utf8)
    for end in 0...text.count {
      for start in 0...min(end, 12) {
        let piece = Array(text[start..<end])
        do {
          _ = try JSON.parseByHand(piece)
        } catch {
          #expect((1...2).contains(error.line) && (1...(piece.count + 2)).contains(error.column))
        }
      }
    }
  }
}
