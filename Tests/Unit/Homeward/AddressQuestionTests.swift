import Testing

@testable import homeward

// behaviour: where
/// What servers say of a place.
struct AddressQuestionTests {
  private func address(_ answer: String) -> String? { AddressQuestion.address(in: Array(answer.utf8)) }

  @Test func theUsualServersAnswersAreRead() {
    let answers = [
      #"{"place_id":1,"display_name":"1 Main Street, Town","address":{"road":"Main Street"}}"#,
      #"{"results":[{"formatted":"1 Main Street, Town"},{"formatted":"elsewhere"}]}"#,
      #"{"results":[{"formatted_address":"1 Main Street, Town"}]}"#,
      #"{"features":[{"place_name":"1 Main Street, Town"}]}"#,
      #"{"features":[{"properties":{"label":"1 Main Street, Town"}}]}"#,
      #"[{"display_name":"1 Main Street, Town"}]"#, #""1 Main Street, Town""#, "1 Main Street,\r\n Town\n",
    ]
    for answer in answers { #expect(address(answer) == "1 Main Street, Town", "\(answer)") }
  }

  @Test func invalidAddressIsRejectedAndTextSanitised() {
    for answer in ["", "  \n", "{}", "[]", #"{"display_name":7}"#, "<html>x</html>", #"{"display_name":"#] {
      #expect(address(answer) == nil, "\(answer)")
    }
    // Neither colours nor a line of its own, nor the other way of writing.
    #expect(address(#"{"label":"a\u001b[31m\n\u202eb"}"#) == "a [31m b")
    #expect(address(String(repeating: "x", count: 9000))?.count == 300)
  }

  @Test func thePlaceTakesTheTemplatesPlace() {
    let question = AddressQuestion(
      template: "https://h/?lat={lat}&lon={lon}&again={lat}", latitude: -0.5, longitude: 179.1234567)
    #expect(question.url == "https://h/?lat=-0.500000&lon=179.123457&again=-0.500000")
  }
}
