import Model

/// The words of a `homeward` command line that go to the daemon.
public enum ControlLine {
  static let commands =
    "publish, card, mode, tag, status, queue, why, region, beacons, history, friends, friend, settings, withdraw, "
    + "reload, connect, disconnect, reconnect, wipe"

  /// UTF-8 bytes: every location carries the tag, and what is published waits in the store.
  private static let longest = (tag: 200, poi: 1024, name: 256)

  /// What comes over the control socket: a JSON array of the words.
  public static func words(_ line: [UInt8]) throws(ControlError) -> [String] {
    guard let json = try? JSON.parse(line), let words = json.elements?.compactMap(\.text),
      words.count == json.elements?.count
    else { throw ControlError("the request is no JSON array of strings") }
    return words
  }

  /// `--json` may stand anywhere: how the answer is printed is the asker's affair.
  /// `numberBase`: how all-digit beacon numbers in names are read (`beaconNumberBase`).
  public static func parse(
    _ words: [String], numberBase: BeaconNumberBase = .auto
  ) throws(ControlError) -> ControlRequest {
    let words = words.filter { $0 != "--json" }
    guard let command = words.first else { throw ControlError("no command; expected one of \(commands)") }
    let rest = words.dropFirst()
    switch command {
    case "publish":
      return try publish(rest)
    case "card": return try card(rest)
    case "mode": return try mode(rest)
    case "tag": return try tag(rest)
    case "status": return try plain(.status, rest, "status")
    case "why":
      // Which of them is for who keeps them: a tracker by itself has a hundred.
      _ = try WhyLine.parse(words)
      return .why
    case "withdraw": return try plain(.withdraw, rest, "withdraw")
    case "reload": return try plain(.reload, rest, "reload")
    case "queue":
      if rest.first == "clear" { return try plain(.queueClear, rest.dropFirst(), "queue clear") }
      if rest.first == "resend" { return try plain(.queueResend, rest.dropFirst(), "queue resend") }
      return try plain(.queue, rest, "queue [clear|resend]")
    case "settings":
      // The others need to know what is in force: see `SettingsLine`.
      guard rest.first == "clear" else { throw ControlError("settings: expected: settings clear") }
      return try plain(.settingsClear, rest.dropFirst(), "settings clear")
    case "history": return try HistoryLine.parse(rest)
    case "region": return try RegionLine.parse(rest, numberBase)
    default: throw ControlError("unknown command \"\(command)\"; expected one of \(commands)")
    }
  }

  private static func publish(_ words: ArraySlice<String>) throws(ControlError) -> ControlRequest {
    let usage = "publish [--poi TEXT [--image DATA --imagename NAME]]"
    let line = try ControlWords(words, valued: ["--poi", "--image", "--imagename"], usage: usage)
    _ = try line.operands(0)
    let poi = line.value("--poi").flatMap { $0.isEmpty ? nil : $0 }
    try check(poi ?? "", "--poi", longest.poi)
    try check(line.value("--imagename") ?? "", "--imagename", longest.name)
    guard let data = line.value("--image") else { return .publish(poi: poi) }
    guard poi != nil else { throw ControlError("an image goes with a remark; expected: \(usage)") }
    try checkPicture(data, "--image")
    return .publish(poi: poi, image: AttachedImage(data: data, name: line.value("--imagename") ?? "image"))
  }

  private static func card(_ words: ArraySlice<String>) throws(ControlError) -> ControlRequest {
    let usage = "card --name NAME [--face PICTURE|--no-face]"
    let line = try ControlWords(words, valued: ["--name", "--face"], flags: ["--no-face"], usage: usage)
    _ = try line.operands(0)
    guard let name = line.value("--name"), !name.isEmpty else {
      throw ControlError("no name; expected: \(usage)")
    }
    try check(name, "--name", longest.name)
    let face = line.value("--face")
    if let face { try checkPicture(face, "--face") }
    if line.has("--no-face"), face != nil { throw ControlError("--face or --no-face; expected: \(usage)") }
    return .card(FriendCard(name: name, face: face), keepsFace: !line.has("--no-face"))
  }

  private static func checkPicture(_ data: String, _ option: String) throws(ControlError) {
    guard !data.isEmpty, data.utf8.allSatisfy({ Base64.isDigit($0) }) else {
      throw ControlError("\(option) is no base64")
    }
    let limit = AttachedImage.limit
    guard data.utf8.count <= (limit + 2) / 3 * 4 else {
      throw ControlError("\(option) is larger than \(limit) bytes")
    }
  }

  private static func mode(_ words: ArraySlice<String>) throws(ControlError) -> ControlRequest {
    let usage = "mode quiet|manual|significant|move (or -1, 0, 1, 2)"
    let word = try ControlWords(words, usage: usage).operands(1)[0]
    guard let mode = MonitoringMode(text: word) else {
      throw ControlError("unknown mode \"\(word)\"; expected: \(usage)")
    }
    return .mode(mode)
  }

  private static func tag(_ words: ArraySlice<String>) throws(ControlError) -> ControlRequest {
    let usage = "tag TEXT (in quotes if it has blanks), or tag --clear"
    let line = try ControlWords(words, flags: ["--clear"], usage: usage)
    let text = try line.operands(line.has("--clear") ? 0 : 1).first ?? ""
    try check(text, "the tag", longest.tag)
    return .tag(text.isEmpty ? nil : text)
  }

  private static func check(_ text: String, _ what: String, _ limit: Int) throws(ControlError) {
    let count = text.utf8.count
    guard count <= limit else { throw ControlError("\(what) has \(count) bytes; at most \(limit) are taken") }
  }

  static func plain(_ request: ControlRequest, _ words: ArraySlice<String>, _ usage: String)
    throws(ControlError)
    -> ControlRequest
  {
    _ = try ControlWords(words, usage: usage).operands(0)
    return request
  }
}
