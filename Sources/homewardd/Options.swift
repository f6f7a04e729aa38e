import Model

/// The daemon's own command line: few words, read by hand so that no parser is linked for them.
struct Options {
  static let defaultConfiguration = "/etc/homeward/homeward.otrc"

  static let help = """
    usage: homewardd [--config FILE] [--set KEY=VALUE]...

      --config FILE     configuration (default \(defaultConfiguration))
      --set KEY=VALUE   overrides one key of the file; may be repeated
      --check           reads the configuration, says what is wrong with it, and ends
      --probe           connects to the broker once, says as JSON what came of it, and ends
      --wipe            erases all location data in stateDir and ends; not while a daemon runs
      --wipe-all        the same with mode, tag, odometer and what commands have set
      --version         prints the version

    People talk to the running daemon with `homeward`; see `homeward --help`.
    """

  enum Action: Equatable {
    case run, check, probe, help, version
    /// Everything, or places alone.
    case wipe(isWhole: Bool)
  }

  var action = Action.run
  var configuration = Options.defaultConfiguration
  var overrides: [(String, String)] = []

  /// Where the configuration lies, and what belongs to it.
  var folder: String {
    guard let slash = configuration.lastIndex(of: "/") else { return "." }
    return slash == configuration.startIndex ? "/" : String(configuration[..<slash])
  }

  /// A sentence about the first word that it does not know.
  struct Mistake: Error { var text: String }

  static func parse(_ words: [String]) throws(Mistake) -> Options {
    var options = Options()
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h": options.action = .help
      case "--version": options.action = .version
      case "--check": options.action = .check
      case "--probe": options.action = .probe
      case "--wipe": options.action = .wipe(isWhole: false)
      case "--wipe-all": options.action = .wipe(isWhole: true)
      case "--config":
        guard let file = rest.popFirst() else { throw Mistake(text: "--config wants a file") }
        options.configuration = file
      case "--set":
        guard let pair = rest.popFirst(), let equals = pair.firstIndex(of: "="), equals > pair.startIndex
        else {
          throw Mistake(text: "--set wants KEY=VALUE")
        }
        let key = String(pair[..<equals])
        // The words of a process are for everybody to read.
        if ConfigurationKey.named(key)?.isSecret == true {
          throw Mistake(text: "--set \(key): a secret belongs in the file; all here can read these words")
        }
        options.overrides.append((key, String(pair[pair.index(after: equals)...])))
      default: throw Mistake(text: "unknown word \(word); see homewardd --help")
      }
    }
    return options
  }
}
