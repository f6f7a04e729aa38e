import ArgumentParser
import OwnTracks

struct ShareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "share", abstract: "Print the newest place as links to share.",
    discussion: """
      A geo: link for map programs, and a web page with a marker. Nothing is sent.

      Example: homeward share
      """)

  @OptionGroup var options: CommonOptions

  func run() throws {
    let status = try DaemonConnection(path: options.socket).status()
    guard let fix = status.fix, let latitude = fix.latitude, let longitude = fix.longitude
    else {
      throw Failure(.failed, "no position yet: check the receiver with `homeward doctor`")
    }
    let north = Readable.number(latitude, decimals: 6)
    let east = Readable.number(longitude, decimals: 6)
    let page = "https://www.openstreetmap.org/?mlat=\(north)&mlon=\(east)#map=17/\(north)/\(east)"
    let link = "geo:\(north),\(east)"
    var answer: JSON = ["ok": true, "geo": .string(link), "map": .string(page)]
    answer.set("tst", fix.time?.answer)
    printAnswer(answer, options) { _ in
      let time = fix.time.map { Readable.time(Double($0)) } ?? "-"
      return "\(link)\n\(page)\n(\(time))"
    }
  }
}
