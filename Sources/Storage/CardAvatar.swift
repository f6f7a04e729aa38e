import Glibc
import Loop

/// The picture of our last card (`face` in the protocol), kept in a file: a card that only brings another name is sent
/// with it again. A fault of the disk costs the picture alone.
public final class CardAvatar {
  /// Of the file in the store's folder.
  static let name = "card.face"

  private let worker: Worker
  private let path: String

  /// Nothing is opened before the first card. `worker` may be shared.
  public init(worker: Worker, directory: String) {
    self.worker = worker
    path = directory + "/" + Self.name
  }

  /// Base64; nil: there is none any more. `then` gets the reason why it could not be kept, in words; nil: it was.
  public func keep(_ face: String?, then: @escaping (String?) -> Void) {
    let path = path
    worker.perform(in: .others) {
      guard let face else {
        return unlink(path) == 0 || errno == ENOENT ? nil : "\(path): \(DeadLetters.reason())"
      }
      return DeadLetters.replace(path, with: Array(face.utf8)).map { "\(path): \($0)" }
    } then: {
      then($0)
    }
  }

  /// Nil: none is kept.
  public func read(then: @escaping (String?) -> Void) {
    let path = path
    worker.perform(in: .others) {
      guard case .success(let lines) = ResendFile.lines(of: path), let face = lines.first else {
        return nil
      }
      return String(validating: face, as: UTF8.self)
    } then: {
      then($0)
    }
  }
}
