import Access
import ArgumentParser
import Glibc
import OwnTracks
import Timebase

struct WebCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web", abstract: "Let a phone open the page that this board serves.",
    discussion: """
      Prints the page's addresses and a code that is good for one phone, ten minutes and five tries, and the two as a
      picture for the phone's camera. A new code ends the one before. See homeward-web(8).

      Example: sudo homeward web
               sudo homeward web --look
               sudo homeward web list
               sudo homeward web forget 3f2a91c0
      """,
    subcommands: [Open.self, List.self, Forget.self], defaultSubcommand: Open.self)

  struct Open: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "open", abstract: "Make a code for one phone.", discussion: "Example: sudo homeward web")

    @Flag(help: "The phone may look and change nothing.") var look = false
    @Option(
      help: ArgumentHelp(
        "The port that the page is served on; if it is not said here: the one of its socket unit.",
        valueName: "number"))
    var port: Int?
    @Option(
      name: .customLong("run"),
      help: ArgumentHelp("Where the code is left for the server.", valueName: "folder"))
    var folder = "/run/homeward-web"
    @Flag(help: "Take the code from standard input instead of making one: for the image's first start.")
    var given = false
    @Flag(help: "Print JSON for programs instead of text for people.") var json = false

    func validate() throws {
      guard port.map((1...65_535).contains) ?? true else { throw ValidationError("--port: from 1 to 65535") }
    }

    func run() throws {
      do { try Secret.load() } catch { throw Failure(.failed, "\(error)") }
      let port = port ?? PageSocket()?.port ?? 80
      let (words, code) = try made()
      guard access(folder, W_OK) == 0 else {
        throw Failure(
          .failed, "\(folder): \(errno == ENOENT ? Self.absent : "not allowed; try it with sudo")")
      }
      // The group may write there, and the server replaces it: neither an owner nor a mode is to be kept.
      try AtomicFile.write(code.file, as: OneTimeCode.fileName, in: folder, mode: 0o640)
      let hosts = BoardAddresses.all().map(\.text) + [BoardAddresses.localName()]
      let pages = hosts.map { "http://" + $0 + (port == 80 ? "" : ":\(port)") + "/" }
      let link = pages[0] + "pair?c=" + words
      if json {
        let answer: JSON = [
          "ok": true, "code": .string(words), "link": .string(link),
          "addresses": .array(pages.map(JSON.string)),
        ]
        return Terminal.say(answer)
      }
      let picture = Result { () throws(QRCode.Missing) in try QRCode(Array(link.utf8)) }
      let isDrawn = (try? picture.get()) != nil
      Terminal.say(Self.text(pages: pages, code: words, isDrawn: isDrawn, isLook: look))
      if !ListeningPorts.has(port) {
        Terminal.say(
          "Nothing serves the page on port \(port) yet: sudo systemctl enable --now homeward-web.socket")
      }
      switch picture {
      case .success(let picture): Terminal.draw(picture?.lines ?? [])
      case .failure(let missing): Terminal.warn("\(missing)")
      }
      Terminal.say(link)
    }

    private func made() throws -> (words: String, code: OneTimeCode) {
      let (permission, now) = (look ? Permission.look : .change, SystemClock.instant())
      guard given else { return OneTimeCode.make(for: permission, at: now) }
      let words = String(decoding: try FileText.read("-", atMost: 64), as: UTF8.self).trimmed
      guard let code = OneTimeCode.make(of: words, for: permission, at: now) else {
        throw Failure(
          .usage, "--given: a code is eight letters and digits as in ABCD-2345, without 0, 1, I and O")
      }
      return (words, code)
    }

    private static let absent =
      "there is no such folder: is homeward-web installed? (sudo systemd-tmpfiles --create)"

    static func text(pages: [String], code: String, isDrawn: Bool, isLook: Bool) -> String {
      """
      On the phone, in the board's own WiFi or the same network, open \(pages.joined(separator: " or "))
      and type the code \(code)\(isDrawn ? ", or point the camera at the picture" : ""). It is good for one phone and \
      ten minutes; the phone may then \(isLook ? "look, and change nothing" : "look and change").
      """
    }
  }

  /// The sessions that the server keeps.
  struct StateOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where the server keeps the sessions.", valueName: "folder"))
    var state = "/var/lib/homeward-web"

    var path: String { state + "/" + Sessions.fileName }

    /// Whether anything has the name of the file.
    func isThere() throws -> Bool {
      var status = stat()
      if lstat(path, &status) == 0 { return true }
      // A folder of systemd's for this one service, which only root looks into.
      if errno == EACCES { throw Failure(.failed, "\(path): not allowed; try it with sudo") }
      return false
    }

    /// The folder is the server's: a link there is not followed.
    func sessions() throws -> Sessions {
      guard try isThere() else { return Sessions() }
      return Sessions(file: try FileText.read(path, atMost: Sessions.fileLimit, followsLinks: false))
    }

    func keep(_ sessions: Sessions) throws {
      try AtomicFile.write(sessions.file, as: Sessions.fileName, in: state, mode: 0o600, isFolders: true)
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the phones that are known.",
      discussion: "Example: sudo homeward web list")

    @OptionGroup var state: StateOptions
    @Flag(help: "Print JSON for programs instead of text for people.") var json = false

    func run() throws {
      let sessions = try state.sessions().all
      guard !json else {
        let list: [JSON] = sessions.map {
          [
            "name": .string($0.name), "may": .string($0.permission.rawValue),
            "made": .integer(Int64($0.made)), "device": .string($0.device),
          ]
        }
        return Terminal.say(["ok": true, "sessions": .array(list)])
      }
      guard !sessions.isEmpty else {
        return Terminal.say("No phone is known. Let one in: sudo homeward web")
      }
      var table = Table()
      table.add("name", "may", "since", "browser")
      for session in sessions {
        table.add(
          session.name, session.permission.rawValue, Readable.time(Double(session.made)), session.device)
      }
      Terminal.say(table.text)
    }
  }

  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget", abstract: "Forget a phone: it needs a new code.",
      discussion: """
        What is open on it ends within a few seconds.

        Example: sudo homeward web forget 3f2a91c0
                 sudo homeward web forget --all
        """)

    @Argument(help: "The name that `homeward web list` shows.") var name: String?
    @Flag(help: "Every phone.") var all = false
    @OptionGroup var state: StateOptions
    @Flag(help: "Print JSON for programs instead of text for people.") var json = false

    func validate() throws {
      if all == (name != nil) { throw ValidationError("a name, or --all") }
    }

    func run() throws {
      let isThere = try state.isThere()
      var sessions = Sessions()
      var count = 1
      if let name {
        sessions = try state.sessions()
        guard sessions.forget(name) else {
          throw Failure(.failed, "no phone is called \(name.plainLine): see homeward web list")
        }
      } else {
        // No session is valid afterwards, whatever the file held.
        count = (try? state.sessions().all.count) ?? 0
      }
      if isThere { try state.keep(sessions) }
      let text = Readable.count(count, "phone") + " forgotten"
      if json { Terminal.say(["ok": true, "text": .string(text)]) } else { Terminal.say(text) }
    }
  }
}
