import Foundation

/// Whole files, with errors that name the file.
enum FileText {
  /// `-` is standard input.
  static func read(_ path: String) throws -> [UInt8] {
    if path == "-" { return Array(FileHandle.standardInput.readDataToEndOfFile()) }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Failure(.usage, "\(path): there is no such file")
    }
    guard !isFolder.boolValue else { throw Failure(.usage, "\(path): a folder, expected a file") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(.usage, "\(path): cannot be read: \(lastError())") }
    return Array(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readDataToEndOfFile())
  }
}
