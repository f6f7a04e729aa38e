import Glibc

/// The kernel refused something that the loop cannot live without.
public struct LoopError: Error, Hashable, CustomStringConvertible {
  /// What was tried, in plain words.
  public var attempt: String
  /// The kernel's `errno`.
  public var code: Int32

  public init(_ attempt: String, code: Int32 = errno) {
    self.attempt = attempt
    self.code = code
  }

  public var description: String { "cannot \(attempt): \(String(cString: strerror(code)))" }
}

/// What a watch waits for.
public struct Interest: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let read = Interest(rawValue: 1)
  public static let write = Interest(rawValue: 2)
}
