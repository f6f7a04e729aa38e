import Glibc

/// A directory of the real file system. The store wants its directory to exist; what it writes goes to
/// the simulated disk. Made once, removed at the end of the process.
enum Scratch {
  static let directory: String = {
    let shared = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? shared
    var template = Array("\(base)/homeward-simulator-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return base }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    atexit { rmdir(Scratch.directory) }
    return path
  }()
}
