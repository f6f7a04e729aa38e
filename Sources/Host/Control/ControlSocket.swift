import CLinux
import Glibc
import Loop
import Timebase

/// The control socket for people's commands: a Unix socket protected by its file permissions (mode 0660). A client
/// sends one line, gets one line, and the connection is over.
public final class ControlSocket {
  /// Events, posted on the loop's thread.
  public enum Event: Hashable, Sendable {
    /// A whole line, without its end. It waits for `answer` with the same number. `byRoot`: the kernel says
    /// that root sent it.
    case request(id: UInt64, line: [UInt8], byRoot: Bool)
  }

  /// Why the socket cannot be had; the text is for people.
  public struct Refusal: Error, Hashable, CustomStringConvertible {
    public var description: String
  }

  /// Connections that the kernel keeps until they are taken: a burst of them, for the loop takes them all.
  private static let backlog: Int32 = 128
  /// Connections accepted in one wake-up, so that a client that reconnects endlessly does not occupy the loop.
  private static let acceptLimit = 64
  private static let crowded = Array(
    #"{"ok":false,"error":"too many connections of this user at once: try again in a moment"}"#.utf8)
  /// Bytes of a line: a region import of about 5,000 regions.
  public static let lineLimit = 1 << 20
  /// Time for the daemon to answer; only a bug exceeds it.
  public static let answerTimeout = Span.seconds(60)

  private let loop: EventLoop
  private let path: String
  private let timeout: Span
  private let post: (Event) -> Void
  private var descriptor: Int32 = -1
  private var watch: Watch?
  private var retry: Timer?
  private var clients: [UInt64: (client: ControlClient, user: Int64)] = [:]
  private var admission = ControlAdmission()
  /// Connected and waiting for a seat, in the order of arrival.
  private var queue: [(descriptor: Int32, user: Int64)] = []
  private var lastClient: UInt64 = 0
  /// Device and inode of our socket file: another daemon's is not ours to remove.
  private var file: (dev_t, ino_t)?

  /// The directory must exist. A socket left over by a daemon that died is replaced, that of a living
  /// one is refused. `timeout`: for a client to send its line, and again to take its answer.
  public init(
    loop: EventLoop, path: String, timeout: Span = .seconds(10), post: @escaping (Event) -> Void
  ) throws(Refusal) {
    self.loop = loop
    self.timeout = timeout
    self.path = path
    self.post = post
    try Self.makeRoom(at: path)
    descriptor = clinux_unix_stream()
    guard descriptor >= 0, clinux_unix_listen(descriptor, path, Self.backlog) == 0 else {
      let reason = Self.reason(errno, path)
      if descriptor >= 0 { Glibc.close(descriptor) }
      throw Refusal(description: "\(path): \(reason)")
    }
    file = Self.identity(of: path)
    watch = loop.watch(descriptor, for: .read) { [unowned self] _ in accept() }
    retry = loop.makeTimer { [unowned self] in watch?.change(to: .read) }
  }

  deinit { close() }

  /// Sends one line to the client and ends its connection. A client that has gone is no error.
  public func answer(_ id: UInt64, _ bytes: [UInt8]) {
    clients[id]?.client.answer(bytes + [UInt8(ascii: "\n")])
  }

  /// Clients that are served now.
  public var clientCount: Int { clients.count }

  /// Ends every connection, and removes the file if it is still ours. Calling it twice is harmless.
  public func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    retry?.cancel()
    Glibc.close(descriptor)
    for (client, _) in clients.values { client.end() }
    for (waiting, _) in queue { Glibc.close(waiting) }
    (clients, queue) = ([:], [])
    if let file, let found = Self.identity(of: path), file == found { unlink(path) }
  }

  private func accept() {
    for _ in 0..<Self.acceptLimit {
      let connection = clinux_accept(descriptor)
      guard connection >= 0 else { return acceptFailed(errno) }
      let user = clinux_peer_user(connection)
      switch admission.admit(user) {
      case .seat: serve(connection, of: user)
      case .wait: queue.append((connection, user))
      case .no: refuse(connection)
      }
    }
  }

  private func serve(_ connection: Int32, of user: Int64) {
    lastClient += 1
    let id = lastClient
    let client = ControlClient(
      loop: loop, connection, timeout: timeout,
      line: { [unowned self] in post(.request(id: id, line: $0, byRoot: user == 0)) },
      ended: { [unowned self] in clientEnded(id) })
    clients[id] = (client, user)
  }

  /// Sends the refusal and closes, without waiting for anything that does not fit into the socket at once.
  private func refuse(_ connection: Int32) {
    let line = Self.crowded + [UInt8(ascii: "\n")]
    _ = clinux_send(connection, line, line.count)
    Glibc.close(connection)
  }

  /// Out of descriptors or memory: the connection stays in the queue and the socket readable, so that
  /// the loop would spin. It is tried again a little later.
  private func acceptFailed(_ code: Int32) {
    guard code != EAGAIN && code != EINTR && code != ECONNABORTED else { return }
    watch?.change(to: [])
    retry?.set(at: loop.now.instant + .seconds(1))
  }

  private func clientEnded(_ id: UInt64) {
    guard let user = clients.removeValue(forKey: id)?.user else { return }
    admission.left(user)
    var index = 0
    while index < queue.count {
      let (connection, user) = queue[index]
      if admission.seat(user) {
        queue.remove(at: index)
        serve(connection, of: user)
      } else {
        index += 1
      }
    }
  }

  // Getting the path

  private static func makeRoom(at path: String) throws(Refusal) {
    guard path.utf8.count <= clinux_unix_path_limit() else {
      throw Refusal(
        description: "\(path): longer than the \(clinux_unix_path_limit()) bytes a socket's path may have")
    }
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw Refusal(description: "\(path): is a file, not a socket; it is in the way and was left alone")
    }
    let probe = clinux_unix_stream()
    defer { if probe >= 0 { Glibc.close(probe) } }
    if clinux_unix_connect(probe, path) == 0 || errno == EAGAIN {
      throw Refusal(description: "\(path): another homewardd is running and answers there")
    }
    // Whatever else is wrong with it, `bind` will say.
    if errno == ECONNREFUSED { unlink(path) }
  }

  private static func reason(_ code: Int32, _ path: String) -> String {
    let directory = path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    return switch code {
    case ENOENT, ENOTDIR: "the directory \(directory.isEmpty ? "/" : directory) does not exist"
    case EACCES: "no permission to make a socket in \(directory.isEmpty ? "/" : directory)"
    case EADDRINUSE: "a socket is there already and could not be removed"
    default: String(cString: strerror(code))
    }
  }

  private static func identity(of path: String) -> (dev_t, ino_t)? {
    var status = stat()
    return lstat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
  }
}
