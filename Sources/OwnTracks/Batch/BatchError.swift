/// Why a batch cannot be read.
public enum BatchError: Error, Equatable, CustomStringConvertible {
  /// It begins with another version's number; nil: it is empty.
  case version(UInt8?)
  /// Its messages are not those that went in, or there is no end to it.
  case damaged

  /// For the journal of the program at the server.
  public var description: String {
    switch self {
    case .version(let number?):
      "a batch of version \(number), this program reads version \(Batch.version)"
    case .version(nil): "an empty message, expected a batch"
    case .damaged: "a damaged batch: its sum does not match"
    }
  }
}
