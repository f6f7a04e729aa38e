import Model
import Testing
import Timebase

@testable import OwnTracks

/// Each field of a command with what it may hold, and what its sender hears of the rest.
struct CommandFieldTests {
  private let configuration = configured { $0.broker.host = "broker" }

  private func read(
    _ text: String, on suffix: String = "cmd", isRetained: Bool = false, isEncrypted: Bool = false,
    mayAsk: (String?) -> Bool = { _ in true }
  ) -> Incoming {
    Incoming.read(
      topic: "owntracks/u/d/\(suffix)", payload: bytes(text), isRetained: isRetained,
      isEncrypted: isEncrypted, topics: Topics(configuration, hostName: ""), configuration: configuration,
      mayAsk: mayAsk)
  }

  private func command(_ keys: String, isRetained: Bool = false, isEncrypted: Bool = false)
    -> ReceivedCommand?
  {
    guard
      case .command(let command, _) = read(
        #"{"_type":"cmd",\#(keys)}"#, isRetained: isRetained, isEncrypted: isEncrypted)
    else { return nil }
    return command
  }

  private func refusal(_ keys: String) -> String? {
    guard case .malformedCommand(_, _, let reason, _) = read(#"{"_type":"cmd",\#(keys)}"#) else { return nil }
    return reason
  }

  private func asked(_ keys: String) -> (change: SettingsChange, problems: [String], told: [String])? {
    let text =
      #"{"_type":"cmd","action":"setConfiguration","configuration":{"_type":"configuration",\#(keys)}}"#
    guard case .command(let received, let problems) = read(text),
      case .setConfiguration(let change) = received.command
    else { return nil }
    return (change, problems, received.problems)
  }

  // MARK: What every command has

  @Test func aCommandKnowsHowItCame() {
    let plain = command(#""action":"dump""#)
    #expect(plain?.isRetained == false && plain?.isEncrypted == false && plain?.isLegacy == false)
    #expect(plain?.id == nil && plain?.sent == nil && plain?.problems == [])
    #expect(command(#""action":"dump""#, isRetained: true)?.isRetained == true)
    #expect(command(#""action":"dump""#, isEncrypted: true)?.isEncrypted == true)
  }

  @Test func aCommandHasANumberOrATextByWhichItIsAnswered() {
    func id(_ value: String) -> CommandID? { command(#""action":"dump","id":\#(value)"#)?.id }
    let longest = String(repeating: "x", count: 128)
    #expect(id("-7") == .number(-7) && id("\"\"") == .text("") && id("null") == nil)
    #expect(id("\"\(longest)\"") == .text(longest))
    for value in ["\"\(longest)y\"", "1.5", "true", "[]"] {
      #expect(
        refusal(#""action":"dump","id":\#(value)"#)
          == "id is neither a whole number nor a text of at most 128 bytes")
    }
  }

  @Test func itsTimeIsANumberOrAText() {
    func sent(_ value: String) -> Double? { command(#""action":"dump","tst":\#(value)"#)?.sent?.seconds }
    #expect(sent("1700000000.5") == start + 0.5 && sent(#""1700000000""#) == start && sent("null") == nil)
    #expect(sent("99999999999") == 99_999_999_999)
    for value in ["100000000000", "-100000000000", "true", #""soon""#] {
      #expect(refusal(#""action":"dump","tst":\#(value)"#) == "tst is not a time in Unix seconds")
    }
  }

  @Test func stepsAreOfTimesThatAreNumbers() {
    #expect(
      command(#""action":"reportSteps","from":1000.5,"to":null"#)?.command
        == .reportSteps(from: 1000.5, to: nil))
    #expect(command(#""action":"reportSteps","to":-5"#)?.command == .reportSteps(from: nil, to: -5))
    #expect(refusal(#""action":"reportSteps","from":"1000""#) == "from is not a time in Unix seconds")
  }

  @Test func aRefusalNamesTheActionToItsSender() {
    let longest = String(repeating: "x", count: 40)
    for (action, told) in [("fly", "fly"), (longest, longest), (longest + "y", nil)] {
      guard
        case .malformedCommand(let named, .number(7), let reason, let line) = read(
          #"{"_type":"cmd","id":7,"action":"\#(action)"}"#)
      else {
        Issue.record("not refused")
        return
      }
      #expect(named == told && reason == "unknown action \"\(action)\"")
      #expect(line == "owntracks/u/d/cmd: " + reason)
    }
    #expect(
      refusal(#""action":"response""#)
        == #"the action "response" means nothing to a tracker without a screen"#)
  }

  /// Who sends on and on what is not allowed costs little; who has sent one hears of it.
  @Test func aRefusedOneIsReadUpTo16Kilobytes() {
    func barred(_ count: Int) -> (action: String?, id: CommandID?)? {
      let frame = #"{"_type":"cmd","action":"dump","id":7,"x":""}"#
      let text = frame.dropLast(2) + String(repeating: "A", count: count - frame.utf8.count) + "\"}"
      guard case .barred(let action, let id) = read(String(text), mayAsk: { _ in false }) else { return nil }
      return (action, id)
    }
    #expect(barred(16_384)?.action == "dump" && barred(16_384)?.id == .number(7))
    let longer = barred(16_385)
    #expect(longer != nil && longer?.action == nil && longer?.id == nil)
  }

  @Test func aCommandHas256KilobytesAtMost() {
    func text(_ count: Int) -> String {
      let frame = #"{"_type":"cmd","action":"dump","x":""}"#
      return String(frame.dropLast(2)) + String(repeating: "A", count: count - frame.utf8.count) + "\"}"
    }
    guard case .command = read(text(262_144)), case .malformedCommand = read(text(262_145)) else {
      Issue.record("another limit")
      return
    }
  }

  @Test func aCommandHas20000ValuesAtMost() {
    func text(_ count: Int) -> String {
      // The object, its two keys, the array and its elements.
      let list = [String](repeating: "0", count: count).joined(separator: ",")
      return #"{"_type":"cmd","action":"dump","x":[\#(list)]}"#
    }
    guard case .command = read(text(19_996)), case .malformedCommand = read(text(19_997)) else {
      Issue.record("another limit")
      return
    }
  }

  @Test func barePublishIsALegacyLocationRequest() {
    for text in ["publish", "\t\r\n publish \n\r\t"] {
      guard
        case .command(let command, let problems) = read(
          text, on: "listento", isRetained: true, isEncrypted: true)
      else {
        Issue.record("not heard: \(text)")
        return
      }
      #expect(command.command == .reportLocation && command.isLegacy && problems.isEmpty)
      #expect(command.isRetained && command.isEncrypted)
    }
    for text in ["", " ", "\u{b}publish", "publish!", "\u{e}publish", "publish\n\u{21}"] {
      guard case .nothing = read(text, on: "listento") else {
        Issue.record("heard: \(text)")
        return
      }
    }
  }

  // MARK: setConfiguration

  @Test func settingsHaveAFormAndAModeThatThereIs() {
    let start = #""action":"setConfiguration","configuration":"#
    let words = #"configuration: expected an object of _type "configuration""#
    #expect(refusal(start + "[]") == words && refusal(start + #"{"_type":"x"}"#) == words)
    #expect(refusal(start + #"{"_type":"configuration","mode":1}"#) == "mode is 1, expected 0 or 3")
    #expect(refusal(start + #"{"_type":"configuration","mode":"3"}"#) == #"mode is "3", expected 0 or 3"#)
    #expect(asked(#""mode":0"#)?.change.settings == [.init("mode", .number(0))])
    #expect(asked(#""mode":null"#)?.problems == [])
    #expect(asked(#""mode":3,"url":"https://h/""#)?.change.settings.count == 2)
  }

  @Test func aKeyThatThereIsNotIsForItsSenderAlone() throws {
    let found = try #require(asked(#""pnig":5,"ping":20,"downgrade":300"#))
    #expect(found.change.settings == [.init("ping", .number(20))])
    #expect(found.problems.count == 1 && found.told.count == 2)
    #expect(found.problems.first?.hasPrefix("owntracks/u/d/cmd: setConfiguration: downgrade is 300") == true)
    #expect(found.told.first?.hasPrefix("setConfiguration: downgrade is 300") == true)
    #expect(found.told.last == #"there is no setting "pnig""#)
  }

  @Test func theLastOfTwoSettingsOfOneKeyCounts() throws {
    let json = try JSON.parse(
      #"{"_type":"configuration","pubExtendedData":true,"ping":7,"extendedData":false}"#)
    let found = try SettingsMessage.decode(json, over: configuration)
    #expect(found.change.settings == [.init("ping", .number(7)), .init("extendedData", .flag(false))])
  }

  @Test func incompleteConnectionAndEmptyUsernameAreRefused() throws {
    let address = "expected the address to post to (mode 3), such as https://host/path"
    #expect(
      try #require(asked(#""mode":3,"port":1,"ping":20"#)).told == [
        "setConfiguration: url is empty, \(address); no setting of the connection is changed"
      ])
    let nameless = try #require(asked(#""username":"","deviceId":"e""#))
    #expect(nameless.change.settings == [.init("deviceId", .text("e"))])
    #expect(
      nameless.told == ["username is empty, expected a name: without one nothing would be published any more"]
    )
  }

  @Test func emptyHostAndUsernameMayStayEmpty() throws {
    let json = try JSON.parse(#"{"_type":"configuration","port":1,"username":""}"#)
    let found = try SettingsMessage.decode(json, over: Configuration())
    #expect(found.change.settings.map(\.name) == ["port", "username"] && found.problems.isEmpty)
  }

  @Test func lockedBoardTakesSettingsThatKeepItLocked() throws {
    var locked = configuration
    locked.commands.locked = true
    let json = try JSON.parse(#"{"_type":"configuration","ping":7,"locked":true}"#)
    let found = try SettingsMessage.decode(json, over: locked)
    #expect(found.change.settings.map(\.name) == ["ping", "locked"] && found.problems.isEmpty)
  }

  // MARK: Regions of commands

  @Test func regionsComeInAnObjectOfTheirOwn() {
    let start = #""action":"setWaypoints","waypoints":"#
    let words = #"waypoints: expected an object of _type "waypoints" with an array "waypoints""#
    for value in [
      "[]", #"{"waypoints":[]}"#, #"{"_type":"x","waypoints":[]}"#, #"{"_type":"waypoints","waypoints":5}"#,
    ] {
      #expect(refusal(start + value) == words)
    }
    #expect(command(start + #"{"_type":"waypoints","waypoints":[]}"#)?.command == .setWaypoints([]))
  }

  @Test func settingsMayHoldRegionsAndReportFiveProblems() throws {
    let good = #"{"_type":"waypoint","desc":"a","tst":1}"#
    let found = try #require(asked(#""waypoints":[\#(good),0,1,2,3,4,5,6]"#))
    #expect(found.change.waypoints.map(\.name) == ["a"])
    #expect(found.told.count == 5)
    #expect(found.told.first == #"waypoints[1]: expected an object of _type "waypoint""#)
    #expect(
      found.told.last == #"waypoints[5]: expected an object of _type "waypoint" (and 2 more problems)"#)
    #expect(asked(#""waypoints":null"#)?.told == [])
    #expect(asked(#""waypoints":5"#)?.told == ["waypoints: expected an array of waypoint objects"])
    #expect(asked(#""waypoints":[]"#)?.change.waypoints == [])
  }

  @Test func fiveProblemsAreFiveLinesAndTheSixthIsCounted() {
    var problems = Problems()
    #expect(problems.isEmpty && problems.lines == [])
    for number in 1...5 { problems.append("\(number)") }
    #expect(problems.lines == ["1", "2", "3", "4", "5"] && !problems.isEmpty)
    problems.append("6")
    #expect(problems.lines.last == "5 (and 1 more problems)")
    var all = Problems()
    all.append("0")
    all.append(problems)
    all.append(problems)
    #expect(all.lines == ["0", "1", "2", "3", "4 (and 8 more problems)"])
    var more = Problems()
    more.append(all)
    #expect(more.lines == all.lines)
  }
}
