import ArgumentParser
import Glibc
import OwnTracks

struct SetupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Ask for the broker, begin the configuration, and start the tracker.",
    discussion: """
      Asks what install.sh asks, for a board that has its programs from a package. A
      configuration that is there is kept unless you say otherwise, and then kept beside
      the new one. With another --file than the usual one it starts nothing.

      Example: sudo homeward setup
      """)

  @OptionGroup var place: ConfigurationPlace

  /// Beside this program, wherever it was installed.
  private static var program: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    guard count > 0 else { return nil }
    let own = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return Folder.of(Folder.of(own)) + "/libexec/homeward/homeward-setup"
  }

  func run() throws {
    guard let program = Self.program, access(program, X_OK) == 0 else {
      throw Failure(
        .failed, "this program was not installed: without the questions, homeward config set KEY VALUE")
    }
    let words: [String] = [program, place.file]
    var arguments = words.map { strdup($0) } + [nil]
    execv(program, &arguments)
    throw Failure(.failed, "\(program) cannot be run: \(lastError())")
  }
}
