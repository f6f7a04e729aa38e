import Glibc

/// The kernel refused something that the loop cannot live without.
public struct LoopError: Error, Hashable, CustomStringConvertible {
  /// The operation, in plain words.
  public var attempt: String
  /// The kernel's `errno`.
  public var code: Int32

  /// Right after the call that failed: `errno` is read here.
  public init(_ attempt: String, code: Int32 = errno) {
    self.attempt = attempt
    self.code = code
  }

  public var description: String { "cannot \(attempt): \(String(cString: strerror(code)))" }
}

/// The events that a watch waits for.
public struct Interest: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bytes, a connection, or the end of it can be had.
  public static let read = Interest(rawValue: 1)
  /// Bytes are taken, or a connection attempt has ended.
  public static let write = Interest(rawValue: 2)
  /// An error waits there. Handed over with what is looked for, and never looked for.
  public static let failure = Interest(rawValue: 4)
}
