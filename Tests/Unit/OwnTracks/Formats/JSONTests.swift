import Model
import OwnTracks
import Testing

struct JSONTests {
  private func failure(_ text: String) -> JSONError? {
    do {
      _ = try JSON.parse(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func everyKind() throws {
    let json = try JSON.parse(#"{"b":[1,-2.5,true,false,null,"x\u00e4\n"],"a":{}}"#)
    #expect(json["b"] == [1, -2.5, true, false, nil, "xä\n"])
    #expect(json["a"]?.members?.isEmpty == true)
    #expect(json["c"] == nil && json["b"]?[9] == nil)
  }

  @Test func orderIsKeptAndSortedOnlyForWriting() throws {
    let json = try JSON.parse(#"{"b":1,"a":2}"#)
    #expect(keys(json) == ["b", "a"])
    #expect(json.description == #"{"a":2,"b":1}"#)
    #expect(text(json.serialised(sortingKeys: false)) == #"{"b":1,"a":2}"#)
  }

  @Test func errorsSayWhere() {
    let error = failure("{\n  \"a\": 1,\n  oops\n}")
    #expect(error?.line == 3)
    #expect((error?.column ?? 0) > 1)
  }

  @Test func errorsNeverQuoteTheText() {
    let error = failure("{\"password\": \"hunter2\n\"}")
    #expect(error?.description.contains("hunter") == false)
  }

  @Test func duplicateKeysAreNamed() throws {
    #expect(try JSON.parse(#"{"a":1,"a":2}"#)["a"] == 2)
    do {
      _ = try JSON.parse(bytes(#"{"host":1,"host":2}"#), refusingDuplicates: true)
      Issue.record("accepted")
    } catch {
      #expect(error.reason.contains("host"))
    }
  }

  @Test func depthIsLimited() throws {
    let deep = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
    #expect(try JSON.parse(deep).elements?.count == 1)
    #expect(failure("\n [" + deep + "]")?.reason == "nested deeper than 32 levels")
    #expect(failure("\n [" + deep + "]")?.line == 2)
    #expect(try JSON.parse("\"" + String(repeating: "[\\\"", count: 99) + "\"").text?.count == 198)
  }

  @Test func sizeIsLimited() {
    #expect(throws: JSONError.self) { try JSON.parse(bytes("[1,2,3]"), limit: 6) }
    #expect(failure("\"" + String(repeating: "x", count: 1 << 20) + "\"") != nil)
  }

  @Test func nulInsideTextIsKept() throws {
    #expect(try JSON.parse(#""a\u0000b""#).text == "a\0b")
    #expect(try JSON.parse(JSON.string("a\0b").serialised()).text == "a\0b")
  }

  @Test(arguments: [
    "", " ", "{", "nul", "[1,]", "{\"a\"}", "1e999", "\"\u{1}\"", "[1] 2", "\"\\ud800\"", "{\"\\u0000\":1}",
  ])
  func notJSON(_ text: String) {
    #expect(failure(text) != nil)
  }

  @Test func invalidUTF8IsRefused() {
    #expect(throws: JSONError.self) { try JSON.parse([0x22, 0xFF, 0x22]) }
  }

  @Test func wholeNumbers() throws {
    #expect(try JSON.parse("5.0").int == 5)
    #expect(try JSON.parse("5.5").int == nil)
    #expect(try JSON.parse("-7").double == -7)
    #expect(try JSON.parse("\"5\"").int == nil)
    #expect(JSON.real(1e300).int == nil)
    #expect(JSON.integer(.min).description == "-9223372036854775808")
  }

  @Test(arguments: [
    (0.00001, "0.00001"), (-0.0000015, "-0.0000015"), (1e14, "100000000000000.0"), (0.1, "0.1"),
    (-2.5, "-2.5"),
    (0, "0.0"), (.nan, "null"), (-.infinity, "null"), (1e300, "1e+300"),
  ])
  func realsArePlain(_ number: Double, _ expected: String) {
    #expect(JSON.real(number).description == expected)
  }

  @Test func setReplacesInPlace() {
    var json: JSON = ["a": 1, "b": 2]
    json.set("a", 3)
    json.set("c", nil)
    json.set("d", 4)
    json.set("b", nil)
    #expect(json == ["a": 3, "d": 4])
  }

  @Test func prettyReadsBack() throws {
    let json: JSON = ["b": [1, ["x": []]], "a": [:], "c": 1.5]
    #expect(
      text(json.pretty()) == """
        {
          "b": [
            1,
            {
              "x": []
            }
          ],
          "a": {},
          "c": 1.5
        }

        """)
    #expect(try JSON.parse(json.pretty()) == json)
  }

  @Test(arguments: ["1", "-1.5", "2e3", "0.25"])
  func numberTexts(_ text: String) { #expect(DecimalText.number(text) == Double(text)) }

  @Test(arguments: ["", " 1", "0x10", "nan", "inf", "+1", "1,5", "1.", "--1", "1e999"])
  func notNumberTexts(_ text: String) { #expect(DecimalText.number(text) == nil) }
}
