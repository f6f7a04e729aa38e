import ArgumentParser
import Model
import OwnTracks

struct WhereCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "where", abstract: "Say where the board is.",
    discussion: """
      The newest position, the regions that it is in, and, where the key geocodeUrl says
      who tells the address of a place, that address. That server is asked now and then
      only, by this command: the tracker itself asks nobody.

      Example: homeward where
      """)

  @OptionGroup var place: ConfigurationPlace
  @OptionGroup var options: CommonOptions

  func run() throws {
    let status = try DaemonConnection(path: options.socket).ask(["status"])["status"] ?? .null
    guard let fix = status["fix"], let latitude = fix["lat"]?.double, let longitude = fix["lon"]?.double
    else { throw Failure(.failed, "there has been no position yet") }
    var answer: JSON = ["ok": true]
    for member in fix.members ?? [] { answer.set(member.key, member.value) }
    answer.set("inside", status["inside"] ?? [])
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

  private func address(_ latitude: Double, _ longitude: Double) throws -> String? {
    // Who may not read the file has no template.
    guard let template = (try? ConfigurationText(place.file))?.decoded.configuration.board.geocodeUrl,
      !template.isEmpty
    else { return nil }
    return try AddressQuestion(template: template, latitude: latitude, longitude: longitude).ask()
  }

  static func text(_ answer: JSON) -> String {
    var table = Table()
    let latitude = Readable.degrees(answer["lat"]?.double ?? 0)
    let longitude = Readable.degrees(answer["lon"]?.double ?? 0)
    var words = "\(latitude), \(longitude)"
    if let accuracy = answer["acc"]?.double { words += " ± \(Readable.number(accuracy, decimals: 0)) m" }
    table.add("Position:", words)
    if let time = answer["tst"]?.double {
      let age = answer["age"]?.double.map { ", \(Readable.span($0)) ago" } ?? ""
      table.add("Measured:", Readable.time(time) + age)
    }
    let inside = answer["inside"]?.elements ?? []
    table.add("Regions:", inside.isEmpty ? "none" : inside.map { Readable.value($0) }.joined(separator: ", "))
    if let address = answer["address"]?.text { table.add("Address:", address) }
    return table.text
  }
}
