import Glibc
import Loop
import Model
import OwnTracks
import Timebase

/// Facts for the owner of many boards that files tell: room on the disk, the end of the certificate, what became
/// of the last update. It has no timer: it looks when it is asked, at most every five minutes, on a worker.
public final class BoardPapers {
  /// Files, and the folder whose file system counts.
  struct Places: Hashable, Sendable {
    var directory: String
    /// Empty: none.
    var certificate = ""
    var outcome: String
  }

  /// All of it changes slowly.
  static let span = Span.minutes(5)
  /// Where `homeward-update` leaves what became of an update.
  public static let outcomeFile = "/var/lib/homeward-update/outcome"
  /// Bytes. A certificate with all that signed it has some thousand.
  private static let limit = 65_536

  private let loop: EventLoop
  private let worker: Worker
  private let post: () -> Void
  private var places: Places
  private var nextLook = Instant.zero
  private var isLooking = false
  private var hasLooked = false
  private var isClosed = false
  /// As they were when it last looked.
  public private(set) var facts = FleetFacts()

  /// `directory`: the store's. `post` is called when an update has ended meanwhile, or the certificate is another one.
  public init(
    loop: EventLoop, worker: Worker, directory: String, outcome: String = BoardPapers.outcomeFile,
    post: @escaping () -> Void
  ) {
    self.loop = loop
    self.worker = worker
    self.post = post
    places = Places(directory: directory, outcome: outcome)
  }

  /// At the start, and after every change of settings. Files may have changed with them.
  public func configure(certificate: String) {
    places.certificate = certificate
    nextLook = .zero
    look()
  }

  /// Looks, if the last look is old enough.
  public func look() {
    guard !isClosed, !isLooking, loop.now.instant >= nextLook else { return }
    isLooking = true
    nextLook = loop.now.instant + Self.span
    worker.perform(in: .others) { [places] in
      Self.read(places)
    } then: { [weak self] in
      self?.found($0)
    }
  }

  /// The worker ends.
  public func close() { isClosed = true }

  private func found(_ new: FleetFacts) {
    isLooking = false
    let isNews =
      hasLooked && (new.update != facts.update || new.certificateEnd != facts.certificateEnd)
    (facts, hasLooked) = (new, true)
    if isNews { post() }
    // Configured anew while it was reading.
    if nextLook == .zero { look() }
  }

  private static func read(_ places: Places) -> FleetFacts {
    var facts = FleetFacts()
    var system = statvfs()
    if statvfs(places.directory, &system) == 0 {
      let block = Int(system.f_frsize)
      facts.disk = DiskRoom(free: Int(system.f_bavail) * block, size: Int(system.f_blocks) * block)
    }
    if !places.certificate.isEmpty, let bytes = bytes(of: places.certificate) {
      facts.certificateEnd = CertificateEnd.read(pem: bytes)
    }
    facts.update = bytes(of: places.outcome).flatMap { UpdateOutcome(line: $0) }
    return facts
  }

  /// Nil: it cannot be read, or is larger than such a file may be.
  private static func bytes(of path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { Glibc.close(file) }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count <= limit {
      let more = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress! + count, $0.count - count) }
      guard more >= 0 else { return nil }
      if more == 0 { return Array(bytes.prefix(count)) }
      count += more
    }
    return nil
  }
}
