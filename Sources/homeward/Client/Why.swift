import ArgumentParser
import Glibc
import OwnTracks

struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", abstract: "Say why the last things were, or were not, published.",
    discussion: """
      The newest at the bottom, each under the time when it began. A plus stands before what
      was published; the same reason for silence again only counts up. The last thousand
      survive a restart of the tracker, but not of the board.

      Example: homeward why --since 2h --region Home
      """)

  @Option(
    name: [.customShort("n"), .long], help: ArgumentHelp("How many: 1 to 1000.", valueName: "count"))
  var last: Int?
  @Option(
    help: ArgumentHelp(
      "Not before: how long ago (2h, 30min) or a local time such as 14:00.", valueName: "time"))
  var since: String?
  @Option(help: ArgumentHelp("Only what is about this region.", valueName: "name"))
  var region: String?
  @Flag(name: [.customShort("f"), .long], help: "Keep printing new entries, until Ctrl-C.")
  var follow = false
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if let last, !(1...WhyRequest.limit).contains(last) {
      throw ValidationError("--last is \(last); expected 1 to \(WhyRequest.limit)")
    }
    if let since, TimeWords.present.moment(since) == nil {
      throw ValidationError("--since is \"\(since)\"; expected \(TimeWords.expectation)")
    }
  }

  func run() throws {
    let connection = DaemonConnection(path: options.socket)
    // The reasons in question may be older than the last hundred.
    let count = since == nil && region == nil ? last ?? WhyRequest().last : WhyRequest.limit
    var answer = try connection.ask(["why", "--last", "\(count)"])
    let since = since.flatMap { TimeWords.present.moment($0) }
    var reasons = Self.chosen(answer, since: since, region: region)
    if let last { reasons = Array(reasons.suffix(last)) }
    if options.json, !follow {
      var list = ReasonList()
      list.reasons = reasons
      answer.take(list.answer)
      return Terminal.say(answer)
    }
    if reasons.isEmpty, !follow { return Terminal.say(Self.nothing(isChosen: since != nil || region != nil)) }
    show(reasons)
    while follow {
      Terminal.flush()
      sleep(1)
      let newest = Self.newest(answer)
      answer = try connection.ask(["why", "--last", "\(WhyRequest.limit)", "--after", "\(newest)"])
      // Its files are gone, and it counts from the beginning.
      if Self.newest(answer) < newest { answer = try connection.ask(["why"]) }
      show(Self.chosen(answer, since: since, region: region))
    }
  }

  private static func newest(_ answer: JSON) -> Int64 { ReasonList(answer: answer)?.newest ?? 0 }

  private func show(_ reasons: [JSON]) {
    guard !reasons.isEmpty else { return }
    guard options.json else { return Terminal.say(Self.text(ReasonRecord.all(reasons))) }
    for reason in reasons { Terminal.say(reason) }
  }

  /// Those that began at `since` or later, or go on until then, and are about that region.
  static func chosen(_ answer: JSON, since: Double?, region: String?) -> [JSON] {
    (ReasonList(answer: answer)?.reasons ?? []).filter { sent in
      let reason = ReasonRecord(answer: sent) ?? ReasonRecord()
      if let since {
        guard let time = reason.last ?? reason.time, time >= since else { return false }
      }
      guard let region else { return true }
      return reason.region == region
    }
  }

  static func nothing(isChosen: Bool) -> String {
    isChosen ? "Nothing of that kind is known." : "Nothing has happened yet."
  }

  static func text(_ reasons: [ReasonRecord]) -> String {
    var table = Table()
    for reason in reasons {
      let count = reason.count ?? 1
      let last = reason.last.map { ", the last at \(Readable.time($0))" } ?? ""
      table.add(
        reason.time.map(Readable.time) ?? "(no clock yet)", reason.published == true ? "+" : " ",
        Readable.text(reason.text ?? reason.word) + (count > 1 ? "  (\(count) times\(last))" : ""))
    }
    return table.text
  }
}
