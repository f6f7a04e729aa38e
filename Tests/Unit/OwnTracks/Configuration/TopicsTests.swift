import Model
import OwnTracks
import Testing

struct TopicsTests {
  private func topics(_ change: (inout Configuration) -> Void) -> Topics {
    var configuration = Configuration()
    configuration.identity.username = "jane"
    configuration.identity.deviceId = "pi"
    change(&configuration)
    return Topics(configuration, hostName: "raspberrypi")
  }

  // behaviour: Topics and messages
  @Test func topicsByDefault() {
    let topics = topics { $0.friends.isOn = true }
    #expect(topics.clientId == "jane-pi" && topics.clientIdForm == "apart")
    #expect(topics.base == "owntracks/jane/pi")
    #expect(
      topics.subscriptions == [
        "owntracks/jane/pi/cmd", "owntracks/jane/pi/listento", "owntracks/+/+", "owntracks/+/+/event",
        "owntracks/+/+/info",
      ])
  }

  @Test func aBoardListensToItself() {
    #expect(topics { _ in }.subscriptions == ["owntracks/jane/pi/cmd", "owntracks/jane/pi/listento"])
  }

  // behaviour: Subscribing and receiving
  @Test func friendsAreKeptWhereTheyAreAskedFor() {
    var configuration = Configuration()
    #expect(!configuration.keepsFriends)
    configuration.broker.subTopic = " owntracks/jane/+"
    #expect(configuration.keepsFriends)
    // HTTP has no filters.
    configuration.transport = .http
    #expect(!configuration.keepsFriends)
    configuration.friends.isOn = true
    #expect(configuration.keepsFriends)
  }

  @Test func withoutLegacyNoListento() {
    #expect(topics { $0.commands.legacyListento = false }.subscriptions == ["owntracks/jane/pi/cmd"])
  }

  // behaviour: Topics and messages
  @Test func baseWithPlaceholders() {
    let topics = topics {
      $0.messages.topicBase = "/home/%u/%d"
      $0.friends.isOn = true
    }
    #expect(topics.base == "/home/jane/pi")
    #expect(topics.subscriptions.suffix(3) == ["/home/+/+", "/home/+/+/event", "/home/+/+/info"])
    #expect(topics.subscriptions[0] == "/home/jane/pi/cmd")
  }

  @Test func punctuationIsEscapedInTheClientId() {
    let topics = topics { $0.identity.deviceId = "my-pi.1" }
    #expect(topics.clientId == "jane-my-pi_2E1")
    #expect(topics.base == "owntracks/jane/my-pi.1")
  }

  // behaviour: What a location says
  @Test func trackerIDOfTheTopic() {
    #expect(topics { $0.identity.deviceId = "myphone" }.trackerID == "NE")
    #expect(topics { $0.identity.tid = "x1" }.trackerID == "x1")
    #expect(topics { $0.identity.deviceId = "d" }.trackerID == "D")
  }

  @Test func trackerIDIsNeverLongerThanTwo() {
    #expect(topics { $0.identity.deviceId = "straß" }.trackerID == "SS")
    #expect(topics { $0.messages.topicBase = "a/b/" }.trackerID == "B")
  }

  @Test func hostNameStandsIn() {
    let topics = topics { $0.identity.deviceId = "" }
    #expect(topics.base == "owntracks/jane/raspberrypi")
    #expect(topics.clientId == "jane-raspberrypi")
    #expect(topics.isIdentityValid)
  }

  @Test func noUserNoIdentity() {
    let topics = topics { $0.identity.username = "" }
    #expect(!topics.isIdentityValid)
    #expect(topics.base == "owntracks/user/pi")
    #expect(topics.clientId == "pi")
  }

  @Test(arguments: [
    ("Board/7 ä", "Board/7 ä"), ("van\u{0}-\n1\u{85}", "van-1"), (" ", "jane-pi"), ("\t", "jane-pi"),
  ])
  func ownClientIdIsSentAsItIsSet(setting: String, sent: String) {
    #expect(topics { $0.identity.clientId = setting }.clientId == sent)
  }

  @Test func ownSubscriptions() {
    let topics = topics { $0.broker.subTopic = " a/%u/#\tb/%d " }
    #expect(topics.subscriptions == ["a/jane/#", "b/pi"])
  }

  @Test func subOffMeansNone() {
    #expect(topics { $0.broker.sub = false }.subscriptions.isEmpty)
  }

  @Test func placeholdersAreFilledOnce() {
    let topics = topics {
      $0.identity.username = "%d"
      $0.messages.topicBase = "x/%u/100%/%%u/%"
    }
    #expect(topics.base == "x/%d/100%/%%d/%")
  }

  @Test func suffixes() {
    let topics = topics { _ in }
    #expect(topics.topic(.event) == "owntracks/jane/pi/event")
    #expect(topics.topic(.command) == "owntracks/jane/pi/cmd")
  }
}
