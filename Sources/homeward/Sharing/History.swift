import ArgumentParser
import Model
import OwnTracks

/// Which part of the history.
struct HistorySpan: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Not before: a local time such as 14:00, yesterday or \"2026-05-31 14:00\", one with a zone, or Unix seconds.",
      valueName: "time"))
  var from: String?
  @Option(
    help: ArgumentHelp(
      "Not after; a day counts whole, and 14:00 is that of the day that --from names.", valueName: "time"))
  var to: String?
  @Option(help: ArgumentHelp("Only the newest, such as 24h, 90min or 7d.", valueName: "span"))
  var last: String?
  @Option(help: ArgumentHelp("Only one trip: last, its id, or a time within it.", valueName: "trip"))
  var trip: String?

  func validate() throws {
    if trip != nil, last != nil || from != nil || to != nil {
      throw ValidationError("--trip goes without --from, --to and --last")
    }
    _ = try words()
  }

  /// Everything is meant.
  var isOpen: Bool { from == nil && to == nil && last == nil && trip == nil }

  /// Words of the question to the daemon, which does not know trips.
  func words(socket: String) throws -> [String] {
    guard let trip else { return try words() }
    let chosen = try TripFinder.choose(trip, of: TripFinder.all(socket: socket))
    return ["--from", DecimalText.plain(chosen.start), "--to", DecimalText.plain(chosen.end)]
  }

  /// The same without the trip.
  func words(at present: TimeWords = .present) throws -> [String] {
    if let last {
      guard from == nil, to == nil else { throw ValidationError("--last goes without --from and --to") }
      guard let span = TimeWords.span(last) else {
        throw ValidationError("--last is \"\(last)\"; expected \(TimeWords.spanExpectation)")
      }
      return ["--from", DecimalText.plain(present.now - span)]
    }
    let beginning = try Self.word("--from", from) { present.moment($0) }
    return try beginning + Self.word("--to", to) { present.end($0, from: from) }
  }

  private static func word(
    _ name: String, _ text: String?, _ reading: (String) -> Double?
  ) throws -> [String] {
    guard let text else { return [] }
    guard let moment = reading(text) else {
      throw ValidationError("\(name) is \"\(text)\"; expected \(TimeWords.expectation)")
    }
    return [name, DecimalText.plain(moment)]
  }
}

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Show or delete the places that were published from here.",
    discussion: """
      Times are shown, and read where they name no zone, in the zone of this machine.

      Example: homeward history --last 24h
      """,
    subcommands: [Show.self, Trips.self, Delete.self, Clear.self], defaultSubcommand: Show.self)

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the published places, the newest at the bottom.",
      discussion: """
        Without a part to show, people get the newest 50, and programs all.

        Example: homeward history --from "yesterday 14:00" --to 18:00
        """)

    /// As many as fit on a screen.
    private static let few = 50

    @OptionGroup var span: HistorySpan
    @Flag(help: "Everything that is kept, for people too.") var all = false
    @OptionGroup var options: CommonOptions

    func run() throws {
      if span.isOpen, !all, !options.json { return try showNewest() }
      let words = try ["history"] + span.words(socket: options.socket)
      var whole = HistoryPage()
      whole.points = []
      try Pages(socket: options.socket).each(words, HistoryPage.self) { whole.points? += $0.points ?? [] }
      printAnswer(whole.done, options) { _ in Self.text(PointRecord.all(whole.points)) }
    }

    private func showNewest() throws {
      let words = ["history", "--newest", "--limit", String(Self.few + 1)]
      let page = try DaemonConnection(path: options.socket).ask(words, for: HistoryPage.self)
      let points = PointRecord.all(page.points)
      if points.count > Self.few {
        Terminal.say("(the newest \(Self.few); more with --all, --last or --from)")
      }
      Terminal.say(Self.text(points.suffix(Self.few)))
    }

    private static func text(_ points: some Sequence<PointRecord>) -> String {
      var table = Table()
      for point in points {
        table.add([Readable.text(point.number.map(String.init))] + PointText.row(point))
      }
      return table.text.isEmpty ? "Nothing is kept." : table.text
    }
  }

  struct Trips: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "trips", abstract: "List the trips that the history holds, the newest at the bottom.",
      discussion: """
        A trip ends where the vehicle has stood for five minutes. Its id, the first column, is
        for --trip.

        Example: homeward history trips
        """)

    @OptionGroup var options: CommonOptions

    func run() throws {
      let trips = try TripFinder.all(socket: options.socket)
      printAnswer(["ok": true, "trips": .array(trips.map(\.json))], options) { _ in
        var table = Table()
        for trip in trips { table.add(trip.row) }
        return table.text.isEmpty ? "No trip is kept." : table.text
      }
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Delete one point, or a range, from the history.",
      discussion: """
        The number is the first column of `homeward history`. Of a range it says which points
        those are, and asks. What was published stays with those who have it.

        Example: homeward history delete 4711
        Example: homeward history delete --from "2026-05-31 14:00" --to 15:30
        """)

    @Argument(help: "The number of a place.") var number: Int?
    @OptionGroup var span: HistorySpan
    @Flag(name: .shortAndLong, help: "Do not ask.") var yes = false
    @OptionGroup var options: CommonOptions

    func validate() throws {
      guard (number == nil) != span.isOpen else {
        throw ValidationError("a number, or a part such as --last 1h (everything: homeward history clear)")
      }
    }

    func run() throws {
      let part = try number.map { [String($0)] } ?? span.words(socket: options.socket)
      let (count, text) = try doomed(part)
      guard count > 0 else { throw Failure(.failed, text) }
      if number == nil { try Terminal.confirm("Delete \(text)?", isAnswered: yes) }
      _ = try DaemonConnection(path: options.socket).ask(["history", "delete"] + part)
      let answer: JSON = ["ok": true, "deleted": .integer(Int64(count))]
      printAnswer(answer, options) { _ in "deleted \(text)" }
    }

    /// How many points it is about, and which those are, in words.
    private func doomed(_ part: [String]) throws -> (Int, String) {
      if let number {
        let words = ["history", "--after", String(max(1, number) - 1), "--limit", "1"]
        let page = try DaemonConnection(path: options.socket).ask(words, for: HistoryPage.self)
        guard let point = PointRecord.all(page.points).first, point.number == Int64(number) else {
          return (0, "no point has the number \(number): see `homeward history`")
        }
        return (
          1, "1 point, \(PointText.row(point).filter { !$0.isEmpty }.joined(separator: "  ").plainLine)"
        )
      }
      var count = 0
      var ends: (first: Double, last: Double)?
      try Pages(socket: options.socket).each(["history"] + part, HistoryPage.self) { page in
        let points = PointRecord.all(page.points)
        count += points.count
        for time in points.compactMap(\.place.time) { ends = (ends?.first ?? Double(time), Double(time)) }
      }
      guard let ends else { return (0, "nothing is kept of that time") }
      return (
        count,
        "\(Readable.count(count, "point")), \(Readable.time(ends.first)) to \(Readable.time(ends.last))"
      )
    }
  }

  struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "clear", abstract: "Throw the history away.",
      discussion: "What waits for the broker stays. Example: homeward history clear")

    @Flag(name: .shortAndLong, help: "Do not ask.") var yes = false
    @OptionGroup var options: CommonOptions

    func run() throws {
      try Terminal.confirm("Throw the whole history away?", isAnswered: yes)
      try perform(["history", "clear"], options)
    }
  }
}

/// A place and when, for people.
enum PointText {
  static func row(_ point: PointRecord) -> [String] {
    row(point.place) + [[point.poi, point.tag].compactMap { $0 }.joined(separator: ", ")]
  }

  static func row(_ place: PlaceRecord) -> [String] {
    [
      place.time.map { Readable.time(Double($0)) } ?? "-", place.trigger ?? " ",
      Readable.number(place.latitude), Readable.number(place.longitude),
      place.speed.map { "\($0) km/h" } ?? "",
    ]
  }
}
