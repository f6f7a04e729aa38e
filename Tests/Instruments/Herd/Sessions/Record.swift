import Glibc

/// The positions that were published: a line for each, with the board and the time in it.
final class Record {
  private let file: UnsafeMutablePointer<FILE>

  /// Nil: it cannot be written.
  init?(_ path: String) {
    guard let file = fopen(path, "w") else { return nil }
    self.file = file
  }

  func published(_ board: String, at time: Int) { fputs("\(board) \(time)\n", file) }

  func flush() {
    if fflush(file) != 0 { fail("the record cannot be written") }
  }
}
