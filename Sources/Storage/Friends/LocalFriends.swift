import Glibc
import Loop
import Model
import OwnTracks

/// The owner's names for friends: a folder with a file `TOPIC.json` for each (the slashes of the topic are folders).
/// They win over the cards that friends send. Names are kept in memory, faces are read again when they are to be shown.
public final class LocalFriends {
  /// Events, posted on the loop's thread.
  public enum Event: Sendable {
    /// A line for the journal: the error in a file.
    case warning(String)
  }

  /// Files that are read; those behind them by name are not.
  public static let files = 200
  /// Levels of folders: a topic of a tracker has three.
  private static let depth = 8
  /// Entries of one folder that are looked at.
  private static let entries = 1000
  /// Bad files that are named; the rest is counted.
  private static let named = 10

  private struct Known: Sendable {
    var name: String?
    var hasFace: Bool
  }

  private let worker: Worker
  private let directory: String
  private let post: (Event) -> Void
  private var known: [String: Known] = [:]

  /// Nothing is read before `read`. `directory` need not exist; `worker` may be shared.
  public init(worker: Worker, directory: String, post: @escaping (Event) -> Void) {
    self.worker = worker
    self.directory = directory
    self.post = post
  }

  /// At the start, and when the configuration is read again.
  public func read() {
    let directory = directory
    worker.perform(in: .others) {
      Self.all(in: directory)
    } then: { [weak self] (found: [String: Known], problems: [String]) in
      self?.known = found
      for problem in problems { self?.post(.warning(problem)) }
    }
  }

  /// As the list shows one: the name is the owner's where there is one; a face of the owner's is an empty text.
  public func named(_ friend: Friend) -> Friend {
    guard let known = known[friend.topic] else { return friend }
    var friend = friend
    friend.card.name = known.name ?? friend.card.name
    if known.hasFace { friend.card.face = "" }
    return friend
  }

  /// With the face itself, as far as the file still has it.
  public func shown(_ friend: Friend, then: @escaping (Friend) -> Void) {
    guard known[friend.topic]?.hasFace == true else { return then(named(friend)) }
    let path = directory + "/" + friend.topic + ".json"
    worker.perform(in: .others) {
      try? Self.card(at: path)
    } then: { [weak self] (card: FriendCard?) in
      var named = self?.named(friend) ?? friend
      named.card.face = card?.face ?? friend.card.face
      then(named)
    }
  }

  // MARK: Files

  private static func all(in directory: String) -> (found: [String: Known], problems: [String]) {
    var found: [String: Known] = [:]
    var problems: [String] = []
    var paths: [String] = []
    collect("", in: directory, depth: depth, into: &paths)
    if paths.count > files {
      problems.append("\(directory): \(paths.count) files, of which \(files) are read")
    }
    for path in paths.prefix(files) {
      do throws(FriendFile.Refusal) {
        let card = try card(at: "\(directory)/\(path)")
        found[String(path.dropLast(suffix.count))] = Known(name: card.name, hasFace: card.face != nil)
      } catch {
        problems.append("\(directory)/\(path): \(error)".plainLine)
      }
    }
    guard problems.count > named else { return (found, problems) }
    return (found, problems.prefix(named) + ["\(directory): \(problems.count - named) more such files"])
  }

  private static let suffix = ".json"

  /// Files below a folder, as the paths from there, in the order of their names; one more than are read is enough.
  private static func collect(_ prefix: String, in directory: String, depth: Int, into paths: inout [String])
  {
    guard depth > 0, let stream = opendir("\(directory)/\(prefix)") else { return }
    defer { closedir(stream) }
    var names: [String] = []
    while names.count < entries, let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    for name in names.sorted() where paths.count <= files {
      let path = prefix + name
      var facts = stat()
      guard stat("\(directory)/\(path)", &facts) == 0 else { continue }
      if facts.st_mode & S_IFMT == S_IFDIR {
        collect(path + "/", in: directory, depth: depth - 1, into: &paths)
      } else if name.hasSuffix(suffix) {
        paths.append(path)
      }
    }
  }

  private static func card(at path: String) throws(FriendFile.Refusal) -> FriendCard {
    // A pipe would never begin to be read.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw FriendFile.unreadable(String(cString: strerror(errno))) }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw FriendFile.unreadable("it is no file")
    }
    guard facts.st_size <= off_t(FriendFile.limit) else {
      throw FriendFile.unreadable("\(facts.st_size) bytes, expected \(FriendFile.limit) at most")
    }
    var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
    let count = pread(file, &bytes, bytes.count, 0)
    guard count >= 0 else { throw FriendFile.unreadable(String(cString: strerror(errno))) }
    return try FriendFile.parse(Array(bytes.prefix(count)))
  }
}
