import ArgumentParser
import OwnTracks

struct FriendsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "friends",
    abstract: "List this board and other trackers known from the broker.",
    discussion: """
      Names and faces that you give in friends.d beside the configuration win over theirs.
      Those that were silent for longer than ignoreStaleLocations are left out.

      Example: homeward friends --all
      """)

  @Flag(help: "Also those that were silent for too long.") var all = false
  @OptionGroup var options: CommonOptions

  func run() throws {
    var whole: FriendPage?
    let words = ["friends", "--look"] + (all ? ["--all"] : [])
    try Pages(socket: options.socket).each(words, FriendPage.self) { page in
      let before = whole?.friends ?? []
      whole = whole ?? page
      whole?.friends = before + (page.friends ?? [])
    }
    var answer = whole ?? FriendPage()
    answer.next = nil
    printAnswer(answer.done, options) { _ in Self.text(answer) }
  }

  static func text(_ answer: FriendPage) -> String {
    let friends = FriendRecord.all(answer.friends)
    var table = Table()
    table.add("tid", "name", "topic", "seen", "latitude", "longitude")
    if let board = answer.own.flatMap({ FriendRecord(answer: $0) }) {
      table.add(row(board, of: "(this board)"))
    }
    for friend in friends { table.add(row(friend)) }
    var text = table.text
    if friends.isEmpty {
      text +=
        "\nNo friends seen yet. Others are listened to only with \"friends\": true in the configuration."
    }
    guard let updates = answer.updates, updates > 0 else { return text }
    return text + "\n\(Readable.count(updates, "update")) since you last looked."
  }

  private static func row(_ friend: FriendRecord, of whom: String? = nil) -> [String] {
    let place = friend.place
    return [
      Readable.text(place.tid), Readable.text(friend.name ?? whom), Readable.text(friend.topic),
      place.time.map { Readable.time(Double($0)) } ?? "never", Readable.number(place.latitude),
      Readable.number(place.longitude),
    ]
  }
}

/// Whom a person means.
enum FriendName {
  /// The topic of a friend who is called by it, by the name or by the tracker id; an unknown topic is left to
  /// the daemon.
  static func topic(_ text: String, socket: String) throws -> String {
    var friends: [FriendRecord] = []
    try Pages(socket: socket).each(["friends", "--all"], FriendPage.self) { page in
      friends += FriendRecord.all(page.friends)
    }
    return try topic(text, in: friends)
  }

  static func topic(_ text: String, in friends: [FriendRecord]) throws -> String {
    let topics = { (isMeant: (FriendRecord) -> Bool) in friends.filter(isMeant).compactMap(\.topic) }
    guard topics({ $0.topic == text }).isEmpty else { return text }
    var meant = topics { $0.name?.lowercased() == text.lowercased() }
    if meant.isEmpty { meant = topics { $0.place.tid == text } }
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
      printAnswer(answer, options) { Self.text(FriendReply(answer: $0) ?? FriendReply()) }
    }

    private static func text(_ reply: FriendReply) -> String {
      var table = Table()
      for place in PlaceRecord.all(reply.places) { table.add(PointText.row(place) + [""]) }
      let friend = reply.friend.flatMap { FriendRecord(answer: $0) }
      let name = friend?.name.map { "\($0.plainLine)\n" } ?? ""
      return name + (table.text.isEmpty ? "No place is known." : table.text)
    }
  }

  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget", abstract: "Forget a friend, here and at the broker.",
      discussion: """
        The broker drops what it keeps of the friend, if we may write there. A friend who goes
        on publishing comes back. Forgetting one place (--at, with the tst that friend show
        --json prints) is not sent to the broker: the newest one comes back while it is kept
        there.

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

/// A page of an answer.
protocol AnswerPage: AnswerRecord {
  /// The word after `--after` that asks for the following one; nil: there is none.
  var nextWord: String? { get }
}

extension FriendPage: AnswerPage {
  var nextWord: String? { next }
}

extension HistoryPage: AnswerPage {
  var nextWord: String? { next.map(String.init) }
}

/// Answers that come in pages.
struct Pages {
  var socket: String

  /// Hands over each page as it comes: a long history need not fit into memory.
  func each<Page: AnswerPage>(_ words: [String], _ kind: Page.Type, _ take: (Page) throws -> Void) throws {
    var after: [String] = []
    while true {
      let page = try DaemonConnection(path: socket).ask(words + after, for: kind)
      try take(page)
      guard let next = page.nextWord else { return }
      after = ["--after", next]
    }
  }
}
