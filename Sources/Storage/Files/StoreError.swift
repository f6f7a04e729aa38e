/// Faults of the disk, or of the files on it, that a store can meet. Nothing of the batch that met one is applied.
public enum StoreError: Error, Hashable, Sendable {
  /// It is not there, or may not be entered.
  case noDirectory(path: String, cause: String)
  /// Another process has the store open.
  case inUse(path: String)
  /// Written by a later Homeward: left as it is.
  case newer(path: String, version: Int, known: Int)
  /// No room on the disk, or none for this user.
  case full(path: String)
  /// A disk, or a file, that may not be written.
  case readOnly(path: String)
  /// The path holds something other than a file: a link, a folder, a pipe. Nothing is read or written through it.
  case inTheWay(path: String, what: String)
  /// The device or the system refused (EIO and its kin).
  case failing(path: String, doing: String, cause: String)
  /// The bytes are not a sound store. `StoreFile` repairs this itself: a caller that sees it saw the repair fail.
  case damaged(path: String, cause: String)

  /// One line for people: which file, the fault, the expected state.
  public var sentence: String {
    switch self {
    case .noDirectory(let path, let cause):
      "store directory \(path): \(cause); it must exist and belong to the user homewardd runs as"
    case .inUse(let path): "another homewardd uses \(path); only one may"
    case .newer(let path, let version, let known):
      "\(path) has format \(version), this homewardd knows \(known): it was left untouched, run the newer one"
    case .full(let path): "\(path): the disk is full"
    case .readOnly(let path): "\(path): the disk is read-only or the file may not be written"
    case .inTheWay(let path, let what):
      "\(path): \(what) is in the way, expected a file or nothing: remove it"
    case .failing(let path, let doing, let cause): "\(path): \(doing) failed: \(cause)"
    case .damaged(let path, let cause): "\(path) is damaged: \(cause)"
    }
  }

  /// Whether the same disk may take everything later, without a change of settings.
  public var mayHeal: Bool {
    switch self {
    case .full, .readOnly, .inTheWay, .failing, .damaged: true
    case .noDirectory, .inUse, .newer: false
    }
  }

  /// Whether room on the disk is the remedy.
  public var isFull: Bool {
    if case .full = self { true } else { false }
  }

  /// Whether a repair, and not waiting, is the remedy.
  var isDamage: Bool {
    if case .damaged = self { true } else { false }
  }
}
