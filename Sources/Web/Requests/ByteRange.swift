/// The part of a file that the header Range asks for (RFC 9110, 14.1.2).
public enum ByteRange: Hashable, Sendable {
  /// No range that is understood, several, or another unit: everything is sent.
  case everything
  /// Of bytes, within the file, not empty.
  case part(Range<Int>)
  /// Beyond the end.
  case nothing

  /// `size`: bytes of the file.
  public init(_ header: String?, size: Int) {
    guard let header, header.utf8.count <= 64, header.hasPrefix("bytes=") else {
      self = .everything
      return
    }
    let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }) else {
      self = .everything
      return
    }
    switch (Self.number(ends[0]), Self.number(ends[1])) {
    case (nil, nil): self = .everything
    case (nil, let count?): self = Self.within(max(0, size - count)..<size)
    case (let first?, nil): self = Self.within(first..<max(first, size))
    case (let first?, let last?) where first <= last:
      self = first < size ? Self.within(first..<min(last, size - 1) + 1) : .nothing
    case (_?, _?): self = .everything
    }
  }

  private static func within(_ range: Range<Int>) -> ByteRange { range.isEmpty ? .nothing : .part(range) }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Nil: nothing stands there. What no file has is beyond the end of each.
  private static func number(_ text: Substring) -> Int? {
    text.isEmpty ? nil : text.utf8.count > 18 ? 999_999_999_999_999_999 : Int(text)
  }
}
