import Glibc

/// What happens to the names in a folder, step by step, as the kernel tells it: what lay in the folder after each step
/// is made up from that and from what lies there in the end.
final class FolderWatch {
  private enum Step {
    case appears(String)
    case goes(String)
  }

  private let folder: RealFolder
  private let watch: Int32
  private let before: [String: [UInt8]]
  /// False: the kernel tells nothing, and that there are no steps means nothing.
  let isWatching: Bool

  init(_ folder: RealFolder) {
    self.folder = folder
    watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    before = Self.files(in: folder)
    isWatching =
      inotify_add_watch(watch, folder.path, UInt32(IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)) >= 0
  }

  deinit { close(watch) }

  /// The folder after each, up to a step that put something there which is not there any more. Drafts go under another
  /// name when they are whole, and nothing of them counts before.
  var steps: [[String: [UInt8]]] {
    let events = events
    let last = Self.files(in: folder)
    var found: [[String: [UInt8]]] = []
    var files = before
    for (index, step) in events.enumerated() {
      switch step {
      case .goes(let name): files[name] = nil
      case .appears(let name):
        let isLast = !events[(index + 1)...].contains { other in
          switch other {
          case .appears(name), .goes(name): true
          default: false
          }
        }
        guard isLast, let bytes = last[name] else { return found }
        files[name] = bytes
      }
      found.append(files)
    }
    return found
  }

  private static func files(in folder: RealFolder) -> [String: [UInt8]] {
    let names = folder.names.filter { folder.isFile($0) }
    return Dictionary(uniqueKeysWithValues: names.map { ($0, folder.bytes($0)) })
  }

  private var events: [Step] {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    let count = read(watch, &bytes, bytes.count)
    var (found, offset): ([Step], Int) = ([], 0)
    while offset + 16 <= count {
      let (mask, length) = bytes.withUnsafeBytes { raw in
        (
          raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self),
          Int(raw.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        )
      }
      let raw = bytes[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
      let name = String(decoding: raw, as: UTF8.self)
      found.append(mask & UInt32(IN_MOVED_TO) != 0 ? .appears(name) : .goes(name))
      offset += 16 + length
    }
    return found
  }
}
