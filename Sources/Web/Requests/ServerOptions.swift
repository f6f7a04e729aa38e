/// The words that the server is started with.
public struct ServerOptions {
  /// For `--help`.
  public static let help = """
    usage: homeward-web [OPTION]...

      --listen ADDRESS:PORT  listens itself, where systemd hands over no socket
      --page DIR             the page's files (default /usr/share/homeward/page)
      --control PATH         the tracker's control socket (default /run/homeward/control)
      --state DIR            where sessions are kept (default /var/lib/homeward-web)
      --run DIR              where `homeward web` leaves the code (default /run/homeward-web)
      --map [NAME=]MAP       a map of the owner's: a file, *.mbtiles with pictures or *.pmtiles, or the address of
                             a server with {z}, {x} and {y}, a space, and whose map it is; may be repeated
      --name NAME            another name that browsers may call this board by; may be repeated
      --idle SECONDS         ends when nobody has been there for so long (default 60; 0: never)
      --version              prints the version
    """

  /// Action that the command line asks for.
  public enum Action: Equatable, Sendable {
    /// Serve the page.
    case run
    /// Print the help.
    case help
    /// Print the version.
    case version
  }

  /// A map that the page may show.
  struct Map: Equatable {
    /// For people; empty: the page has a word for it.
    var name = ""
    /// A file's path, or the address of a server with {z}, {x} and {y}.
    var place: String
    /// Whose map a server's is.
    var copyright = ""

    /// As after `--map`. A path may have an equals sign, too: a name has no slash.
    init(_ word: String) {
      place = word
      if let sign = word.firstIndex(of: "="), !word[..<sign].contains("/") {
        name = String(word[..<sign])
        place = String(word[word.index(after: sign)...])
      }
      guard isTemplate, let space = place.firstIndex(of: " ") else { return }
      copyright = String(place[place.index(after: space)...])
      place = String(place[..<space])
    }

    var isTemplate: Bool { place.hasPrefix("https://") || place.hasPrefix("http://") }
  }

  /// A sentence about the first word that is not understood.
  public struct Mistake: Error {
    /// For people.
    public var text: String
  }

  /// Action that the command line asks for.
  public var action = Action.run
  var listen: String?
  var page = "/usr/share/homeward/page"
  var control = "/run/homeward/control"
  var state = "/var/lib/homeward-web"
  var run = "/run/homeward-web"
  var maps: [Map] = []
  var names: [String] = []
  var idle = 60

  /// The words without the program's name.
  public static func parse(_ words: [String]) throws(Mistake) -> ServerOptions {
    var options = ServerOptions()
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h": options.action = .help
      case "--version": options.action = .version
      case "--listen": options.listen = try value(of: word, in: &rest)
      case "--page": options.page = try value(of: word, in: &rest)
      case "--control": options.control = try value(of: word, in: &rest)
      case "--state": options.state = try value(of: word, in: &rest)
      case "--run": options.run = try value(of: word, in: &rest)
      case "--map":
        // A unit may hand over an empty one.
        let file = try value(of: word, in: &rest)
        if !file.isEmpty { options.maps.append(Map(file)) }
      case "--name": options.names.append(try value(of: word, in: &rest).lowercased())
      case "--idle":
        guard let seconds = Int(try value(of: word, in: &rest)), (0...86_400).contains(seconds) else {
          throw Mistake(text: "--idle wants seconds, from 0 to 86400")
        }
        options.idle = seconds
      default: throw Mistake(text: "unknown word \(word); see homeward-web --help")
      }
    }
    return options
  }

  private static func value(of word: String, in rest: inout ArraySlice<String>) throws(Mistake) -> String {
    guard let value = rest.popFirst() else { throw Mistake(text: "\(word) wants a value") }
    return value
  }
}
