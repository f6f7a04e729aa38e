import Model

/// `publish`, `card`, `mode` and `tag`: the words after the command.
extension ControlRequest {
  /// UTF-8 bytes: every location carries the tag, and published messages wait in the store.
  private static let longest = (tag: 200, poi: 1024, name: 256)

  static func publish(_ words: ArraySlice<String>) throws(ControlError) -> ControlRequest {
    let usage = "publish [--poi TEXT [--image DATA --imagename NAME]]"
    let line = try RequestWords(words, valued: ["--poi", "--image", "--imagename"], usage: usage)
    _ = try line.operands(0)
    let poi = line.value("--poi").flatMap { $0.isEmpty ? nil : $0 }
    try check(poi ?? "", "--poi", longest.poi)
    try check(line.value("--imagename") ?? "", "--imagename", longest.name)
    guard let data = line.value("--image") else { return .publish(poi: poi) }
    guard poi != nil else { throw ControlError("an image goes with a remark; expected: \(usage)") }
    try checkPicture(data, "--image")
    return .publish(poi: poi, image: AttachedImage(data: data, name: line.value("--imagename") ?? "image"))
  }

  static func sos(_ words: ArraySlice<String>) throws(ControlError) -> ControlRequest {
    let line = try RequestWords(words, flags: ["--acknowledge"], usage: "sos [--acknowledge]")
    _ = try line.operands(0)
    return .sos(isAcknowledged: line.has("--acknowledge"))
  }

  static func card(_ words: ArraySlice<String>) throws(ControlError) -> ControlRequest {
    let usage = "card --name NAME [--face PICTURE|--no-face]"
    let line = try RequestWords(words, valued: ["--name", "--face"], flags: ["--no-face"], usage: usage)
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

  static func mode(_ words: ArraySlice<String>) throws(ControlError) -> ControlRequest {
    let usage = "mode quiet|manual|significant|move (or -1, 0, 1, 2)"
    let word = try RequestWords(words, usage: usage).operands(1)[0]
    guard let mode = MonitoringMode(text: word) else {
      throw ControlError("unknown mode \"\(word)\"; expected: \(usage)")
    }
    return .mode(mode)
  }

  static func tag(_ words: ArraySlice<String>) throws(ControlError) -> ControlRequest {
    let usage = "tag TEXT (in quotes if it has blanks), or tag --clear"
    let line = try RequestWords(words, flags: ["--clear"], usage: usage)
    let text = try line.operands(line.has("--clear") ? 0 : 1).first ?? ""
    try check(text, "the tag", longest.tag)
    return .tag(text.isEmpty ? nil : text)
  }

  private static func check(_ text: String, _ what: String, _ limit: Int) throws(ControlError) {
    let count = text.utf8.count
    guard count <= limit else { throw ControlError("\(what) has \(count) bytes; at most \(limit) are taken") }
  }
}
