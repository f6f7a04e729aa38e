import Glibc

/// Whole files, with errors that name the file.
enum FileText {
  /// `-` is standard input.
  static func read(_ path: String) throws -> [UInt8] {
    if path == "-" { return try readAll(STDIN_FILENO, "standard input") }
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw Failure(.usage, "\(path): \(errno == ENOENT ? "there is no such file" : lastError())")
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw Failure(.usage, "\(path): a folder, expected a file")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(.usage, "\(path): cannot be read: \(lastError())") }
    defer { close(descriptor) }
    return try readAll(descriptor, path)
  }

  private static func readAll(_ descriptor: Int32, _ name: String) throws -> [UInt8] {
    guard let bytes = Descriptor.readAll(descriptor) else {
      throw Failure(.usage, "\(name): cannot be read: \(lastError())")
    }
    return bytes
  }
}
