import ArgumentParser
import OwnTracks

struct FriendsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "friends", abstract: "List the trackers of others that the broker has told of.",
    discussion: """
      Those that were silent for longer than ignoreStaleLocations are left out.

      Example: homeward friends --all
      """)

  @Flag(help: "Also those that were silent for too long.") var all = false
  @OptionGroup var options: CommonOptions

  func run() throws {
    let friends = try Pages(socket: options.socket).all(["friends"] + (all ? ["--all"] : []), "friends")
    printAnswer(["ok": true, "friends": .array(friends)], options, Self.text)
  }

  private static func text(_ answer: JSON) -> String {
    let friends = answer["friends"]?.elements ?? []
    guard !friends.isEmpty else {
      return
        "Nobody has been heard of. Others are listened to only with \"friends\": true in the configuration."
    }
    var table = Table()
    table.add("tid", "name", "topic", "seen", "latitude", "longitude")
    for friend in friends {
      table.add(
        Readable.value(friend["tid"]), Readable.value(friend["name"]), Readable.value(friend["topic"]),
        friend["tst"]?.double.map(Readable.time) ?? "never", Readable.value(friend["lat"]),
        Readable.value(friend["lon"]))
    }
    return table.text
  }
}

struct FriendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "friend", abstract: "Show or forget one of the others.",
    discussion: "Example: homeward friend show owntracks/jane/phone", subcommands: [Show.self, Forget.self])

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show where a friend was, the newest place at the bottom.",
      discussion: "Example: homeward friend show owntracks/jane/phone")

    @Argument(help: "The friend's topic.") var topic: String
    @OptionGroup var options: CommonOptions

    func run() throws {
      let answer = try DaemonConnection(path: options.socket).ask(["friend", "show", topic])
      printAnswer(answer, options, Self.text)
    }

    private static func text(_ answer: JSON) -> String {
      var table = Table()
      for place in answer["places"]?.elements ?? [] { table.add(PointText.row(place)) }
      let name = answer["friend"]?["name"]?.text.map { "\($0.plainLine)\n" } ?? ""
      return name + (table.text.isEmpty ? "No place is known." : table.text)
    }
  }

  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget", abstract: "Forget a friend, here and at the broker.",
      discussion: """
        The broker drops what it keeps of the friend, if we may write there. A friend who goes
        on publishing comes back.

        Example: homeward friend forget owntracks/jane/phone
        """)

    @Argument(help: "The friend's topic.") var topic: String
    @Flag(help: "Forget only here.") var noPublish = false
    @OptionGroup var options: CommonOptions

    func run() throws {
      try perform(["friend", "forget", topic] + (noPublish ? ["--no-publish"] : []), options)
    }
  }
}

/// Answers that come in pages.
struct Pages {
  var socket: String

  /// All elements of `list`, page after page.
  func all(_ words: [String], _ list: String) throws -> [JSON] {
    var elements: [JSON] = []
    try each(words, list) { elements += $0 }
    return elements
  }

  /// Hands over each page as it comes: a long history need not fit into memory.
  func each(_ words: [String], _ list: String, _ take: ([JSON]) throws -> Void) throws {
    var after: [String] = []
    while true {
      let answer = try DaemonConnection(path: socket).ask(words + after)
      try take(answer[list]?.elements ?? [])
      guard let next = answer["next"] else { return }
      after = ["--after", next.text ?? Readable.value(next)]
    }
  }
}
