import Glibc
import Loop
import OwnTracks
import Timebase

/// Reads the owner's keys: files as they are, programs by their output. Nothing waits for either; a location has the
/// values known at its time.
public final class ExtraKeys {
  /// Events, posted on the loop's thread.
  public enum Event: Sendable {
    /// All keys with their values, after each look.
    case read([(name: String, value: JSON)])
    /// For the journal, once until that file is well again.
    case warning(String)
  }

  /// How old a value may be.
  public static let span = Span.seconds(30)

  /// As they were found at the last look, by the names of their files.
  public private(set) var values: [(name: String, value: JSON)] = []

  private let directory: String
  private let loop: EventLoop
  private let worker: Worker
  private var program: ChildProgram?
  private var programs: [String] = []
  private var running = ""
  private var fresh: [String: JSON] = [:]
  private var isBusy = false
  /// The fault reported for each file, until it is well again: so that it is not repeated every 30 s.
  private var reported: [String: String] = [:]
  private var nextLook = Instant.zero
  private let post: (Event) -> Void

  private struct Found: Sendable {
    var files: [String: [UInt8]] = [:]
    var programs: [String] = []
    /// By file name; the directory itself is "".
    var trouble: [String: String] = [:]
  }

  /// `worker` reads the files. `changed` is called on the loop's thread with each new set of values.
  public init(
    loop: EventLoop, worker: Worker, directory: String, post: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.worker = worker
    self.directory = directory
    self.post = post
    program = ChildProgram(loop: loop, words: [directory], timeout: .seconds(5)) { [unowned self] event in
      switch event {
      case .ended(let outcome): ended(outcome)
      case .freed: runNext()
      }
    }
  }

  /// Ends a program that is running.
  public func close() { program?.close() }

  /// Looks again if the last look is old enough; called with every fix.
  public func look() {
    guard !isBusy, loop.now.instant >= nextLook else { return }
    nextLook = loop.now.instant + Self.span
    isBusy = true
    let directory = directory
    worker.perform {
      Self.find(in: directory)
    } then: { [weak self] found in
      guard let self else { return }
      reported = reported.filter { found.trouble[$0.key] != nil || found.programs.contains($0.key) }
      for (name, trouble) in found.trouble.sorted(by: { $0.key < $1.key }) {
        report(name, path(name) + ": " + trouble)
      }
      fresh = found.files.compactMapValues { ExtraValue.value($0) }
      programs = found.programs
      runNext()
    }
  }

  private static func find(in directory: String) -> Found {
    var found = Found()
    guard access(directory, R_OK | X_OK) == 0 else {
      found.trouble[""] = String(cString: strerror(errno)) + ChildProgram.hint(for: directory)
      return found
    }
    let names = Sysfs.names(in: directory).filter(ExtraValue.isAllowed).sorted()
    if names.count > ExtraValue.fileLimit {
      found.trouble[""] = "\(names.count) files; only the first \(ExtraValue.fileLimit) by name are looked at"
    }
    for name in names.prefix(ExtraValue.fileLimit) {
      let path = directory + "/" + name
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      if access(path, X_OK) == 0 {
        found.programs.append(name)
        continue
      }
      guard let bytes = bytes(of: path) else {
        found.trouble[name] = "not readable for the user homeward"
        continue
      }
      found.files[name] = bytes
      if ExtraValue.value(bytes) == nil { found.trouble[name] = ExtraValue.reason(for: bytes) }
    }
    return found
  }

  private static func bytes(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: ExtraValue.byteLimit + 1)
    let count = read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : Array(bytes.prefix(count))
  }

  private func runNext() {
    guard isBusy, program?.isBusy == false else { return }
    guard !programs.isEmpty else { return finish() }
    running = programs.removeFirst()
    program?.start([directory + "/" + running])
  }

  private func ended(_ outcome: ChildProgram.Outcome) {
    switch outcome {
    case .said(let bytes):
      fresh[running] = ExtraValue.value(bytes)
      if fresh[running] == nil {
        report(running, path(running) + ": " + ExtraValue.reason(for: bytes))
      } else {
        reported[running] = nil
      }
    case .failed(let why), .hung(let why): report(running, why)
    }
    runNext()
  }

  private func report(_ name: String, _ trouble: String) {
    guard reported[name] != trouble else { return }
    reported[name] = trouble
    post(.warning("extraKeys: \(trouble)"))
  }

  private func path(_ name: String) -> String { name.isEmpty ? directory : directory + "/" + name }

  private func finish() {
    isBusy = false
    values = fresh.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    post(.read(values))
  }
}
