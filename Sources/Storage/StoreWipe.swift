import Glibc
import Model

/// Erases all location data: the store, the messages of friends, refused messages, damaged stores
/// that were set aside. Each file is overwritten with zeros, synced and removed.
///
/// Data to be kept first goes into a folder of its own, which holds no place, and takes the old store's place at the
/// end; so a wipe that is cut short can be begun again without losing it:
///
///     wipe.part ──complete──▶ wipe.new ──the old files are gone──▶ the new store
///
/// Nothing else may have the store open.
public struct StoreWipe: Sendable {
  /// The part of the tracker's own data that is kept: mode, tag, settings made by commands, the odometer; or nothing.
  public enum Extent: Sendable {
    /// Places go, settings stay.
    case places
    /// As if it had never run.
    case everything
  }

  /// The result, for people.
  public struct Report: Hashable, Sendable {
    /// That were overwritten and removed.
    public var files = 0
    /// Of these.
    public var bytes = 0
  }

  /// Throws where something has the store open, or where a file could not be overwritten; then some may be gone, and
  /// it is to be done again.
  public static func run(in directory: String, _ extent: Extent) throws(StoreError) -> Report {
    let wipe = StoreWipe(paths: StorePaths(directory: directory))
    try wipe.paths.check()
    try wipe.prepare(extent)
    let report = try wipe.overwrite(extent == .everything ? names + [CardAvatar.name] : names)
    if extent == .places { try wipe.moveIn() }
    wipe.discard(wipe.complete)
    StorePaths.sync(directory)
    return report
  }

  private let paths: StorePaths
  private var part: String { paths.directory + "/wipe.part" }
  private var complete: String { paths.directory + "/wipe.new" }

  /// Zeros that are written at once.
  private static let piece = [UInt8](repeating: 0, count: 1 << 16)
  /// How the names of files begin that may tell of places.
  private static let names = ["store.", "friends.", "refused.", "drive."]

  // MARK: What is kept

  private func prepare(_ extent: Extent) throws(StoreError) {
    discard(part)
    let kept: [StoreWrite]
    do throws(StoreError) {
      let store = try StoreFile(directory: paths.directory)
      defer { store.abandon() }
      kept = Self.settings(of: try store.snapshot())
    } catch {
      if case .inUse = error { throw error }
      // Data that cannot be read can still be thrown away.
      guard extent == .everything || access(complete, F_OK) == 0 else { throw error }
      kept = []
    }
    if extent == .everything { return discard(complete) }
    // An earlier try got so far, and the store may be half gone since.
    if access(complete, F_OK) == 0 { return }
    guard mkdir(part, 0o700) == 0 else { throw StorePaths.failure("making", part) }
    let store = try StoreFile(directory: part)
    try store.apply(kept)
    store.close()
    for name in files(in: part) { own(part + "/" + name) }
    own(part)
    guard rename(part, complete) == 0 else { throw StorePaths.failure("making", complete) }
    StorePaths.sync(paths.directory)
  }

  private static func settings(of snapshot: Snapshot) -> [StoreWrite] {
    var journey = JourneyState()
    journey.odometer = snapshot.journey.odometer
    var writes: [StoreWrite] = [
      .tag(snapshot.tag), .remoteSettings(snapshot.remote), .commandsSeen(snapshot.commandsSeen),
      .journey(journey),
    ]
    if let mode = snapshot.mode { writes.append(.mode(mode)) }
    // Regions of the file come back only when that list changes.
    if let imported = snapshot.imported { writes.append(.imported(imported)) }
    if snapshot.clientIDForm != .unsaid { writes.append(.clientIDForm(snapshot.clientIDForm)) }
    if snapshot.volume != DataVolume() { writes.append(.volume(snapshot.volume)) }
    return writes
  }

  private func moveIn() throws(StoreError) {
    for name in files(in: complete) {
      guard rename(complete + "/" + name, paths.directory + "/" + name) == 0 else {
        throw StorePaths.failure("moving", complete + "/" + name)
      }
    }
  }

  // MARK: What goes

  private func overwrite(_ names: [String]) throws(StoreError) -> Report {
    var report = Report()
    for name in files(in: paths.directory) where names.contains(where: { name.hasPrefix($0) }) {
      let path = paths.directory + "/" + name
      report.bytes += try overwrite(path)
      report.files += 1
      guard unlink(path) == 0 || errno == ENOENT else { throw StorePaths.failure("removing", path) }
    }
    StorePaths.sync(paths.directory)
    return report
  }

  private func overwrite(_ path: String) throws(StoreError) -> Int {
    let descriptor = try StoreOpening.open(path, O_WRONLY)
    guard descriptor >= 0 else { throw StorePaths.failure("overwriting", path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw StorePaths.failure("overwriting", path) }
    var left = Int(status.st_size)
    while left > 0 {
      let count = write(descriptor, Self.piece, min(left, Self.piece.count))
      guard count > 0 else { throw StorePaths.failure("overwriting", path) }
      left -= count
    }
    guard fsync(descriptor) == 0 else { throw StorePaths.failure("overwriting", path) }
    return Int(status.st_size)
  }

  // MARK: Files

  /// Files and nothing else, by name.
  private func files(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      var status = stat()
      guard lstat(directory + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      names.append(name)
    }
    return names.sorted()
  }

  /// It contains no place.
  private func discard(_ folder: String) {
    for name in files(in: folder) { unlink(folder + "/" + name) }
    rmdir(folder)
  }

  /// A wipe as root leaves the store to the tracker's own user.
  private func own(_ path: String) {
    var status = stat()
    guard geteuid() == 0, stat(paths.directory, &status) == 0 else { return }
    chown(path, status.st_uid, status.st_gid)
  }
}
