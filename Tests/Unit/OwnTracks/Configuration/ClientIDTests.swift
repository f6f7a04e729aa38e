import Model
import OwnTracks
import Testing

// behaviour: Topics and messages
/// Two boards with the same client id throw each other off the broker, again and again.
struct ClientIDTests {
  private func topics(
    _ user: String, _ device: String, setting: String = "", form: ClientIDForm = .apart
  ) -> Topics {
    var configuration = Configuration()
    configuration.identity.username = user
    configuration.identity.deviceId = device
    configuration.identity.clientId = setting
    return Topics(configuration, hostName: "raspberrypi", clientIDForm: form)
  }

  private func id(_ user: String, _ device: String) -> String { topics(user, device).clientId }

  @Test func simpleNamesAreReadable() {
    #expect(id("jane", "van") == "jane-van")
    #expect(id("jane", "my-van_2") == "jane-my-van__2")
    #expect(id("van-1", "a.b") == "van_2D1-a_2Eb")
    #expect(id("\u{436}", "") == "_D0_B6-raspberrypi")
  }

  @Test func namesThatOnceCollidedDoNot() {
    #expect(id("truck1", "11") != id("truck11", "1"))
    #expect(id("van-1", "a") != id("van1", "a"))
    #expect(id("van", "1-a") != id("van-1", "a"))
    #expect(id("\u{1}0", "\u{10}") == "_010-_10")
    #expect(id("", "jane-van") != id("jane", "van"))
  }

  /// Of few different characters, so that names of the same letters in other places are many.
  @Test func tenThousandNamesAreAllDifferent() {
    var generator = SystemRandomNumberGenerator()
    let characters = Array("1a-_. \u{e9}\u{1F69A}D2")
    func name() -> String {
      String(
        (0..<Int.random(in: 1...5, using: &generator)).map { _ in characters.randomElement(using: &generator)!
        })
    }
    var owners: [String: [String]] = [:]
    var twice: [String] = []
    for _ in 0..<10_000 {
      let names = [name(), name()]
      let id = id(names[0], names[1])
      if let owner = owners.updateValue(names, forKey: id), owner != names { twice.append(id) }
    }
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    #expect(twice.isEmpty && owners.count > 1000)
    #expect(owners.keys.allSatisfy { $0.allSatisfy(allowed.contains) })
  }

  @Test func aSetOneIsTakenAsItIs() {
    let topics = topics("jane", "van", setting: "Board-7", form: .joined(user: "jane", device: "van"))
    #expect(topics.clientId == "Board-7" && topics.clientIdForm == "configured")
  }

  @Test func anOldBoardKeepsItsOwnUntilItIsRenamed() {
    let form = ClientIDForm.joined(user: "van-1", device: "a")
    let kept = topics("van-1", "a", form: form)
    #expect(kept.clientId == "van1a" && kept.clientIdForm == "joined")
    #expect(topics("van-1", "b", form: form).clientId == "van_2D1-b")
    #expect(topics("\u{436}", "-", form: .joined(user: "\u{436}", device: "-")).clientId == "raspberrypi")
  }

  /// Home Assistant knows a board without a machine id by its client id, and all by their base topic.
  @Test func anOldBoardStaysTheSameDeviceInHomeAssistant() {
    var configuration = Configuration()
    (configuration.identity.username, configuration.identity.deviceId) = ("jane", "van")
    let old = Encoder(
      configuration, hostName: "", clientIDForm: .joined(user: "jane", device: "van"))
    let shown = old.encode(.discovery(.init(.place)))
    #expect(shown.topic == "homeassistant/device_tracker/homeward_janevan_8e03c730/place/config")
    configuration.identity.clientId = "Board-7"
    let set = Encoder(configuration, hostName: "").encode(.discovery(.init(.place)))
    #expect(set.topic == "homeassistant/device_tracker/homeward_Board7_46b8b6ca/place/config")
  }
}
