import Model
import Testing

@testable import OwnTracks

/// What others can make the tracker read, hold and tell.
struct IncomingLimitsTests {
  private func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
    var configuration = Configuration()
    configuration.identity.username = "u"
    configuration.identity.deviceId = "d"
    configuration.broker.host = "broker"
    change(&configuration)
    return configuration
  }

  private func read(
    _ text: String, on topic: String = "owntracks/u/d/cmd", _ configuration: Configuration,
    mayAsk: (String?) -> Bool = { _ in true }
  ) -> Incoming {
    Incoming.read(
      topic: topic, payload: Array(text.utf8), isRetained: false,
      topics: Topics(configuration, hostName: ""), configuration: configuration, mayAsk: mayAsk)
  }

  private static func waypoints(_ count: Int) -> String {
    let list = [String](repeating: "0", count: count).joined(separator: ",")
    return #"{"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":["# + list
      + "]}}"
  }

  // behaviour: Who is obeyed
  @Test func permissionIsAskedBeforeAnythingIsDecoded() {
    var asked: [String?] = []
    // No JSON at all, and still only a refused command.
    let incoming = read("{" + String(repeating: "x", count: 5000), configuration()) {
      asked.append($0)
      return false
    }
    guard case .barred(nil, nil) = incoming else {
      Issue.record("\(incoming)")
      return
    }
    #expect(asked == [nil])
  }

  @Test func thenTheActionIsAsked() {
    var asked: [String?] = []
    let incoming = read(Self.waypoints(10), configuration()) {
      asked.append($0)
      return $0 == nil
    }
    guard case .barred("setWaypoints", nil) = incoming else {
      Issue.record("\(incoming)")
      return
    }
    #expect(asked == [nil, "setWaypoints"])
  }

  @Test func aShortOneIsNamedWhenItIsRefused() {
    guard
      case .barred("dump", nil) = read(
        #"{"_type":"cmd","action":"dump"}"#, configuration(), mayAsk: { _ in false })
    else {
      Issue.record("not named")
      return
    }
  }

  // behaviour: What commands do
  @Test func fiveProblemsOfAMessageAreReported() {
    guard case .command(_, let problems) = read(Self.waypoints(10_000), configuration()) else {
      Issue.record("no command")
      return
    }
    #expect(problems.count == 5)
    #expect(problems[0].contains("waypoints[0]"))
    #expect(problems[4].hasSuffix("(and 9995 more problems)"))
  }

  // behaviour: What commands do
  @Test func tooManyValuesAreNotRead() {
    guard case .malformedCommand(_, _, let text, _) = read(Self.waypoints(30_000), configuration()) else {
      Issue.record("read")
      return
    }
    #expect(text.contains("values are too many, at most 20000 are read"))
  }

  @Test func aThousandRegionsWithAllTheirKeysAreRead() {
    let one =
      #"{"_type":"waypoint","desc":"Region","lat":48.1,"lon":11.5,"rad":100,"tst":1700000000,"#
      + #""uuid":"CA271EAE-5FA8-4E80-8F08-2A302A95A959","major":1,"minor":2,"share":true,"speedLimit":50}"#
    let list = (0..<1000).map { one.dropLast() + #","rid":"abc\#($0)"}"# }.joined(separator: ",")
    let text =
      #"{"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":["# + list + "]}}"
    guard case .command(let command, let problems) = read(text, configuration()),
      case .setWaypoints(let entries) = command.command
    else {
      Issue.record("not read")
      return
    }
    #expect(entries.count == 1000 && problems.isEmpty)
  }

  // MARK: Friends

  private static let place = #"{"_type":"location","lat":1,"lon":2,"tst":1700000000,"tid":"JP"}"#

  // behaviour: Friends
  @Test func strangersAreNotEvenRead() {
    guard case .nothing = read("rubbish", on: "owntracks/j/p", configuration()) else {
      Issue.record("read")
      return
    }
  }

  @Test func friendsAreReadWhereTheyAreWanted() {
    guard
      case .friend("owntracks/j/p", .location) = read(
        Self.place, on: "owntracks/j/p", configuration { $0.friends.isOn = true })
    else {
      Issue.record("not read")
      return
    }
  }

  @Test func textsOfFriendsHaveBytesAndNotCharacters() {
    let letter = "e" + String(repeating: "\u{301}", count: 20_000)
    let text = #"{"_type":"location","lat":1,"lon":2,"tst":1700000000,"tid":""# + letter + #""}"#
    guard
      case .friend(_, .location(let location)) = read(
        text, on: "owntracks/j/p", configuration { $0.friends.isOn = true })
    else {
      Issue.record("not read")
      return
    }
    #expect(location.tid?.utf8.count == 31 && location.tid?.unicodeScalars.first == "e")
  }

  // behaviour: Friends
  @Test(arguments: [40_000, 200_000], [#""face":""#, #""name":"face","face" : ""#])
  func aFaceThatIsTooLargeCostsOnlyTheFace(_ size: Int, _ key: String) {
    let face = String(repeating: #"A\/"#, count: size / 2)
    let text = #"{"_type":"card","# + key + face + #"","name":"Jane"}"#
    guard
      case .friend(_, .card(let card)) = read(
        text, on: "owntracks/j/p/info", configuration { $0.friends.isOn = true })
    else {
      Issue.record("not read")
      return
    }
    #expect(card == FriendCard(name: "Jane", face: nil))
  }

  // behaviour: Friends
  @Test func numbersAsTextsAreNumbers() {
    let text =
      ##"{"_type":"location","tst":"1700000000","lat":"48.5","lon":"-11.25","acc":"7","vel":"33","batt":80}"##
    guard
      case .friend("owntracks/j/p", .location(let location)) = read(
        text, on: "owntracks/j/p", configuration { $0.friends.isOn = true })
    else {
      Issue.record("not read")
      return
    }
    #expect(location.coordinate.latitude == 48.5 && location.coordinate.longitude == -11.25)
    #expect(location.time.seconds == 1_700_000_000 && location.accuracy == 7 && location.speed == 33)
  }

  // behaviour: Friends
  @Test(arguments: [#""lat":"north""#, #""lat":"""#, #""lat":1,"vel":"fast""#, #""lat":1,"acc":"0x10""#])
  func textsThatAreNoNumbersAreNone(_ key: String) {
    let text = #"{"_type":"location","tst":1,"lon":2,"# + key + "}"
    guard
      case .malformed = read(text, on: "owntracks/j/p", configuration { $0.friends.isOn = true })
    else {
      Issue.record("read")
      return
    }
  }

  // behaviour: HTTP
  /// Ours is no friend, and a friend's topic over HTTP is its own, however deep ours is.
  @Test func overHTTPAFriendIsItsTopic() {
    let http = configuration {
      $0.friends.isOn = true
      $0.transport = .http
    }
    let text = #"{"_type":"location","tst":1700000000,"lat":1,"lon":2}"#
    guard case .friend("a/b/c/d", _) = read(text, on: "a/b/c/d", http) else {
      Issue.record("not read")
      return
    }
    guard case .nothing = read(text, on: "owntracks/u/d", http) else {
      Issue.record("our own place is taken for a friend's")
      return
    }
  }

  @Test func oversizedCardIsNotRead() {
    let text = #"{"_type":"card","name":""# + String(repeating: "A", count: 50_000) + #""}"#
    guard
      case .malformed(let line) = read(
        text, on: "owntracks/j/p/info", configuration { $0.friends.isOn = true })
    else {
      Issue.record("read")
      return
    }
    #expect(line.contains("at most 49152 are read"))
  }
}
