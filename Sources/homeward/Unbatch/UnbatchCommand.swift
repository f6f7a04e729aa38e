import ArgumentParser
import Glibc
import OwnTracks

struct UnbatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unbatch", abstract: "Take batches of locations apart, at the server.",
    discussion: """
      Boards with batchSeconds publish several locations as one message below their topic, on
      .../batch. This program publishes them one by one on the board's topic, as the board
      would have, in their order. It acknowledges a batch only when the broker has all of it,
      so that nothing is lost whenever it is stopped. It needs libmosquitto1, and runs until
      it is ended; there is a unit for systemd in the fleet's folder.

      FILE is a configuration of its own: host, port, tls, tlsCaFile, username, password and
      the other keys of a connection, with a user who may read all batches and write the
      boards' topics. Without one, with --pipe: each line of standard input is a topic and a
      batch in hexadecimal, as mosquitto_sub -F '%t %x' prints them, and each line of the
      output a topic and a message.

      Example: homeward unbatch /etc/homeward/unbatch.otrc
               mosquitto_sub -t 'owntracks/+/+/batch' -F '%t %x' | homeward unbatch --pipe
      """)

  @Argument(help: "How to reach the broker, an .otrc file.") var file: String?
  @Option(help: ArgumentHelp("The topics of batches.", valueName: "filter"))
  var topic = "owntracks/+/+/batch"
  @Flag(help: "Read topics and batches from standard input, and print topics and messages.")
  var pipe = false

  func run() throws {
    guard (file == nil) == pipe else {
      throw Failure(.usage, "expected either a FILE with the broker's address, or --pipe")
    }
    guard topic.hasSuffix("/batch") else {
      throw Failure(.usage, "--topic: \(topic), expected .../batch")
    }
    guard let file else { return try UnbatchPipe.run() }
    let bytes = try FileText.read(file, atMost: ConfigurationFile.limit)
    let decoded = ConfigurationFile.decode(bytes, written: 0)
    if let problem = decoded.problems.first { throw Failure(.configuration, "\(file): \(problem)") }
    guard decoded.configuration.transport == .mqtt else {
      throw Failure(
        .configuration, "\(file): mode \(decoded.raw["mode"]?.description ?? ""), expected 0: MQTT")
    }
    if let why = UnbatchLink.load() { throw Failure(.failed, "libmosquitto1 is needed: \(why)") }
    try Unbatcher(decoded.configuration, filter: topic).run()
  }
}
