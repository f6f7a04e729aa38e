import Model
import Testing

@testable import Core

// behaviour: Renewed certificates
/// Commands about the certificate, which are answered when it is known what has become of them.
struct CertificateOrderTests {
  private func scene() -> Scene {
    var scene = Scene(
      Scene.configuration {
        $0.broker.host = "home"
        $0.commands.isOn = true
      })
    scene.connect()
    return scene
  }

  private func order(_ command: Command, id: CommandID? = .number(7), topic: String? = "a/b/cmd") -> Event {
    var received = ReceivedCommand(command)
    (received.id, received.topic) = (id, topic)
    return .commanded(received)
  }

  private func results(_ scene: Scene) -> [CommandResult] {
    scene.reports.compactMap { if case .result(let result) = $0.report { result } else { nil } }
  }

  @Test func theyAreHandedOnAndNotAnsweredYet() {
    var scene = scene()
    scene.post(order(.requestCertificate), at: 10)
    scene.post(order(.setCertificate("x"), id: .text("y"), topic: nil), at: 20)
    #expect(
      scene.renewals == [
        .init(.request, id: .number(7), topic: "a/b/cmd/answer"),
        .init(.take("x"), id: .text("y"), topic: nil),
      ])
    #expect(results(scene).isEmpty)
  }

  @Test func theAnswerIsPublishedWithItsTime() {
    var scene = scene()
    var made = CertificateOrder(.request, id: .number(7), topic: "a/b/cmd/answer").result(.done)
    made.request = "PEM"
    scene.post(.certificateSettled(made), at: 10)
    let told = results(scene).first
    #expect(told?.request == "PEM" && told?.action == "requestCertificate" && told?.topic == "a/b/cmd/answer")
    #expect(told?.time != nil && told?.outcome == .done)
    let refused = CertificateOrder(.take("x"), id: .number(8), topic: nil).result(.refused, reason: "why")
    scene.post(.certificateSettled(refused), at: 20)
    #expect(results(scene).last?.action == "setCertificate" && results(scene).last?.reason == "why")
  }

  @Test func withoutAnIDNothingIsDone() {
    var scene = scene()
    scene.post(order(.requestCertificate, id: nil), at: 10)
    #expect(scene.renewals.isEmpty && results(scene).isEmpty)
  }

  @Test func whereCommandsAreOffNothingIsDone() {
    var scene = Scene(Scene.configuration { $0.broker.host = "home" })
    scene.connect()
    scene.post(order(.requestCertificate), at: 10)
    #expect(scene.renewals.isEmpty && results(scene).map(\.outcome) == [.refused])
  }
}
