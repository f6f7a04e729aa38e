import Glibc
import Loop
import Model
import OwnTracks
import TestSupport
import Testing
import Timebase

@testable import Storage

// behaviour: Friends
/// Names and faces that the owner has written down for others.
struct LocalFriendsTests {
  private let directory = StoreDirectory()
  private let loop: EventLoop
  private let worker: Worker

  init() throws {
    loop = try EventLoop()
    worker = try Worker(loop: loop, name: "disk")
    mkdir(directory.path + "/owntracks", 0o755)
    mkdir(directory.path + "/owntracks/jane", 0o755)
  }

  private func write(_ name: String, _ text: String) {
    #expect(DeadLetters.replace(directory.path + "/" + name, with: Array(text.utf8)) == nil)
  }

  /// Read, with what was said of bad files.
  private func read(_ warned: @escaping (String) -> Void = { _ in }) -> LocalFriends {
    let local = LocalFriends(worker: worker, directory: directory.path) { event in
      if case .warning(let text) = event { warned(text) }
    }
    local.read()
    settle()
    return local
  }

  private func settle() {
    let deadline = SystemClock.read().instant + .seconds(generous)
    while worker.pending > 0, SystemClock.read().instant < deadline {
      loop.runOnce(within: .milliseconds(20))
    }
    loop.runOnce(within: .milliseconds(20))
  }

  private static func friend(_ card: FriendCard = FriendCard(), _ topic: String = "owntracks/jane/phone")
    -> Friend
  {
    var friend = Friend(topic: topic)
    friend.card = card
    return friend
  }

  @Test func theOwnersNameAndFaceWinOverTheCard() {
    write("owntracks/jane/phone.json", #"{"name":"Aunt Jane","face":"QUJD","note":1}"#)
    let local = read()
    let card = FriendCard(name: "jane", face: "WFla")
    #expect(local.named(Self.friend(card)).card == FriendCard(name: "Aunt Jane", face: ""))
    var shown: Friend?
    local.shown(Self.friend(card)) { shown = $0 }
    settle()
    #expect(shown?.card == FriendCard(name: "Aunt Jane", face: "QUJD"))
    let stranger = Self.friend(card, "owntracks/jane/tablet")
    #expect(local.named(stranger) == stranger)
  }

  @Test func fieldsMissingFromFileComeFromTheCard() {
    write("owntracks/jane/phone.json", #"{"name":"Aunt Jane"}"#)
    let local = read()
    var shown: Friend?
    local.shown(Self.friend(FriendCard(name: "jane", face: "WFla"))) { shown = $0 }
    #expect(shown?.card == FriendCard(name: "Aunt Jane", face: "WFla"))
  }

  @Test func rereadDropsRemovedFilesAndFindsNewOnes() {
    write("owntracks/jane/phone.json", #"{"name":"Aunt Jane"}"#)
    let local = read()
    unlink(directory.path + "/owntracks/jane/phone.json")
    write("a.json", #"{"name":"A"}"#)
    local.read()
    settle()
    #expect(local.named(Self.friend()).card.name == nil)
    #expect(local.named(Self.friend(FriendCard(), "a")).card.name == "A")
  }

  @Test func aBadFileIsOneLineThatNamesItAndCostsNoOther() {
    write("owntracks/jane/phone.json", #"{"name":12}"#)
    write("owntracks/jane/tablet.json", #"{"name":"T"}"#)
    write("owntracks/face.json", #"{"face":"not base64"}"#)
    write("owntracks/large.json", String(repeating: " ", count: FriendFile.limit + 1))
    write("owntracks/text.json", "Jane")
    write("owntracks/notes.txt", "not read")
    mkfifo(directory.path + "/pipe.json", 0o644)
    var lines: [String] = []
    let local = read { lines.append($0) }
    let folder = directory.path
    #expect(lines.count == 5)
    #expect(lines.contains("\(folder)/owntracks/jane/phone.json: name is 12, expected a text"))
    #expect(lines.contains("\(folder)/pipe.json: it is no file"))
    #expect(lines.contains { $0.hasPrefix("\(folder)/owntracks/face.json: face is no base64") })
    #expect(
      lines.contains { $0.contains("/owntracks/large.json: 6") && $0.hasSuffix("expected 65536 at most") })
    #expect(lines.contains { $0.hasPrefix("\(folder)/owntracks/text.json: no JSON") })
    #expect(local.named(Self.friend(FriendCard(), "owntracks/jane/tablet")).card.name == "T")
  }

  @Test func noMoreThanTwoHundredFilesAreRead() {
    for number in 100..<310 { write("\(number).json", #"{"name":"N"}"#) }
    var lines: [String] = []
    let local = read { lines.append($0) }
    #expect(lines.count == 1 && lines[0].hasSuffix("files, of which 200 are read"))
    #expect(local.named(Self.friend(FriendCard(), "299")).card.name == "N")
    #expect(local.named(Self.friend(FriendCard(), "300")).card.name == nil)
  }

  @Test func aFolderThatIsNotThereIsNoTrouble() {
    var lines: [String] = []
    let local = LocalFriends(worker: worker, directory: directory.path + "/none") { lines.append("\($0)") }
    local.read()
    settle()
    #expect(lines.isEmpty && local.named(Self.friend()) == Self.friend())
  }
}
