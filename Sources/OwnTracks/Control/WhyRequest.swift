/// `why` as the command line asks it of the daemon: which of the reasons that are kept.
public struct WhyRequest: Hashable, Sendable {
  /// So many are kept over restarts.
  public static let limit = 1000
  static let usage = "why [--last COUNT] [--after NUMBER]"

  /// The newest of those that are asked for, 1 to `limit`.
  public var last = 100
  /// Only those with a greater number.
  public var after: UInt64 = 0

  /// The last hundred.
  public init() {}

  init(_ words: ArraySlice<String>) throws(ControlError) {
    let line = try RequestWords(words, valued: ["--last", "--after"], usage: Self.usage)
    _ = try line.operands(0)
    if let last = try line.number("--last", within: 1...Double(Self.limit)) { self.last = Int(last) }
    if let after = try line.number("--after", within: 0...9e15) { self.after = UInt64(after) }
  }
}
