import OwnTracks
import Testing

@testable import homeward

// behaviour: Renewed certificates
/// What the server says to a board whose certificate it renews, and what it makes of the answers.
struct FleetRenewalTests {
  private static func renewal(_ settings: String = #""cmd":true"#) throws -> FleetRenewal {
    let text = #"{"_type":"configuration","host":"b","username":"ute","deviceId":"board","# + settings + "}"
    let board = FleetBoard(place: "ute-board", settings: try JSON.parse(Array(text.utf8)))
    return try FleetRenewal(.init(folder: "ute-board", board: board, bytes: []), run: "r")
  }

  private static func command(_ renewal: FleetRenewal) -> JSON? {
    renewal.command(at: 1_700_000_000).flatMap { try? JSON.parse($0) }
  }

  private static func answer(_ id: JSON, _ more: JSON.Member...) -> JSON {
    .object([.init("_type", "answer"), .init("id", id)] + more)
  }

  @Test func aBoardIsAskedAndOfferedTheSignedCertificate() throws {
    var renewal = try Self.renewal()
    #expect(
      renewal.commandTopic == "owntracks/ute/board/cmd"
        && renewal.answerTopic == "owntracks/ute/board/cmd/answer")
    let asked = Self.command(renewal)
    #expect(asked?["action"] == "requestCertificate" && asked?["tst"] == 1_700_000_000)
    let id = try #require(asked?["id"])
    renewal.heard(Self.answer(id, .init("ok", true), .init("request", "CSR")))
    #expect(renewal.state == .signing(request: "CSR") && Self.command(renewal) == nil)
    renewal.signed("PEM")
    let offered = Self.command(renewal)
    #expect(
      offered?["action"] == "setCertificate" && offered?["certificate"] == "PEM" && renewal.nextWord == 0)
    let next = try #require(offered?["id"])
    // The answer to the first one comes again.
    renewal.heard(Self.answer(id, .init("ok", true), .init("request", "CSR")))
    #expect(renewal.state == .offering(certificate: "PEM") && !renewal.isOver && next != id)
    renewal.heard(Self.answer(next, .init("ok", true), .init("reason", "in force")))
    #expect(renewal.state == .done("in force") && renewal.isOver && Self.command(renewal) == nil)
  }

  @Test func answersToOthersCountForNothing() throws {
    var renewal = try Self.renewal()
    for id in ["x-request", "r-certificate", 7, nil] as [JSON] {
      renewal.heard(Self.answer(id, .init("ok", false)))
    }
    renewal.heard(["_type": "status"])
    #expect(renewal.state == .asking)
  }

  @Test func aRefusalIsTheEnd() throws {
    var renewal = try Self.renewal()
    let id = try #require(Self.command(renewal)?["id"])
    renewal.heard(Self.answer(id, .init("ok", false), .init("reason", "why")))
    #expect(renewal.state == .failed("why"))
    var mute = try Self.renewal()
    mute.heard(Self.answer(id, .init("ok", true)))
    #expect(mute.state == .failed("its answer holds no request, expected one as PEM"))
    var late = try Self.renewal()
    late.giveUp(after: 5)
    #expect(late.state == .failed("no answer within 5 s"))
  }

  @Test func aBoardThatObeysNothingIsNotAsked() throws {
    let (deaf, posting) = (
      try Self.renewal(#""cmd":false"#), try Self.renewal(#""cmd":true,"mode":3,"url":"https://h/""#)
    )
    #expect(deaf.state == .failed("it obeys no commands (cmd)") && Self.command(deaf) == nil)
    #expect(posting.isOver)
  }

  @Test func whereThereIsASecretNothingIsSaidOrHeardInClear() throws {
    var renewal = try Self.renewal(#""cmd":true,"encryptionKey":"s""#)
    let secret = try Encryption(secret: "s")
    let envelope = try #require(Self.command(renewal))
    #expect(envelope["_type"]?.text == "encrypted" && envelope["action"] == nil)
    let asked = try JSON.parse(try secret.opened(envelope))
    let id = try #require(asked["id"])
    let answer = Self.answer(id, .init("ok", true), .init("request", "CSR"))
    renewal.heard(answer)
    #expect(renewal.state == .asking)
    renewal.heard(try JSON.parse(secret.sealed(answer.serialised())))
    #expect(renewal.state == .signing(request: "CSR"))
  }
}
