import Glibc

/// A folder of the real file system that goes away with all that is in it.
final class RealFolder {
  let path: String

  /// Below the simulator's own, under a name that no other has: worlds of one seed may run side by side.
  init() {
    var template = Array((Scratch.directory + "/folder-XXXXXX").utf8CString)
    precondition(mkdtemp(&template) != nil, "there is no room for a folder")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { remove(name) }
    rmdir(path)
  }

  func at(_ name: String) -> String { path + "/" + name }

  // MARK: Changes

  func put(_ bytes: [UInt8], at name: String) {
    let descriptor = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = write(descriptor, bytes, bytes.count)
    close(descriptor)
  }

  /// Over what lies there.
  func patch(_ name: String, at offset: Int, _ bytes: [UInt8]) {
    let descriptor = open(at(name), O_WRONLY)
    _ = pwrite(descriptor, bytes, bytes.count, off_t(offset))
    close(descriptor)
  }

  func cut(_ name: String, to size: Int) { truncate(at(name), off_t(size)) }
  func move(_ name: String, to other: String) { rename(at(name), at(other)) }
  func remove(_ name: String) { if unlink(at(name)) != 0 { rmdir(at(name)) } }

  /// The same file under another name: what happens to its bytes is seen when this one is gone.
  func link(_ name: String, from other: RealFolder) { Glibc.link(other.at(name), at(name)) }

  // MARK: Questions

  func has(_ name: String) -> Bool { access(at(name), F_OK) == 0 }

  func isFile(_ name: String) -> Bool {
    var status = stat()
    return lstat(at(name), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  func size(_ name: String) -> Int {
    var status = stat()
    return stat(at(name), &status) == 0 ? Int(status.st_size) : 0
  }

  func mode(_ name: String) -> UInt32 {
    var status = stat()
    return lstat(at(name), &status) == 0 ? UInt32(status.st_mode) & 0o777 : 0
  }

  func bytes(_ name: String) -> [UInt8] {
    let descriptor = open(at(name), O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
    let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return Array(bytes.prefix(max(0, got)))
  }

  /// Of all that lies in it.
  var names: [String] {
    guard let listing = opendir(path) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
