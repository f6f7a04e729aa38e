/// A JSON value as Swift sees it. Objects keep the order in which their members came, so that a file
/// that is rewritten still looks like its owner's; writing sorts the keys unless told not to.
public enum JSON: Hashable, Sendable {
  /// The word `null`; a member that is not there is something else.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A number without fraction and exponent.
  case integer(Int64)
  /// Any other number; one that is not finite is written as null.
  case real(Double)
  /// Text, without its escapes.
  case string(String)
  /// In order.
  case array([JSON])
  /// In the order in which they came; of two members of one name the first is found.
  case object([Member])

  /// A key with its value.
  public struct Member: Hashable, Sendable {
    /// Without its escapes.
    public var key: String
    /// Of any kind.
    public var value: JSON

    /// A pair as it is to be written.
    public init(_ key: String, _ value: JSON) {
      self.key = key
      self.value = value
    }
  }

  // MARK: - Questions: nil where the value is of another kind

  /// The value of a member; nil where there is none or this is no object.
  public subscript(key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// An element; nil beyond the ends or where this is no array.
  public subscript(index: Int) -> JSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The word `null` stands there.
  public var isNull: Bool { self == .null }

  /// Of `true` and `false` alone: 0 and 1 are numbers.
  public var flag: Bool? {
    guard case .boolean(let value) = self else { return nil }
    return value
  }

  /// Whole numbers, also those written as `5.0`.
  public var int: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .real(let value): Int(exactly: value)
    case .null, .boolean, .string, .array, .object: nil
    }
  }

  /// Of a number, whole or not.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .null, .boolean, .string, .array, .object: nil
    }
  }

  /// Of a text; numbers are none.
  public var text: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// Of an array.
  public var elements: [JSON]? {
    guard case .array(let values) = self else { return nil }
    return values
  }

  /// Of an object, in their order.
  public var members: [Member]? {
    guard case .object(let values) = self else { return nil }
    return values
  }

  // MARK: - Building

  /// Replaces the member of that name where it stands, or appends one; nil takes it out.
  /// Anything but an object becomes one.
  public mutating func set(_ key: String, _ value: JSON?) {
    var members = members ?? []
    let index = members.firstIndex { $0.key == key }
    switch (index, value) {
    case (let index?, let value?): members[index].value = value
    case (let index?, nil): members.remove(at: index)
    case (nil, let value?): members.append(Member(key, value))
    case (nil, nil): break
    }
    self = .object(members)
  }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .real(value) }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  public init(nilLiteral: ()) { self = .null }
}

extension JSON: CustomStringConvertible {
  /// Compact text with sorted keys.
  public var description: String { String(decoding: serialised(), as: UTF8.self) }

  /// Compact text; numbers never depend on the locale, and no number has an exponent unless it is
  /// beyond 15 digits. Numbers that are not finite become null.
  public func serialised(sortingKeys: Bool = true) -> [UInt8] {
    var writer = JSONWriter(capacity: 256)
    writer.value(self, sortingKeys: sortingKeys)
    return writer.bytes
  }

  /// Text for people and their editors: two blanks a level, order kept, a newline at the end.
  public func pretty() -> [UInt8] {
    var writer = JSONWriter(capacity: 1024)
    writer.pretty(self, level: 0)
    writer.bytes.append(UInt8(ascii: "\n"))
    return writer.bytes
  }
}
