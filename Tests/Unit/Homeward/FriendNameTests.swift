import OwnTracks
import Testing

@testable import homeward

// behaviour: Friends
/// Whom a person means, and how friends are listed.
struct FriendNameTests {
  private static let friends: [JSON] = [
    ["topic": "owntracks/jane/phone", "name": "Jane", "tid": "JP"],
    ["topic": "owntracks/bo/phone", "name": "Bo", "tid": "bo"],
    ["topic": "owntracks/bo/van", "name": "bo", "tid": "bv"], ["topic": "JP"],
  ]
  private static var known: [FriendRecord] { FriendRecord.all(friends) }

  @Test func friendIsFoundByTopicNameOrTrackerID() throws {
    #expect(try FriendName.topic("owntracks/bo/van", in: Self.known) == "owntracks/bo/van")
    #expect(try FriendName.topic("jane", in: Self.known) == "owntracks/jane/phone")
    #expect(try FriendName.topic("bv", in: Self.known) == "owntracks/bo/van")
    #expect(try FriendName.topic("JP", in: Self.known) == "JP")
    #expect(try FriendName.topic("nobody", in: Self.known) == "nobody")
    #expect {
      try FriendName.topic("Bo", in: Self.known)
    } throws: {
      ($0 as? Failure)?.text == "2 friends are called Bo: use a topic (owntracks/bo/phone, owntracks/bo/van)"
    }
  }

  @Test func thisBoardIsTheFirstAndNewsAreCounted() {
    let board: JSON = ["topic": "owntracks/me/van", "tid": "me", "lat": 1.5, "lon": 2.5]
    let text = FriendsCommand.text(["self": board, "friends": .array(Self.friends), "updates": 3])
    let lines = text.split(separator: "\n")
    #expect(lines.count == 7 && lines[1].contains("(this board)") && lines[2].contains("Jane"))
    #expect(lines[6] == "3 updates since you last looked.")
    let alone = FriendsCommand.text(["self": board, "friends": [], "updates": 0]).split(separator: "\n")
    #expect(alone.count == 3 && alone[2].hasPrefix("No friends seen yet."))
  }
}
