/// Names of outside things that only their own rooms know, so that a second one is a room more and one line where it is
/// made.
enum Confined {
  struct Name {
    /// In lower case.
    let word: String
    /// Files, and folders with a slash at the end, that may have it in code and in text.
    let rooms: [String]
  }

  static let names = [
    Name(
      word: "gpsd",
      rooms: [
        "Sources/Receiver/",
        // Recordings are made by gpsd and played through it.
        "Sources/Replay/", "Sources/homeward/Replay/",
        // Made in this place, and looked for by the doctor in those.
        "Sources/homewardd/Subsystems/Subsystems.swift", "Sources/homeward/Doctor/Examination.swift",
        "Sources/homeward/Doctor/GPSDFindings.swift", "Sources/homeward/Doctor/GPSDProbe.swift",
        // The keys of its settings.
        "Sources/Model/Settings/ConfigurationKeys.swift",
        "Sources/OwnTracks/Configuration/SettingNotes.swift",
        "Sources/OwnTracks/Configuration/ConfigurationChecks.swift",
        // Words that others read: a key of `status` messages, a kind of `homeward health`.
        "Sources/OwnTracks/Outgoing/AnswerMessages.swift", "Sources/homeward/Health/Health.swift",
        "Sources/homeward/Health/HealthCommand.swift",
      ]),
    Name(
      word: "httpposter",
      rooms: ["Sources/Uplink/HTTP/", "Sources/homewardd/Messages/ServerConnection.swift"]),
  ]

  /// Lines outside the rooms; comments may name anything.
  static func strays(_ name: Name, in file: SourceFile) -> [String] {
    let isCode = file.isSwift || file.path.hasSuffix(".js")
    guard file.isInSources, isCode, !name.rooms.contains(where: file.path.hasPrefix) else { return [] }
    return file.lines.enumerated().compactMap { number, line in
      let text = line.drop { $0 == " " }
      guard !text.hasPrefix("//"), text.lowercased().contains(name.word) else { return nil }
      return "\(file.path):\(number + 1): knows \(name.word)"
    }
  }

  /// Sources of positions whose target is the room of no name.
  static func unnamed(_ files: [SourceFile]) -> [String] {
    files.filter { file in
      file.isInSources && file.code.contains { $0.contains(": PositionSource {") && $0.contains("class ") }
        && !names.contains { $0.rooms.contains("Sources/\(file.target ?? "")/") }
    }.map { "\($0.path): a source of positions, and Confined has no name that only \($0.target ?? "") knows" }
  }

  /// Rooms where the word does not occur any more.
  static func idle(_ name: Name, _ files: [SourceFile]) -> [String] {
    name.rooms.filter { room in
      !files.contains { file in
        file.path.hasPrefix(room) && file.lines.contains { $0.lowercased().contains(name.word) }
      }
    }
  }
}
