import ArgumentParser
import Glibc
import Model
import OwnTracks

struct CardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "card", abstract: "Publish a name and a picture for this board for the map.",
    discussion: """
      The broker keeps it for those who connect later. Without --face the last face goes along again: some servers
      take a card without one for an empty picture.

      Example: homeward card --name "The van" --face van.png
      """)

  @Option(help: ArgumentHelp("What people call us.", valueName: "name")) var name: String
  @Option(help: ArgumentHelp("A picture, PNG or JPEG, ideally 192x192 pixels.", valueName: "file"))
  var face: String?
  @Flag(help: "Remove the picture.") var noFace = false
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if noFace, face != nil { throw ValidationError("--face or --no-face") }
  }

  func run() throws {
    var words = ["card", "--name", name] + (noFace ? ["--no-face"] : [])
    if let face { words += ["--face", try Picture.read(face)] }
    try perform(words, options)
  }
}

/// Pictures on their way into a message.
enum Picture {
  /// Base64 of a file.
  static func read(_ path: String) throws -> String {
    let bytes = try FileText.read(path, atMost: AttachedImage.limit)
    guard !bytes.isEmpty else { throw Failure(.usage, "\(path): empty, expected a picture") }
    guard isPicture(bytes) else { throw Failure(.usage, "\(path): neither PNG nor JPEG, which maps show") }
    return Base64.text(of: bytes)
  }

  /// By how the two kinds begin.
  private static func isPicture(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
      || bytes.starts(with: [0xFF, 0xD8, 0xFF])
  }

  static func name(_ path: String) -> String { Folder.lastName(of: path) }
}
