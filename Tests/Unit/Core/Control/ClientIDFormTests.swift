import Model
import Testing

@testable import Core

/// What makes the client id is kept from the first start on.
struct ClientIDFormTests {
  private func forms(_ scene: Scene) -> [ClientIDForm] {
    scene.writes.compactMap { if case .clientIDForm(let form) = $0 { form } else { nil } }
  }

  private func scene(_ form: ClientIDForm, remote: RemoteSettings = RemoteSettings()) -> Scene {
    var snapshot = Snapshot()
    snapshot.clientIDForm = form
    snapshot.remote = remote
    return Scene(snapshot: snapshot)
  }

  @Test func aStoreThatSaysNothingIsOfAnEarlierVersion() {
    var scene = scene(.unsaid)
    scene.connect()
    let form = ClientIDForm.joined(user: "u", device: "d")
    #expect(scene.tracker.clientIDForm == form && forms(scene) == [form])
  }

  /// The broker knows the board by the name that a command gave it.
  @Test func theNamesAreThoseInForce() {
    let remote = RemoteSettings([.init(name: "deviceId", value: .text("e"), over: .text("d"))])
    #expect(scene(.unsaid, remote: remote).tracker.clientIDForm == .joined(user: "u", device: "e"))
  }

  @Test func storedClientIDFormIsKept() {
    for form in [ClientIDForm.apart, .joined(user: "was", device: "d")] {
      var scene = scene(form)
      scene.connect()
      #expect(scene.tracker.clientIDForm == form && forms(scene).isEmpty)
    }
  }
}
