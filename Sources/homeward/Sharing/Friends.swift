import ArgumentParser
import OwnTracks

struct FriendsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "friends",
    abstract: "List this board and the trackers of others that the broker has told of.",
    discussion: """
      Names and faces that you give in friends.d beside the configuration win over theirs.
      Those that were silent for longer than ignoreStaleLocations are left out.

      Example: homeward friends --all
      """)

  @Flag(help: "Also those that were silent for too long.") var all = false
  @OptionGroup var options: CommonOptions

  func run() throws {
    var friends: [JSON] = []
    var first: JSON?
    let words = ["friends", "--look"] + (all ? ["--all"] : [])
    try Pages(socket: options.socket).answers(words) { answer in
      first = first ?? answer
      friends += answer["friends"]?.elements ?? []
    }
    var answer: JSON = ["ok": true, "friends": .array(friends)]
    answer.set("self", first?["self"])
    answer.set("updates", first?["updates"])
    printAnswer(answer, options, Self.text)
  }

  static func text(_ answer: JSON) -> String {
    let friends = answer["friends"]?.elements ?? []
    var table = Table()
    table.add("tid", "name", "topic", "seen", "latitude", "longitude")
    if let board = answer["self"] { table.add(row(board, of: "(this board)")) }
    for friend in friends { table.add(row(friend)) }
    var text = table.text
    if friends.isEmpty {
      text +=
        "\nNo friends seen yet. Others are listened to only with \"friends\": true in the configuration."
    }
    guard let updates = answer["updates"]?.int, updates > 0 else { return text }
    return text + "\n\(Readable.count(updates, "update")) since you last looked."
  }

  private static func row(_ friend: JSON, of whom: String = "") -> [String] {
    [
      Readable.value(friend["tid"]), Readable.value(friend["name"] ?? (whom.isEmpty ? nil : .string(whom))),
      Readable.value(friend["topic"]), friend["tst"]?.double.map(Readable.time) ?? "never",
      Readable.value(friend["lat"]), Readable.value(friend["lon"]),
    ]
  }
}

/// Whom a person means.
enum FriendName {
  /// The topic of a friend who is called by it, by the name or by the tracker id; an unknown topic is left to
  /// the daemon.
  static func topic(_ text: String, socket: String) throws -> String {
    try topic(text, in: Pages(socket: socket).all(["friends", "--all"], "friends"))
  }

  static func topic(_ text: String, in friends: [JSON]) throws -> String {
    let topics = { (isMeant: (JSON) -> Bool) in friends.filter(isMeant).compactMap { $0["topic"]?.text } }
    guard topics({ $0["topic"]?.text == text }).isEmpty else { return text }
    var meant = topics { $0["name"]?.text?.lowercased() == text.lowercased() }
    if meant.isEmpty { meant = topics { $0["tid"]?.text == text } }
    guard meant.count > 1 else { return meant.first ?? text }
    let list = meant.prefix(5).joined(separator: ", ")
    throw Failure(
      .failed, "\(meant.count) friends are called \(text): use a topic (\(list))".plainLine)
  }
}

struct FriendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "friend", abstract: "Show or forget one of the others, or one place of them.",
    discussion: "Example: homeward friend show owntracks/jane/phone", subcommands: [Show.self, Forget.self])

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show where a friend was, the newest place at the bottom.",
      discussion: "Example: homeward friend show Jane")

    @Argument(help: "The friend's topic, name or tid.") var topic: String
    @OptionGroup var options: CommonOptions

    func run() throws {
      let topic = try FriendName.topic(topic, socket: options.socket)
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
        on publishing comes back. Of one place (--at, as friend show --json tells its tst)
        the broker hears nothing: the newest one comes back while it is kept there.

        Example: homeward friend forget Jane
        """)

    @Argument(help: "The friend's topic, name or tid.") var topic: String
    @Flag(help: "Forget only here.") var noPublish = false
    @Option(help: "Forget only the place of this Unix time, here.") var at: Int?
    @OptionGroup var options: CommonOptions

    func run() throws {
      let topic = try FriendName.topic(topic, socket: options.socket)
      let more = (noPublish ? ["--no-publish"] : []) + (at.map { ["--at", "\($0)"] } ?? [])
      try perform(["friend", "forget", topic] + more, options)
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
    try answers(words) { try take($0[list]?.elements ?? []) }
  }

  /// The same with all that each answer says.
  func answers(_ words: [String], _ take: (JSON) throws -> Void) throws {
    var after: [String] = []
    while true {
      let answer = try DaemonConnection(path: socket).ask(words + after)
      try take(answer)
      guard let next = answer["next"] else { return }
      after = ["--after", next.text ?? Readable.value(next)]
    }
  }
}
