import ArgumentParser
import Model
import OwnTracks

struct WhereCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "where", abstract: "Say where the board is, or one of the others.",
    discussion: """
      The newest position, the regions that the board is in, and, where the key geocodeUrl
      says who tells the address of a place, that address. That server is asked now and
      then only, by this command: the tracker itself asks nobody.

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
    guard let latitude = answer["lat"]?.double, let longitude = answer["lon"]?.double else {
      throw Failure(.failed, "there has been no position yet")
    }
    var problem: String?
    do {
      answer.set("address", try address(latitude, longitude).map { .string($0) })
    } catch let failure as Failure {
      problem = failure.text.plainLine
      answer.set("addressError", .string(failure.text.plainLine))
    }
    printAnswer(answer, options, Self.text)
    if let problem, !options.json { warn("no address: \(problem)") }
  }

  private func found() throws -> JSON {
    if let at { return try Self.place(at) }
    let daemon = DaemonConnection(path: options.socket)
    var answer: JSON = ["ok": true]
    if let friend {
      let topic = try FriendName.topic(friend, socket: options.socket)
      let found = try daemon.ask(["friend", "show", topic])
      for key in ["topic", "name"] { answer.set(key, found["friend"]?[key]) }
      for member in found["places"]?.elements?.last?.members ?? [] { answer.set(member.key, member.value) }
      return answer
    }
    let status = try daemon.status()
    for member in status.fix?.answer.members ?? [] { answer.set(member.key, member.value) }
    answer.set("inside", (status.inside ?? []).answer)
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

  static func text(_ answer: JSON) -> String {
    var table = Table()
    let latitude = Readable.degrees(answer["lat"]?.double ?? 0)
    let longitude = Readable.degrees(answer["lon"]?.double ?? 0)
    var words = "\(latitude), \(longitude)"
    if let accuracy = answer["acc"]?.double { words += " ± \(Readable.number(accuracy, decimals: 0)) m" }
    if let name = (answer["name"] ?? answer["topic"])?.text { table.add("Friend:", name.plainLine) }
    table.add("Position:", words)
    if let time = answer["tst"]?.double {
      let age = answer["age"]?.double.map { ", \(Readable.span($0)) ago" } ?? ""
      table.add("Measured:", Readable.time(time) + age)
    }
    if let inside = answer["inside"]?.elements {
      table.add(
        "Regions:", inside.isEmpty ? "none" : inside.map { Readable.value($0) }.joined(separator: ", "))
    }
    if let address = answer["address"]?.text { table.add("Address:", address) }
    return table.text
  }
}
