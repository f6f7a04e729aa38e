import Glibc
import OwnTracks

/// The folder that a fleet is made in: one folder for each board, and the broker's files beside them.
struct FleetFolder {
  /// A board that was made before.
  struct Kept {
    var folder: String
    var board: FleetBoard
    var bytes: [UInt8]
  }

  static let rights = "mosquitto.acl"
  static let passwords = "mosquitto.passwd"
  static let definitions = "rabbitmq-definitions.json"

  let path: String
  private(set) var kept: [Kept] = []

  /// Reads what is there. A board whose configuration cannot be read is a fault, not a board that is missing.
  init(_ path: String) throws {
    self.path = path
    for name in Folder.names(in: path) {
      let file = "\(path)/\(name)/\(FleetBoard.configurationFile)"
      guard access(file, F_OK) == 0 else { continue }
      let bytes = try FileText.read(file, atMost: ConfigurationFile.limit)
      let decoded = ConfigurationFile.decode(bytes, written: 0)
      if let problem = decoded.problems.first { throw Failure(.configuration, "\(file): \(problem)") }
      kept.append(Kept(folder: name, board: FleetBoard(place: name, settings: decoded.raw), bytes: bytes))
    }
  }

  func has(_ file: String, in folder: String) -> Bool { access("\(path)/\(folder)/\(file)", F_OK) == 0 }

  /// No two at the same time; the lock is there until the program ends.
  static func lock(_ path: String) throws {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw Failure(.failed, "\(path): cannot be opened: \(lastError())") }
    guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
      throw Failure(.failed, "\(path): somebody else is making a fleet there")
    }
  }

  static func make(_ path: String) throws {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw Failure(.failed, "\(path): cannot be made: \(lastError())")
    }
  }

  static func move(_ one: String, to other: String) throws {
    guard rename(one, other) == 0 else { throw Failure(.failed, "\(other): cannot be made: \(lastError())") }
  }

  /// With all that is in it, two levels deep.
  static func remove(_ path: String) {
    for name in Folder.names(in: path) {
      let inner = path + "/" + name
      for file in Folder.names(in: inner) { unlink(inner + "/" + file) }
      if rmdir(inner) != 0 { unlink(inner) }
    }
    rmdir(path)
  }
}
