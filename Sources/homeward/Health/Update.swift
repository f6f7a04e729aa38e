import ArgumentParser
import Glibc

struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Install a signed package, and roll it back if it fails.",
    discussion: """
      FILE.deb.minisig has to lie beside the package, signed with minisign by whom the key in
      /etc/homeward/update.pub belongs to. What is not healthy within 60 s is taken back, and so
      is what a power cut interrupts. Configuration and store stay as they are.

      Example: sudo homeward update homeward_0.2.0-1_arm64.deb
      """)

  /// Where a package puts the program that does it.
  private static let program = "/usr/libexec/homeward/homeward-update"

  @Flag(help: "Install a version that is not newer than the one that is installed, too.")
  var anyVersion = false
  @Argument(help: ArgumentHelp("The package.", valueName: "FILE.deb"))
  var file: String

  func run() throws {
    guard access(Self.program, X_OK) == 0 else {
      throw Failure(
        .failed, "this Homeward was not installed as a package: apt-get install ./FILE.deb does that once")
    }
    // In its place, not below it: it goes on when this program's file is exchanged.
    let words = [Self.program] + (anyVersion ? ["--any-version"] : []) + [file]
    var arguments = words.map { strdup($0) } + [nil]
    execv(Self.program, &arguments)
    throw Failure(.failed, "\(Self.program) cannot be run: \(lastError())")
  }
}
