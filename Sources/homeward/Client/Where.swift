import ArgumentParser
import Model
import OwnTracks

struct WhereCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "where", abstract: "Say where the board is, or one of the others.",
    discussion: """
      The newest position, the regions that the board is in, and the address, if the key
      geocodeUrl names a server that provides it. That server is asked only now, by this
      command; the tracker itself never asks it.

      Example: homeward where; homeward where Jane; homeward where --at 48.15,11.55
      """)

  @Argument(help: "A friend's topic, name or tid.") var friend: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The address of this place.", valueName: "lat,lon"))
  var at: String?
  @OptionGroup var place: ConfigurationPlace
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if friend != nil, at != nil { throw ValidationError("a friend or a place, not both") }
  }

  func run() throws {
    var answer = try found()
    let place = PlaceRecord(answer: answer)
    guard let latitude = place?.latitude, let longitude = place?.longitude else {
      throw Failure(.failed, "there has been no position yet")
    }
    var problem: String?
    do {
      var found = WhereRecord()
      found.address = try address(latitude, longitude)
      answer.take(found.answer)
    } catch let failure as Failure {
      problem = failure.text.plainLine
      var found = WhereRecord()
      found.addressError = problem
      answer.take(found.answer)
    }
    printAnswer(answer, options) { Self.text(WhereRecord(answer: $0) ?? WhereRecord()) }
    if let problem, !options.json { warn("no address: \(problem)") }
  }

  private func found() throws -> JSON {
    if let at { return try Self.place(at) }
    let daemon = DaemonConnection(path: options.socket)
    if let friend {
      let topic = try FriendName.topic(friend, socket: options.socket)
      let found = try daemon.ask(["friend", "show", topic], for: FriendReply.self)
      var friend = found.friend.flatMap { FriendRecord(answer: $0) } ?? FriendRecord()
      // Of the friend the names alone: the place is the newest of those that are kept.
      (friend.place, friend.hasFace, friend.face) = (PlaceRecord(), nil, nil)
      var answer = friend.done
      if let place = found.places?.last { answer.take(place) }
      return answer
    }
    let status = try daemon.status()
    var (answer, regions) = ((status.fix ?? .init()).done, WhereRecord())
    regions.inside = status.inside ?? []
    answer.take(regions.answer)
    return answer
  }

  /// `LAT,LON` in degrees.
  static func place(_ text: String) throws -> JSON {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double(String($0).trimmed)
    }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1], abs(latitude) <= 90,
      abs(longitude) <= 180
    else { throw ValidationError("--at \(text): expected degrees as 48.1,11.5".plainLine) }
    return ["ok": true, "lat": .real(latitude), "lon": .real(longitude)]
  }

  private func address(_ latitude: Double, _ longitude: Double) throws -> String? {
    // Without the right to read the file there is no template.
    guard let template = (try? ConfigurationText(place.file))?.decoded.configuration.board.geocodeUrl,
      !template.isEmpty
    else {
      guard at != nil else { return nil }
      throw Failure(
        .failed, "geocodeUrl is not set in \(place.file), or cannot be read there: man homeward.otrc")
    }
    return try AddressQuestion(template: template, latitude: latitude, longitude: longitude).ask()
  }

  private static func text(_ answer: WhereRecord) -> String {
    var table = Table()
    let place = answer.friend.place
    let latitude = Readable.degrees(place.latitude ?? 0)
    let longitude = Readable.degrees(place.longitude ?? 0)
    var words = "\(latitude), \(longitude)"
    if let accuracy = place.accuracy { words += " ± \(Readable.number(accuracy, decimals: 0)) m" }
    if let name = answer.friend.name ?? answer.friend.topic { table.add("Friend:", name.plainLine) }
    table.add("Position:", words)
    if let time = place.time {
      let age = answer.age.map { ", \(Readable.span($0)) ago" } ?? ""
      table.add("Measured:", Readable.time(Double(time)) + age)
    }
    if let inside = answer.inside {
      table.add("Regions:", inside.isEmpty ? "none" : inside.joined(separator: ", "))
    }
    if let address = answer.address { table.add("Address:", address) }
    return table.text
  }
}

/// The answer of `where --json`: a friend or the board, and what is added to its place.
private struct WhereRecord: AnswerRecord {
  /// Of the board only the place.
  var friend = FriendRecord()
  /// Seconds since the board's last usable fix.
  var age: Double?
  /// Names of the regions that the board is inside of.
  var inside: [String]?
  var address: String?
  /// Why there is none.
  var addressError: String?

  mutating func keys(_ keys: inout AnswerKeys) {
    friend.keys(&keys)
    keys("age", &age)
    keys("inside", &inside)
    keys("address", &address)
    keys("addressError", &addressError)
  }
}
