/// A part of an answer of the control protocol. It writes itself as JSON and reads itself back, both by one list of its
/// keys: `keys(_:)` names each of them once.
///
/// An answer may come from an older or a newer daemon: a key that is missing, or of another kind, reads as nil, and an
/// unknown one is ignored. So a new key needs no new protocol; a key whose meaning changes gets a new name.
///
/// Small records are structs. The large ones, of a dozen fields and more, are classes: nobody copies them, and the code
/// that copies and destroys such a value costs the daemon more than all that fills it in.
public protocol AnswerRecord: AnswerValue {
  /// Nothing is known.
  init()
  /// Names each key, with what it stands for; in the order in which they are written.
  mutating func keys(_ keys: inout AnswerKeys)
}

/// A value that may stand in a record.
public protocol AnswerValue {
  /// Nil: the value is of another kind.
  init?(answer: JSON)
  /// As it is sent.
  var answer: JSON { get }
}

/// Writes a record, or reads one.
public struct AnswerKeys {
  private let source: JSON?
  fileprivate var members: [JSON.Member] = []

  /// `source`: the object that is read; nil: the record is written.
  fileprivate init(reading source: JSON?) { self.source = source }

  /// Nil is not written.
  @inline(never)
  @_semantics("optimize.sil.specialize.generic.never")
  public mutating func callAsFunction<Value: AnswerValue>(_ key: String, _ value: inout Value?) {
    if isReading { value = sent(key).flatMap { Value(answer: $0) } } else { write(key, value?.answer) }
  }

  private var isReading: Bool { source != nil }

  private func sent(_ key: String) -> JSON? { source?[key] }

  private mutating func write(_ key: String, _ value: JSON?) {
    if let value { members.append(JSON.Member(key, value)) }
  }
}

// One function for all records, and one for all kinds of values: a copy for each of them was a tenth of what records
// cost the daemon.
extension AnswerRecord {
  @inline(never)
  @_semantics("optimize.sil.specialize.generic.never")
  public init?(answer: JSON) {
    guard answer.members != nil else { return nil }
    self.init()
    var list = AnswerKeys(reading: answer)
    keys(&list)
  }

  @inline(never)
  @_semantics("optimize.sil.specialize.generic.never")
  public var answer: JSON {
    var (copy, list) = (self, AnswerKeys(reading: nil))
    copy.keys(&list)
    return .object(list.members)
  }
}

extension AnswerRecord {
  /// Elements of a list as they were sent; those that are no object are passed over.
  public static func all(_ elements: [JSON]?) -> [Self] { (elements ?? []).compactMap { Self(answer: $0) } }
}

extension JSON {
  /// Members of another object: each replaces the one of its name, or is appended.
  public mutating func take(_ other: JSON) {
    for member in other.members ?? [] { set(member.key, member.value) }
  }
}

extension String: AnswerValue {
  public init?(answer: JSON) {
    guard let text = answer.text else { return nil }
    self = text
  }
  public var answer: JSON { .string(self) }
}

extension Int: AnswerValue {
  public init?(answer: JSON) {
    guard let number = answer.int else { return nil }
    self = number
  }
  public var answer: JSON { .integer(Int64(self)) }
}

extension Int64: AnswerValue {
  public init?(answer: JSON) {
    guard case .integer(let number) = answer else { return nil }
    self = number
  }
  public var answer: JSON { .integer(self) }
}

extension Double: AnswerValue {
  public init?(answer: JSON) {
    guard let number = answer.double else { return nil }
    self = number
  }
  public var answer: JSON { .real(self) }
}

extension Bool: AnswerValue {
  public init?(answer: JSON) {
    guard let flag = answer.flag else { return nil }
    self = flag
  }
  public var answer: JSON { .boolean(self) }
}

extension JSON: AnswerValue {
  public init?(answer: JSON) { self = answer }
  public var answer: JSON { self }
}

extension Array: AnswerValue where Element: AnswerValue {
  /// Elements of another kind are passed over.
  public init?(answer: JSON) {
    guard let elements = answer.elements else { return nil }
    self = elements.compactMap { Element(answer: $0) }
  }
  public var answer: JSON { .array(map(\.answer)) }
}
